#include "commands/program/message.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "detect/base/message_text.h"

namespace neardup {
namespace {

void Write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text.remove_prefix(static_cast<size_t>(written));
  }
}

}  // namespace

void SayText(std::string_view text) {
  // A pipe without a reader sends SIGPIPE, which would end the process.
  sigset_t pipe;
  sigset_t before;
  sigset_t pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  Write(PrintableText(text, true) + '\n');
  const timespec now{};
  if (sigismember(&pending, SIGPIPE) == 0) sigtimedwait(&pipe, nullptr, &now);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void PrintText(std::string_view text) { std::fputs(PrintableText(text, true).c_str(), stdout); }

bool FlushStandardOutput() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return true;
  Say("neardup: standard output: cannot write all of it{}{}", errno != 0 ? ": " : "",
      errno != 0 ? std::strerror(errno) : "");
  return false;
}

void OpenStandardStreams() {
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    // The lowest free number is taken, and all below this one are open.
    if (fcntl(stream, F_GETFD) >= 0 || errno != EBADF) continue;
    open("/dev/null", stream == STDIN_FILENO    ? O_WRONLY
                      : stream == STDOUT_FILENO ? O_RDONLY
                                                : O_RDWR);
  }
}

}  // namespace neardup
