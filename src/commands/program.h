// The program, from the words of its command line to its exit code.
#pragma once

namespace neardup {

/// `words` are the arguments of main: the first is the name of the program. Prints what is wrong
/// with them.
int RunProgram(int count, const char* const* words);

}  // namespace neardup
