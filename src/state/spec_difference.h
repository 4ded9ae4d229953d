// Why state of another FingerprintSpec does not fit, for a person.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// What differs between two JSON texts, key by key as JSON Pointers: `/features_min: 12 here, 8 in
/// the changelog; ...`. Texts that are no JSON are shown whole.
std::string SpecDifference(std::string_view here, std::string_view changelog);

}  // namespace neardup
