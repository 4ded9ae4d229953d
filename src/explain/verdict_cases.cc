#include "explain/verdict_cases.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "detect/record/json_syntax.h"
#include "explain/explain_text.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

/// The names of ExpectedVerdict.
constexpr std::array kExpected = {"unique", "duplicate", "exact", "near", "dead-letter"};

Error Wrong(const std::string& file, size_t line, const std::string& what) {
  return Fatal(ErrorCode::kBadInput, fmt::format("{}:{}: {}", file, line, what));
}

/// A record as the filter reads it; nothing if it has another type.
bool ReadRecord(const Json& json, std::string& record) {
  if (json.is_string()) {
    record = json.get<std::string>();
  } else if (json.is_object()) {
    record = json.dump();
  } else {
    return false;
  }
  return true;
}

/// A pair of `neardup filter --pairs` as a case; another line as it is.
Json AsCase(Json line) {
  if (!line.is_object() || !line.contains("original") || !line.contains("duplicate")) return line;
  const auto record = [&line](const char* name) {
    return line[name].is_object() ? line[name].value("record", Json()) : Json();
  };
  Json as_case = {{"a", record("original")}, {"b", record("duplicate")}, {"expect", "duplicate"}};
  if (line.contains("expect")) as_case["expect"] = line["expect"];
  return as_case;
}

Result<VerdictCase> ParseCase(std::string_view text, const std::string& file, size_t line) {
  const Json json = NestsDeeperThan(text) ? Json() : AsCase(Json::parse(text, nullptr, false));
  VerdictCase parsed;
  parsed.line = line;
  if (!json.is_object()) {
    return Wrong(file, line, R"(expected {"a": record, "b": record, "expect": verdict})");
  }
  for (const auto& [key, value] : json.items()) {
    if (key == "a" || key == "b") {
      if (!ReadRecord(value, key == "a" ? parsed.a : parsed.b)) {
        return Wrong(file, line, fmt::format("{}: expected a record, found {}", key, value.dump()));
      }
    } else if (key == "expect") {
      const auto known = std::ranges::find(kExpected, value);
      if (known == kExpected.end()) {
        return Wrong(file, line,
                     fmt::format("expect: expected one of {}, found {}", fmt::join(kExpected, ", "),
                                 value.dump()));
      }
      parsed.expected = static_cast<ExpectedVerdict>(known - kExpected.begin());
    } else if (key == "name" && value.is_string()) {
      parsed.name = value.get<std::string>();
    } else {
      return Wrong(file, line, fmt::format("expected name, a, b and expect, found {}", key));
    }
  }
  for (const char* key : {"a", "b", "expect"}) {
    if (!json.contains(key)) return Wrong(file, line, fmt::format("{} is missing", key));
  }
  return parsed;
}

bool Fits(ExpectedVerdict expected, const Verdict& verdict) {
  const bool duplicate = verdict.decision == Decision::kDuplicate;
  switch (expected) {
    case ExpectedVerdict::kUnique:
      return verdict.decision == Decision::kUnique;
    case ExpectedVerdict::kDuplicate:
      return duplicate;
    case ExpectedVerdict::kExact:
      return duplicate && verdict.match.kind == MatchKind::kExact;
    case ExpectedVerdict::kNear:
      return duplicate && verdict.match.kind == MatchKind::kNear;
    case ExpectedVerdict::kDeadLetter:
      return verdict.decision == Decision::kDeadLetter;
  }
  return false;
}

std::string FoundText(const Verdict& verdict) {
  switch (verdict.decision) {
    case Decision::kUnique:
      return "unique";
    case Decision::kDuplicate:
      return fmt::format("{} duplicate, distance {}", Name(verdict.match.kind),
                         verdict.match.distance);
    case Decision::kDeadLetter:
      return fmt::format("dead letter: {}", Name(verdict.outcome.reason));
  }
  return "";
}

std::string WhyText(const VerdictCase& each, ExplainReport report) {
  const PairExplanation& explained = report.explained;
  for (const auto& [name, record] : {std::pair("a", &explained.a), std::pair("b", &explained.b)}) {
    const ReadOutcome& outcome = record->fingerprinted.outcome;
    if (!outcome.comparable()) return fmt::format("{} cannot be compared: {}", name, outcome.error);
  }
  std::string text = ReasonSentence(report);
  std::vector<std::string> changes;
  for (const VerdictChange& change : explained.changes) {
    if (Fits(each.expected, change.verdict)) changes.push_back(ChangeText(change));
  }
  if (!changes.empty()) {
    text += fmt::format(" It would be as expected with {}.", fmt::join(changes, ", or with "));
  }
  return text;
}

}  // namespace

const char* Name(ExpectedVerdict expected) { return kExpected[static_cast<size_t>(expected)]; }

Result<std::vector<VerdictCase>> ParseVerdictCases(std::string_view text, const std::string& file) {
  std::vector<VerdictCase> cases;
  for (size_t number = 1; !text.empty(); ++number) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
    NEARDUP_ASSIGN(VerdictCase parsed, ParseCase(line, file, number));
    cases.push_back(std::move(parsed));
  }
  if (cases.empty()) return Wrong(file, 1, "the file holds no case");
  return cases;
}

Result<CaseOutcome> RunCase(const VerdictCase& each, const FilterOptions& options) {
  const RecordView a{{0, 0}, 0, each.a};
  const RecordView b{{0, 1}, 0, each.b};
  NEARDUP_ASSIGN(PairExplanation explained, ExplainPair(options, a, b));
  CaseOutcome outcome;
  outcome.as_expected = Fits(each.expected, explained.verdict);
  outcome.found = FoundText(explained.verdict);
  if (!outcome.as_expected) {
    outcome.reason = WhyText(each, {"a", "b", options, std::move(explained), {}});
  }
  return outcome;
}

}  // namespace neardup
