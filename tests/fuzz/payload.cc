// A payload under one of 17 sets of options: fingerprints do not depend on what was computed
// before, look-up and decision apart give the verdict of a decision, and a unique record is found
// when it comes again.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <utility>
#include <vector>

#include "fuzz/fuzz_target.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

using Fields = std::vector<FieldSelector>;

/// What each set of options has of its own.
constexpr void (*kOptionSets[])(FilterOptions&) = {
    [](FilterOptions&) {},
    [](FilterOptions& o) {
      o.record.fields = Fields{{"title", 1.0}, {"text", 2.5}};
    },
    [](FilterOptions& o) {
      o.record.fields = Fields{{"/a/b", 1.0}, {"/a/0", 100.0}};
    },
    [](FilterOptions& o) {
      o.record.fields = Fields{{"title", 1.0}, {"id", 1.0, true}};
    },
    [](FilterOptions& o) {
      o.record.exclude = std::vector<std::string>{"id", "/a/b"};
    },
    [](FilterOptions& o) {
      o.record.fields = Fields{{"title", 1.0}, {"text", 1.0}};
      o.record.missing_fields = MissingFields::kAny;
    },
    [](FilterOptions& o) { o.record.null_value = NullValue::kUnique; },
    [](FilterOptions& o) { o.record.time_field = "time"; },
    [](FilterOptions& o) {
      o.record.time_field = "/a/time";
      o.record.time_format = TimeFormat::kMilliseconds;
    },
    [](FilterOptions& o) {
      o.record.time_field = "time";
      o.record.time_format = TimeFormat::kSeconds;
    },
    [](FilterOptions& o) { o.record.depth_max = 3; },
    [](FilterOptions& o) { o.feature.markup = false; },
    [](FilterOptions& o) {
      o.feature.masks = Masks{true, true, true, true, true};
    },
    [](FilterOptions& o) { o.feature.features_min = 0; },
    [](FilterOptions& o) {
      o.match.text_keys = false;
      o.match.neighbours = true;
    },
    [](FilterOptions& o) { o.match.widen = true; },
    [](FilterOptions& o) { o.match.distance_max = 0; }};

FilterOptions OptionsOf(size_t number) {
  FilterOptions options;
  options.window.entries_max = 1000;
  options.record.record_bytes_max = 65536;
  kOptionSets[number](options);
  return options;
}

std::unique_ptr<Filter> NewFilter(const FilterOptions& options) {
  Result<std::unique_ptr<Filter>> filter = Filter::New(options);
  Require(filter.ok(), "a set of options is refused");
  return std::move(*filter);
}

/// Made once for each set, because an index takes memory.
struct Filters {
  explicit Filters(const FilterOptions& options)
      : fingerprinter(options), whole(NewFilter(options)), parted(NewFilter(options)) {}

  Fingerprinter fingerprinter;
  std::unique_ptr<Filter> whole;   ///< decides in one call
  std::unique_ptr<Filter> parted;  ///< looks up first
};

Filters& FiltersOf(size_t number) {
  static std::array<std::unique_ptr<Filters>, std::size(kOptionSets)> filters;
  if (!filters[number]) filters[number] = std::make_unique<Filters>(OptionsOf(number));
  return *filters[number];
}

bool Equal(const FingerprintedRecord& a, const FingerprintedRecord& b) {
  if (a.outcome.reason != b.outcome.reason || a.outcome.error != b.outcome.error) return false;
  if (a.outcome.passed != b.outcome.passed) return false;
  return !a.outcome.comparable() ||
         (a.outcome.time_ms == b.outcome.time_ms && a.fingerprint == b.fingerprint &&
          a.text_keys == b.text_keys && a.features == b.features);
}

bool Equal(const Verdict& a, const Verdict& b) {
  return a.decision == b.decision && a.outcome.reason == b.outcome.reason && a.late == b.late &&
         a.clamped == b.clamped && (a.decision != Decision::kDuplicate || a.match == b.match);
}

Verdict DecideBoth(Filters& filters, const FingerprintedRecord& record) {
  LookedUp found;
  filters.parted->LookUp({&record, 1}, {&found, 1});
  const Verdict verdict = filters.whole->Decide(record);
  Require(Equal(verdict, filters.parted->Decide(record, found)),
          "a decision after a look-up differs from one without");
  return verdict;
}

std::vector<std::string> Seeds() {
  const std::vector<std::string> payloads = {
      R"({"title":"Harbour bridge closed","text":"<b>The bridge</b> near 12:30 &amp; 10.0.0.1"})",
      R"({"a":{"b":"one two three","time":1700000000000},"id":"7"})",
      R"({"a":["x",1,2.5e3,true,null],"title":"\u00e9\ud83d\ude00 e\u0301"})",
      R"({"time":"2026-01-31T12:00:00Z","title":"a b c d e f g h i j k l m n o p"})",
      R"({"time":1700000000.5,"title":"中文 新闻 标题"})",
      R"({"title":"123e4567-e89b-12d3-a456-426614174000 0xdeadbeef 1,234.50"})",
  };
  std::vector<std::string> seeds;
  for (size_t i = 0; i < std::size(kOptionSets); ++i) {
    seeds.push_back(std::string(1, static_cast<char>(i)) + payloads[i % payloads.size()]);
  }
  return seeds;
}

void Run(std::string_view text) {
  if (text.empty()) return;
  Filters& filters = FiltersOf(static_cast<uint8_t>(text[0]) % std::size(kOptionSets));
  // A copy that ends with the payload, so that a sanitiser sees any read beyond it.
  const std::vector<char> copy(text.begin() + 1, text.end());
  const RecordView payload{{0, 0}, 1'700'000'000'000, std::string_view(copy.data(), copy.size())};
  const FingerprintedRecord first = filters.fingerprinter.Compute(payload);
  Require((first.outcome.reason == Reason::kNone) == first.outcome.error.empty(),
          "a record without a reason has an error, or one with a reason has none");
  FingerprintedRecord second = filters.fingerprinter.Compute(payload);
  Require(Equal(first, second), "the second fingerprint of a payload differs from the first");
  second.position.offset = 1;
  const Verdict verdict = DecideBoth(filters, first);
  const Verdict again = DecideBoth(filters, second);
  if (verdict.decision == Decision::kUnique && first.outcome.comparable()) {
    Require(again.decision == Decision::kDuplicate && again.match.original.offset == 0,
            "a unique record was not found when it came again");
  }
  filters.whole->Rollback();
  filters.parted->Rollback();
  Require(filters.whole->entries() == 0, "a rollback left entries");
}

}  // namespace

extern const FuzzTarget kPayloadTarget{"payload", Seeds, Run};

}  // namespace neardup
