// The pairs of records by which a person judges a tuning, as HTML.
#pragma once

#include <span>
#include <string>

#include "learn/tuning.h"

namespace neardup {

/// `records` are those the tuning is of. Words that differ are in <del> and <ins>.
std::string PairsHtml(const Tuning& tuning, std::span<const RecordView> records);

}  // namespace neardup
