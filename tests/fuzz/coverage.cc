// Runs a fuzz target under libFuzzer, which looks for inputs that reach new code. The first
// argument names the target; the others belong to libFuzzer.
#include <fmt/format.h>

#include <cstdlib>

#include "fuzz/fuzz_target.h"

namespace {

const neardup::FuzzTarget* target = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* count, char*** words) {
  if (*count >= 2) target = neardup::FindFuzzTarget((*words)[1]);
  if (target == nullptr) {
    fmt::print(stderr, "the first argument names no target; expected one of {}\n",
               neardup::FuzzTargetNames());
    std::exit(2);
  }
  (*words)[1] = (*words)[0];
  ++*words;
  --*count;
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target->run({reinterpret_cast<const char*>(data), size});
  return 0;
}
