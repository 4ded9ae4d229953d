// Sample duplicates beside their originals, for the eye.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/demo_report.h"

namespace neardup {

/// Indexes of up to three duplicates worth showing: an English article, a Chinese article and a
/// product, near ones with edited words where there are any.
std::vector<size_t> PickDuplicates(std::span<const SampleRecord> records,
                                   std::span<const SampleVerdict> verdicts);

/// Two texts cut to the surroundings of what differs between them, which stands in [brackets];
/// their beginnings when nothing does. Cut at the borders of words and of UTF-8 characters.
struct MarkedTexts {
  std::string first;
  std::string second;
};
MarkedTexts MarkDifference(std::string_view first, std::string_view second);

/// A duplicate and its original with positions, distance and kind.
std::string DuplicateText(std::span<const SampleRecord> records,
                          std::span<const SampleVerdict> verdicts, size_t index);

}  // namespace neardup
