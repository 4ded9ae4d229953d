// The entry of the program.
#include <cstdio>
#include <exception>

#include "process/exit_code.h"
#include "program/program.h"

int main(int count, char** words) {
  try {
    return neardup::RunProgram(count, words);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "neardup: internal error: %s\n", error.what());
    return neardup::kExitInternal;
  }
}
