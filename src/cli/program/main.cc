// The entry of the program.
#include <signal.h>

#include <exception>

#include "process/exit_code.h"
#include "process/message.h"
#include "program/program.h"

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
