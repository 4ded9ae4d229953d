// A library for LD_PRELOAD: it ends, stops or disturbs the process of the service at a named call
// into librdkafka or the C library. The program itself is the one that users get. Environment
// variables:
//
//   FAILPOINT=CALL:WHEN:COUNT:ACTION
//     CALL    a call of this file, such as commit_transaction or rename
//     WHEN    before or after
//     COUNT   1 stands for the first call of the process
//     ACTION  kill (SIGKILL), stop (SIGSTOP), or full: this call and all later ones fail as on a
//             full disk (only calls about files, WHEN is ignored)
//   FAILPOINT_DIR=DIR
//     calls about files count only below this folder
//   FAILPOINT_LINK=PORT=OTHER,...
//     a connection to 127.0.0.1:PORT goes to 127.0.0.1:OTHER
//
// The declarations of librdkafka's functions stand here with pointers of unknown type, because only
// the module `kafka` includes its header.

#include <arpa/inet.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <string_view>

namespace {

enum class Action { kNone, kKill, kStop, kFull };

/// What FAILPOINT asks for. A text that cannot be read ends the process.
struct Failpoint {
  std::string call;
  bool before = true;
  long count = 0;
  Action action = Action::kNone;
  std::string folder;
  std::atomic<long> calls{0};

  Failpoint() {
    const char* text = std::getenv("FAILPOINT");
    if (text == nullptr) return;
    char name[64];
    char when[16];
    char what[16];
    if (std::sscanf(text, "%63[^:]:%15[^:]:%ld:%15s", name, when, &count, what) != 4 || count < 1) {
      Refuse(text);
    }
    call = name;
    before = std::strcmp(when, "before") == 0;
    const std::map<std::string_view, Action> actions = {
        {"kill", Action::kKill}, {"stop", Action::kStop}, {"full", Action::kFull}};
    const auto found = actions.find(what);
    if (found == actions.end() || (!before && std::strcmp(when, "after") != 0)) Refuse(text);
    action = found->second;
    const char* below = std::getenv("FAILPOINT_DIR");
    folder = below == nullptr ? "" : below;
  }

  [[noreturn]] static void Refuse(const char* text) {
    std::fprintf(stderr, "FAILPOINT=%s: expected CALL:before|after:COUNT:kill|stop|full\n", text);
    std::_Exit(64);
  }
};

Failpoint& TheFailpoint() {
  static Failpoint* const failpoint = new Failpoint;  // lives as long as the process
  return *failpoint;
}

void Act(const Failpoint& failpoint) {
  std::fprintf(stderr, "failpoint %s\n", failpoint.call.c_str());
  ::kill(::getpid(), failpoint.action == Action::kKill ? SIGKILL : SIGSTOP);
}

/// Surrounds one call. Full(): the call must fail as on a full disk.
class Call {
 public:
  explicit Call(std::string_view name)
      : failpoint_(TheFailpoint()), ours_(failpoint_.call == name) {
    if (!ours_) return;
    number_ = ++failpoint_.calls;
    if (failpoint_.before) ActIfDue();
  }
  ~Call() {
    const int kept = errno;
    if (ours_ && !failpoint_.before) ActIfDue();
    errno = kept;
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool Full() const {
    return ours_ && failpoint_.action == Action::kFull && number_ >= failpoint_.count;
  }

 private:
  void ActIfDue() const {
    if (number_ == failpoint_.count && failpoint_.action != Action::kFull) Act(failpoint_);
  }

  Failpoint& failpoint_;
  bool ours_;
  long number_ = 0;
};

bool IsOurs(const char* path) {
  const std::string& folder = TheFailpoint().folder;
  return !folder.empty() && std::strncmp(path, folder.c_str(), folder.size()) == 0;
}

bool IsOurs(int file) {
  char link[64];
  char path[4096];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = ::readlink(link, path, sizeof path - 1);
  if (length < 0) return false;
  path[length] = '\0';
  return IsOurs(path);
}

template <class Function>
Function* Next(const char* name) {
  void* const found = ::dlsym(RTLD_NEXT, name);
  if (found == nullptr) {
    std::fprintf(stderr, "%s does not exist: %s\n", name, ::dlerror());
    std::_Exit(70);
  }
  return reinterpret_cast<Function*>(found);
}

uint16_t OtherPort(uint16_t port) {
  static const auto* const ports = [] {
    auto* const found = new std::map<uint16_t, uint16_t>;
    const char* text = std::getenv("FAILPOINT_LINK");
    unsigned from = 0;
    unsigned to = 0;
    int length = 0;
    while (text != nullptr && std::sscanf(text, "%u=%u%n", &from, &to, &length) == 2) {
      (*found)[static_cast<uint16_t>(from)] = static_cast<uint16_t>(to);
      text += length;
      if (*text == ',') ++text;
    }
    return found;
  }();
  const auto found = ports->find(port);
  return found == ports->end() ? port : found->second;
}

}  // namespace

extern "C" {

void* rd_kafka_init_transactions(void* client, int timeout_ms) {
  static const auto next = Next<void*(void*, int)>("rd_kafka_init_transactions");
  const Call call("init_transactions");
  return next(client, timeout_ms);
}

void* rd_kafka_begin_transaction(void* client) {
  static const auto next = Next<void*(void*)>("rd_kafka_begin_transaction");
  const Call call("begin_transaction");
  return next(client);
}

void* rd_kafka_produceva(void* client, const void* values, size_t count) {
  static const auto next = Next<void*(void*, const void*, size_t)>("rd_kafka_produceva");
  const Call call("produce");
  return next(client, values, count);
}

int rd_kafka_flush(void* client, int timeout_ms) {
  static const auto next = Next<int(void*, int)>("rd_kafka_flush");
  const Call call("flush");
  return next(client, timeout_ms);
}

void* rd_kafka_send_offsets_to_transaction(void* client, const void* offsets, const void* group,
                                           int timeout_ms) {
  static const auto next =
      Next<void*(void*, const void*, const void*, int)>("rd_kafka_send_offsets_to_transaction");
  const Call call("send_offsets_to_transaction");
  return next(client, offsets, group, timeout_ms);
}

void* rd_kafka_commit_transaction(void* client, int timeout_ms) {
  static const auto next = Next<void*(void*, int)>("rd_kafka_commit_transaction");
  const Call call("commit_transaction");
  return next(client, timeout_ms);
}

void* rd_kafka_abort_transaction(void* client, int timeout_ms) {
  static const auto next = Next<void*(void*, int)>("rd_kafka_abort_transaction");
  const Call call("abort_transaction");
  return next(client, timeout_ms);
}

void rd_kafka_DeleteRecords(void* client, void** orders, size_t count, const void* options,
                            void* queue) {
  static const auto next =
      Next<void(void*, void**, size_t, const void*, void*)>("rd_kafka_DeleteRecords");
  const Call call("delete_records");
  next(client, orders, count, options, queue);
}

int connect(int socket, const sockaddr* address, socklen_t length) {
  static const auto next = Next<int(int, const sockaddr*, socklen_t)>("connect");
  if (address->sa_family == AF_INET) {
    sockaddr_in moved;
    std::memcpy(&moved, address, sizeof moved);
    moved.sin_port = htons(OtherPort(ntohs(moved.sin_port)));
    return next(socket, reinterpret_cast<const sockaddr*>(&moved), sizeof moved);
  }
  return next(socket, address, length);
}

int open(const char* path, int flags, ...) {
  static const auto next = Next<int(const char*, int, ...)>("open");
  va_list more;
  va_start(more, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(more, mode_t) : 0;
  va_end(more);
  if ((flags & O_CREAT) == 0 || !IsOurs(path)) return next(path, flags, mode);
  const Call call("open");
  if (call.Full()) return errno = ENOSPC, -1;
  return next(path, flags, mode);
}

ssize_t write(int file, const void* bytes, size_t count) {
  static const auto next = Next<ssize_t(int, const void*, size_t)>("write");
  if (TheFailpoint().call != "write" || !IsOurs(file)) return next(file, bytes, count);
  const Call call("write");
  if (call.Full()) return errno = ENOSPC, -1;
  return next(file, bytes, count);
}

int fdatasync(int file) {
  static const auto next = Next<int(int)>("fdatasync");
  if (!IsOurs(file)) return next(file);
  const Call call("fdatasync");
  if (call.Full()) return errno = ENOSPC, -1;
  return next(file);
}

int fsync(int file) {
  static const auto next = Next<int(int)>("fsync");
  if (!IsOurs(file)) return next(file);
  const Call call("fsync");
  if (call.Full()) return errno = ENOSPC, -1;
  return next(file);
}

int rename(const char* from, const char* to) {
  static const auto next = Next<int(const char*, const char*)>("rename");
  if (!IsOurs(from)) return next(from, to);
  const Call call("rename");
  if (call.Full()) return errno = ENOSPC, -1;
  return next(from, to);
}

int unlink(const char* path) {
  static const auto next = Next<int(const char*)>("unlink");
  if (!IsOurs(path)) return next(path);
  const Call call("unlink");
  return next(path);
}

}  // extern "C"
