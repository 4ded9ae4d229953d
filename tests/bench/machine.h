// What a measured time depends on besides the code.
#pragma once

#include <string>

namespace neardup {

/// One line: processor, number of cores, compiler and kind of build.
std::string MachineLine();

}  // namespace neardup
