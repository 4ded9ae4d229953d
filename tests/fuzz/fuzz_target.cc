#include "fuzz/fuzz_target.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdlib>

namespace neardup {

extern const FuzzTarget kConfigTarget;
extern const FuzzTarget kDeltaTarget;
extern const FuzzTarget kEncodingTarget;
extern const FuzzTarget kHeaderTarget;
extern const FuzzTarget kHttpTarget;
extern const FuzzTarget kManifestTarget;
extern const FuzzTarget kModelTarget;
extern const FuzzTarget kPayloadTarget;
extern const FuzzTarget kSegmentTarget;

std::span<const FuzzTarget* const> FuzzTargets() {
  static constexpr std::array kAll = {&kConfigTarget, &kDeltaTarget,   &kEncodingTarget,
                                      &kHeaderTarget, &kHttpTarget,    &kManifestTarget,
                                      &kModelTarget,  &kPayloadTarget, &kSegmentTarget};
  return kAll;
}

const FuzzTarget* FindFuzzTarget(std::string_view name) {
  for (const FuzzTarget* target : FuzzTargets()) {
    if (target->name == name) return target;
  }
  return nullptr;
}

std::string FuzzTargetNames() {
  std::vector<std::string_view> names;
  for (const FuzzTarget* target : FuzzTargets()) names.push_back(target->name);
  return fmt::format("{}", fmt::join(names, ", "));
}

void Require(bool holds, std::string_view text) {
  if (holds) return;
  fmt::print(stderr, "broken promise: {}\n", text);
  std::abort();
}

}  // namespace neardup
