// Version and names.
#include <array>

#include "neardup/neardup.h"
#include "neardup/verdict.h"

namespace {

constexpr const char* kUnknown = "unknown";
constexpr std::array kStatusNames = {"ok",      "invalid_argument", "out_of_memory", "busy",
                                     "broken",  "config",           "not_found",     "io",
                                     "corrupt", "mismatch",         "internal"};
static_assert(kStatusNames.size() == NEARDUP_INTERNAL + 1);

static_assert(NEARDUP_UNIQUE == static_cast<int>(neardup::Decision::kUnique));
static_assert(NEARDUP_DUPLICATE == static_cast<int>(neardup::Decision::kDuplicate));
static_assert(NEARDUP_DEAD_LETTER == static_cast<int>(neardup::Decision::kDeadLetter));
static_assert(NEARDUP_EXACT == static_cast<int>(neardup::MatchKind::kExact));
static_assert(NEARDUP_NEAR == static_cast<int>(neardup::MatchKind::kNear));

}  // namespace

const char* neardup_version() noexcept { return NEARDUP_VERSION; }

const char* neardup_status_name(int status) noexcept {
  const bool known = status >= 0 && status < static_cast<int>(kStatusNames.size());
  return known ? kStatusNames[static_cast<size_t>(status)] : kUnknown;
}

const char* neardup_decision_name(int decision) noexcept {
  const bool known = decision >= NEARDUP_UNIQUE && decision <= NEARDUP_DEAD_LETTER;
  return known ? neardup::Name(static_cast<neardup::Decision>(decision)) : kUnknown;
}

const char* neardup_kind_name(int kind) noexcept {
  const bool known = kind == NEARDUP_EXACT || kind == NEARDUP_NEAR;
  return known ? neardup::Name(static_cast<neardup::MatchKind>(kind)) : kUnknown;
}

const char* neardup_reason_name(int reason) noexcept {
  const bool known = reason >= 0 && reason < neardup::kReasonCount;
  return known ? neardup::Name(static_cast<neardup::Reason>(reason)) : kUnknown;
}
