// The entry of the program.
#include <signal.h>

#include <exception>
#include <string_view>

#include "process/exit_code.h"
#include "process/message.h"
#include "program/program.h"

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
    return neardup::RunProgram(count, words);
  } catch (const std::exception& error) {
    neardup::Say("neardup: internal error: {}", error.what());
    return neardup::kExitInternal;
  }
}
