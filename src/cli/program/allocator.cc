// The settings of jemalloc, which replaces malloc and free in the program and in its libraries. A
// record is allocated in one thread and freed in another. The allocator of the C library is slow at
// that: with jemalloc the whole service takes about a quarter less CPU (docs/performance.md).

extern "C" {
/// Read by jemalloc before main. Freed memory goes back to the system after a second, also while
/// the program is idle, so that memory follows the load. Without jemalloc nothing reads it.
extern const char* malloc_conf;  // NOLINT(readability-identifier-naming)
const char* malloc_conf = "background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
}
