// A fingerprint as one would write it in an afternoon, for comparison.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace neardup {

/// Two 64-bit SimHashes, of words and of pairs of words, over the named string members of a JSON
/// object: nlohmann::json, std::hash, std::unordered_map and std::vector<int>. Words are runs of
/// letters, digits and non-ASCII bytes, in lower case.
struct NaiveFingerprint {
  uint64_t words = 0;
  uint64_t pairs = 0;
};
NaiveFingerprint ComputeNaively(std::string_view json, const std::vector<std::string>& members);

}  // namespace neardup
