// The entry of the program.
#include <signal.h>

#include <exception>
#include <string_view>

#include "commands/program.h"
#include "commands/program/message.h"

namespace {

/// SIGHUP makes `run` read its settings again. Until a handler is set, SIGHUP would end the
/// process. Initialising the libraries takes most of that time. So SIGHUP is ignored before they
/// are initialised.
void IgnoreReloads(int count, char** words, char**) {
  if (count > 1 && std::string_view(words[1]) == "run") signal(SIGHUP, SIG_IGN);
}
[[gnu::section(".preinit_array"), gnu::used]] void (*const kFirst)(int, char**,
                                                                   char**) = &IgnoreReloads;

}  // namespace

int main(int count, char** words) {
  neardup::OpenStandardStreams();
  signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error like a full disk
  try {
    const int code = neardup::RunProgram(count, words);
    if (code != neardup::kExitOk && code != neardup::kExitNo) return code;
    return neardup::FlushStandardOutput() ? code : neardup::kExitIo;
  } catch (const std::exception& error) {
    neardup::Say("neardup: internal error: {}", error.what());
    return neardup::kExitInternal;
  }
}

// The settings of jemalloc, which replaces malloc and free in the program and in its libraries. A
// record is allocated in one thread and freed in another. The allocator of the C library is slow at
// that: with jemalloc the whole service takes about a quarter less CPU (docs/performance.md).

extern "C" {
/// Read by jemalloc before main. Freed memory goes back to the system after a second, also while
/// the program is idle, so that memory follows the load. Without jemalloc nothing reads it.
extern const char* malloc_conf;  // NOLINT(readability-identifier-naming)
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
