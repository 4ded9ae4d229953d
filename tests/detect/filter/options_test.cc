#include "neardup/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "neardup/filter.h"

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

using Change = std::function<void(FilterOptions&)>;

FilterOptions With(const Change& change) {
  FilterOptions options;
  change(options);
  return options;
}

TEST(Options, AreValidByDefault) { EXPECT_TRUE(CheckOptions(FilterOptions()).ok()); }

TEST(Options, MoreFieldsThanCanBeComparedWithEachOtherAreRefused) {
  FilterOptions options;
  for (int i = 0; i < 1000; ++i) options.record.fields.push_back({std::to_string(i)});
  EXPECT_TRUE(CheckOptions(options).ok());
  options.record.fields.push_back({"one more"});
  const Result<void> checked = CheckOptions(options);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().text,
              StartsWith("record.fields lists 1001 fields, expected at most 1000"));
  options = {};
  options.record.exclude.assign(1001, "x");
  ASSERT_FALSE(CheckOptions(options).ok());
  EXPECT_THAT(CheckOptions(options).error().text, StartsWith("record.exclude lists 1001 fields"));
}

struct Bound {
  const char* option;
  std::function<void(FilterOptions&, int64_t)> set;
  int64_t low;
  int64_t high;
};

TEST(Options, AreValidUpToTheirBoundsAndRefusedBeyond) {
  constexpr int64_t kTenYearsMs = int64_t{3653} * 24 * 3600 * 1000;
  const Bound bounds[] = {
      {"record.record_bytes_max",
       [](auto& o, int64_t v) { o.record.record_bytes_max = static_cast<size_t>(v); }, 1024,
       int64_t{1} << 30},
      {"record.depth_max", [](auto& o, int64_t v) { o.record.depth_max = static_cast<size_t>(v); },
       1, 1024},
      {"feature.features_min",
       [](auto& o, int64_t v) { o.feature.features_min = static_cast<uint32_t>(v); }, 0, 1000},
      {"match.distance_max", [](auto& o, int64_t v) { o.match.distance_max = static_cast<int>(v); },
       0, 12},
      {"match.distance_sum_max",
       [](auto& o, int64_t v) { o.match.distance_sum_max = static_cast<int>(v); }, 0, 128},
      {"match.distance_chance_max",
       [](auto& o, int64_t v) { o.match.distance_chance_max = static_cast<int>(v); }, 0, 12},
      {"match.features_per_bit",
       [](auto& o, int64_t v) { o.match.features_per_bit = static_cast<uint32_t>(v); }, 0, 100},
      {"feature.model: centre",
       [](auto& o, int64_t v) { o.model.centre[63] = static_cast<int32_t>(v); }, -65'536, 65'536},
      {"window.window_ms", [](auto& o, int64_t v) { o.window.window_ms = v; }, 1000, kTenYearsMs},
      {"window.lateness_ms", [](auto& o, int64_t v) { o.window.lateness_ms = v; }, 0, kTenYearsMs},
      {"window.ahead_max_ms", [](auto& o, int64_t v) { o.window.ahead_max_ms = v; }, 0,
       kTenYearsMs},
      {"window.entries_max",
       [](auto& o, int64_t v) { o.window.entries_max = static_cast<uint64_t>(v); }, 1000,
       1'000'000'000}};
  for (const Bound& bound : bounds) {
    const auto check = [&bound](int64_t value) {
      return CheckOptions(With([&](FilterOptions& options) { bound.set(options, value); }));
    };
    EXPECT_TRUE(check(bound.low).ok()) << bound.option;
    EXPECT_TRUE(check(bound.high).ok()) << bound.option;
    for (const int64_t value : {bound.low - 1, bound.high + 1}) {
      const auto result = check(value);
      ASSERT_FALSE(result.ok()) << bound.option << " " << value;
      EXPECT_EQ(result.error().code, ErrorCode::kConfig);
      EXPECT_THAT(result.error().text, StartsWith(bound.option));
      EXPECT_THAT(result.error().text, HasSubstr("expected"));
    }
  }
}

TEST(Options, AreRefusedForWrongSelectors) {
  const struct {
    std::vector<FieldSelector> fields;
    std::vector<std::string> exclude;
    const char* option;
  } cases[] = {{{{"", 1}}, {}, "record.fields[0]"},
               {{{"a", 1}, {"/b~", 1}}, {}, "record.fields[1] (\"/b~\")"},
               {{{"\xff", 1}}, {}, "record.fields[0]"},
               {{{"a", 1}, {"b", 1}, {"a", 2}}, {}, "record.fields[2]"},
               {{{"a", 1}, {"/a", 1}}, {}, "record.fields[1]"},
               {{{"a", 0.09}}, {}, "record.fields[0]"},
               {{{"a", 100.1}}, {}, "record.fields[0]"},
               {{{"a", std::nan("")}}, {}, "record.fields[0]"},
               {{{"a"}, {"b", 2, true}}, {}, "record.fields[1]"},
               {{{"a"}, {"a", 1, true}}, {}, "record.fields[1]"},
               {{{"a", 1, true}, {"b", 1, true}}, {}, "record.fields holds key fields only"},
               {{}, {"a", "/~2"}, "record.exclude[1]"},
               {{{"/a/b", 1}}, {"a"}, "record.exclude[0]"},
               {{{"a", 1}}, {"/a"}, "record.exclude[0]"}};
  FilterOptions options;
  for (const auto& each : cases) {
    options.record.fields = each.fields;
    options.record.exclude = each.exclude;
    const auto result = CheckOptions(options);
    ASSERT_FALSE(result.ok()) << each.option;
    EXPECT_THAT(result.error().text, StartsWith(each.option));
  }
  options = With([](auto& o) { o.record.time_field = "/t~"; });
  EXPECT_THAT(CheckOptions(options).error().text, StartsWith("record.time_field"));
}

TEST(Options, WidenRequiresTextKeys) {
  const auto result = CheckOptions(With([](auto& o) {
    o.match.widen = true;
    o.match.text_keys = false;
  }));
  ASSERT_FALSE(result.ok());
  EXPECT_THAT(result.error().text, StartsWith("match.widen requires match.text_keys"));
  EXPECT_TRUE(CheckOptions(With([](auto& o) { o.match.widen = true; })).ok());
}

TEST(Options, CommonTriplesMustBeInAscendingOrder) {
  const auto check = [](const std::vector<uint64_t>& common) {
    return CheckOptions(With([&](auto& o) { o.model.common = common; }));
  };
  EXPECT_TRUE(check({1, 2, UINT64_MAX}).ok());
  ASSERT_FALSE(check({2, 1}).ok());
  EXPECT_THAT(check({2, 1}).error().text, StartsWith("feature.model: common is not in ascending"));
}

TEST(Options, MayOverlapIfTheMeaningIsClear) {
  EXPECT_TRUE(CheckOptions(With([](FilterOptions& options) {
                options.record.fields = {{"a", 0.1}, {"/a/b", 100}};
                options.record.exclude = {"/a/c", "/a/c"};
                options.record.time_field = "/a/c";
              })).ok());
}

TEST(FingerprintSpec, IsCanonicalJsonWithSortedKeys) {
  const std::string spec = FingerprintSpec(With([](FilterOptions& options) {
    options.record.fields = {{"title", 2.0}, {"/a~1b", 0.5}};
    options.record.exclude = {"z", "/b/c", "z"};
  }));
  EXPECT_THAT(spec, StartsWith(R"({"algorithm":5,"exclude":["/b/c","/z"],"features_min":12,)"
                               R"("fields":[{"path":"/a~1b","weight16":8},)"
                               R"({"path":"/title","weight16":32}],"markup":true,)"
                               R"("model":"none","unicode":")"));
  EXPECT_EQ(nlohmann::json::parse(spec).dump(), spec);
}

TEST(FingerprintSpec, IsTheSameHoweverTheSelectionIsWritten) {
  const auto one = With([](FilterOptions& options) {
    options.record.fields = {{"a", 1}, {"/b", 1}};
    options.record.exclude = {"x", "y"};
  });
  const auto two = With([](FilterOptions& options) {
    options.record.fields = {{"b", 1}, {"/a", 1.0001}};
    options.record.exclude = {"/y", "x", "/x"};
  });
  EXPECT_EQ(FingerprintSpec(one), FingerprintSpec(two));
}

TEST(FingerprintSpec, ChangesWithEverythingThatChangesAFingerprint) {
  const auto fields = [](const std::vector<FieldSelector>& list) -> Change {
    return [list](FilterOptions& options) { options.record.fields = list; };
  };
  const Change changes[] = {fields({{"a", 1}}),
                            fields({{"a", 2}}),
                            fields({{"/a/b", 1}}),
                            fields({{"a"}, {"b"}}),
                            fields({{"a"}, {"b", 1, true}}),
                            fields({{"a", 1, true}, {"b"}}),
                            [](auto& o) { o.record.exclude = {"a"}; },
                            [](auto& o) { o.feature.features_min = 4; },
                            [](auto& o) { o.feature.markup = false; },
                            [](auto& o) { o.feature.masks.time = true; },
                            [](auto& o) { o.feature.masks.uuid = true; },
                            [](auto& o) { o.feature.masks.ip = true; },
                            [](auto& o) { o.feature.masks.hex = true; },
                            [](auto& o) { o.feature.masks.number = true; },
                            [](auto& o) {
                              o.feature.masks = Masks{true, true, true, true, true};
                            },
                            [](auto& o) { o.match.distance_max = 0; },
                            [](auto& o) { o.model.hash_seed = 1; },
                            [](auto& o) { o.model.hash_seed = uint64_t{1} << 63; },
                            [](auto& o) { o.model.centre[0] = 1; },
                            [](auto& o) { o.model.centre[0] = -1; },
                            [](auto& o) { o.model.centre[63] = 1; },
                            [](auto& o) { o.model.common = {1}; },
                            [](auto& o) {
                              o.model.common = std::vector<uint64_t>{1, 2};
                            }};
  std::set<std::string> specs = {FingerprintSpec(FilterOptions())};
  for (const Change& change : changes) specs.insert(FingerprintSpec(With(change)));
  EXPECT_EQ(specs.size(), std::size(changes) + 1);
}

TEST(FingerprintSpec, DoesNotChangeWithWhatTheExactHashDoesNotUse) {
  const auto exact = [](const Change& change) {
    return With([&](FilterOptions& options) {
      options.match.distance_max = 0;
      change(options);
    });
  };
  const std::string spec = FingerprintSpec(exact([](auto&) {}));
  const Change unused[] = {
      [](auto& o) { o.feature.features_min = 4; }, [](auto& o) { o.model.hash_seed = 1; },
      [](auto& o) { o.model.centre[0] = 1; }, [](auto& o) { o.model.common = {1}; }};
  for (const Change& change : unused) EXPECT_EQ(FingerprintSpec(exact(change)), spec);
  EXPECT_NE(FingerprintSpec(exact([](auto& o) { o.feature.masks.time = true; })), spec);
  EXPECT_NE(FingerprintSpec(exact([](auto& o) { o.record.fields = {{"a", 1}}; })), spec);
}

TEST(FingerprintSpec, DoesNotChangeWithAnythingElse) {
  const Change changes[] = {
      [](auto& o) { o.match = {.distance_max = 7, .distance_sum_max = 9, .features_per_bit = 0}; },
      [](auto& o) {
        o.window = WindowOptions{1000, 1, 1, 1000};
      },
      [](auto& o) { o.record.missing_fields = MissingFields::kAny; },
      [](auto& o) { o.record.null_value = NullValue::kUnique; },
      [](auto& o) { o.record.time_field = "t"; },
      [](auto& o) { o.record.record_bytes_max = 1024; },
      [](auto& o) { o.record.depth_max = 3; }};
  for (const Change& change : changes) {
    EXPECT_EQ(FingerprintSpec(With(change)), FingerprintSpec(FilterOptions()));
  }
}

}  // namespace
}  // namespace neardup
