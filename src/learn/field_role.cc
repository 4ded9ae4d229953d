#include <array>
#include <cstdio>
#include <utility>

#include "learn/field_study.h"

namespace neardup {
namespace {

constexpr double kNearlyAll = 0.9;
constexpr double kConstantShare = 0.95;
/// Fewer records prove no constant.
constexpr size_t kConstantRecords = 10;
constexpr double kRareShare = 0.01;
/// Fewer tokens than this say little by themselves: names, labels, numbers.
constexpr double kTextTokens = 8;
constexpr size_t kLabelsMax = 100;

std::string Number(double value, const char* format) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string PerCent(double share) { return Number(100 * share, "%.3g") + " %"; }

std::pair<FieldRole, std::string> Judge(const FieldFacts& facts) {
  if (facts.records == 0) return {FieldRole::kConstant, "null or empty in every record"};
  if (facts.flags >= kConstantShare && facts.values <= 2) {
    return {FieldRole::kFlag, "a flag: true, false and the like in " + PerCent(facts.flags)};
  }
  if (facts.times >= kNearlyAll) {
    return {FieldRole::kTime,
            "a time of day in " + PerCent(facts.times) + ": copies of a record differ in it"};
  }
  if (facts.present < kRareShare) {
    return {FieldRole::kRare, "stands in only " + PerCent(facts.present) + " of the records"};
  }
  if (facts.records >= kConstantRecords && facts.most_frequent >= kConstantShare) {
    return {FieldRole::kConstant,
            "one value in " + PerCent(facts.most_frequent) + " of the records tells none apart"};
  }
  if (facts.distinct >= kNearlyAll && facts.words >= kNearlyAll) {
    const bool number = facts.numbers >= kNearlyAll;
    return {FieldRole::kIdentifier, std::string("looks like an identifier: one ") +
                                        (number ? "number" : "word") + ", different in " +
                                        PerCent(facts.distinct) + " of the records"};
  }
  const std::string tokens = Number(facts.tokens_mean, "%.3g") + " tokens in the mean";
  const bool words = facts.words >= kNearlyAll;  // addresses have many tokens, too
  if (facts.tokens_mean >= kTextTokens && !words) return {FieldRole::kText, "text of " + tokens};
  if (facts.numbers >= kNearlyAll) return {FieldRole::kShortText, "a number"};
  if (facts.values <= kLabelsMax && facts.distinct < kNearlyAll) {
    return {FieldRole::kShortText, "one of " + std::to_string(facts.values) + " values"};
  }
  return {FieldRole::kShortText, (words ? "one word of " : "short text of ") + tokens};
}

}  // namespace

const char* Name(FieldRole role) {
  switch (role) {
    case FieldRole::kText:
      return "text";
    case FieldRole::kShortText:
      return "short text";
    case FieldRole::kIdentifier:
      return "identifier";
    case FieldRole::kTime:
      return "time";
    case FieldRole::kConstant:
      return "constant";
    case FieldRole::kFlag:
      return "flag";
    case FieldRole::kRare:
      return "rare";
  }
  return "rare";
}

StudiedField JudgeField(FieldFacts facts) {
  auto [role, reason] = Judge(facts);
  return {std::move(facts), role, std::move(reason)};
}

}  // namespace neardup
