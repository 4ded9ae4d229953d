// Shifts the clock of the host for one process (LD_PRELOAD). The file that SHIFTED_CLOCK names
// holds the shift in seconds as text. A wait with a deadline of that clock ends when the shifted
// clock reaches it, as when somebody sets the clock of a host.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace {

constexpr int64_t kNanoseconds = 1'000'000'000;
constexpr int64_t kSliceNs = 50'000'000;

int64_t ShiftSeconds() {
  long seconds = 0;
  const char* path = std::getenv("SHIFTED_CLOCK");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%ld", &seconds) != 1) seconds = 0;
  std::fclose(file);
  return seconds;
}

int HostTime(clockid_t clock, timespec* now) {
  return static_cast<int>(syscall(SYS_clock_gettime, clock, now));
}

int WaitUntil(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* end) {
  using Wait = int (*)(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*);
  static const auto wait = reinterpret_cast<Wait>(dlsym(RTLD_NEXT, "pthread_cond_clockwait"));
  while (true) {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t left_ns = (end->tv_sec - now.tv_sec) * kNanoseconds + end->tv_nsec - now.tv_nsec;
    if (left_ns <= 0) return ETIMEDOUT;
    timespec slice{};
    HostTime(CLOCK_MONOTONIC, &slice);
    const int64_t slice_ns = slice.tv_nsec + std::min(left_ns, kSliceNs);
    slice.tv_sec += slice_ns / kNanoseconds;
    slice.tv_nsec = slice_ns % kNanoseconds;
    const int code = wait(condition, mutex, CLOCK_MONOTONIC, &slice);
    if (code != ETIMEDOUT) return code;
  }
}

}  // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* now) noexcept {
  const int code = HostTime(clock, now);
  if (code == 0 && clock == CLOCK_REALTIME) now->tv_sec += ShiftSeconds();
  return code;
}

int gettimeofday(timeval* now, void*) noexcept {
  timespec exact{};
  const int code = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return code;
}

time_t time(time_t* now) noexcept {
  timespec exact{};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (now != nullptr) *now = exact.tv_sec;
  return exact.tv_sec;
}

int timespec_get(timespec* now, int base) noexcept {
  clock_gettime(CLOCK_REALTIME, now);
  return base;
}

int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* end) {
  return WaitUntil(condition, mutex, end);
}

int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* end) {
  const int code = WaitUntil(reinterpret_cast<pthread_cond_t*>(condition),
                             reinterpret_cast<pthread_mutex_t*>(mutex), end);
  return code == 0 ? thrd_success : code == ETIMEDOUT ? thrd_timedout : thrd_error;
}

}  // extern "C"
