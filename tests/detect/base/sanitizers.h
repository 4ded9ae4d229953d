// Which sanitizer the program is built with. GCC and clang say it in different ways.
#pragma once

#if defined(__SANITIZE_ADDRESS__)
#define NEARDUP_ADDRESS_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define NEARDUP_ADDRESS_SANITIZER
#endif
#endif

#if defined(__SANITIZE_THREAD__)
#define NEARDUP_THREAD_SANITIZER
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define NEARDUP_THREAD_SANITIZER
#endif
#endif
