// Records with different keys never match. Records with the same key match as if there were no key.
#include <gtest/gtest.h>

#include <bit>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/hash.h"
#include "detect/base/letter_word.h"
#include "detect/feature/mask.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr uint32_t kSeed = 20260131;

FilterOptions Keyed(const std::vector<std::string>& texts, const std::vector<std::string>& keys) {
  FilterOptions options;
  for (const std::string& path : texts) options.record.fields.push_back({path});
  for (const std::string& path : keys) options.record.fields.push_back({path, 1.0, true});
  return options;
}

FingerprintedRecord Compute(const FilterOptions& options, std::string_view payload) {
  Fingerprinter fingerprinter(options);
  const FingerprintedRecord record = fingerprinter.Compute({{0, 1}, 0, payload});
  EXPECT_EQ(record.outcome.reason, Reason::kNone) << record.outcome.error;
  return record;
}

std::string Record(const std::string& text, const std::string& members) {
  return R"({"text":")" + text + R"(",)" + members + "}";
}

const char* const kText =
    "the old stone bridge over the river was opened to walkers again on Monday";

int Distance(uint64_t a, uint64_t b) { return std::popcount(a ^ b); }

TEST(KeyFields, ChangeSimhashOrderAndTextKeys) {
  const FilterOptions plain = Keyed({"text"}, {});
  const FilterOptions keyed = Keyed({"text"}, {"user"});
  const std::string payload = Record(kText, R"("user":"Ann B.")");
  const FingerprintedRecord without = Compute(plain, payload);
  const FingerprintedRecord with = Compute(keyed, payload);
  // Computed by hand: the key is the ExactHash of one text at /user.
  const uint64_t sum = Hash64("ann b ", Hash64("user", 0));
  char bytes[8];
  for (int i = 0; i < 8; ++i) bytes[i] = static_cast<char>(sum >> (8 * i));
  const uint64_t key = Hash64({bytes, sizeof bytes});
  EXPECT_EQ(with.fingerprint.simhash, without.fingerprint.simhash ^ Mix64(key));
  EXPECT_EQ(with.fingerprint.order, without.fingerprint.order ^ Mix64(key + 1));
  EXPECT_EQ(with.features, without.features);
  EXPECT_NE(with.fingerprint.exact, without.fingerprint.exact);
  EXPECT_EQ(with.fingerprint.exact,
            Compute(Keyed({"text", "user"}, {}), payload).fingerprint.exact);
  for (const uint32_t text_key : with.text_keys.keys()) {
    for (const uint32_t other : without.text_keys.keys()) EXPECT_NE(text_key, other);
  }
  EXPECT_EQ(with.text_keys.keys().size(), without.text_keys.keys().size());
}

TEST(KeyFields, OfOneWordAreComparedAsTheyAre) {
  const FilterOptions options = Keyed({"text"}, {"unit"});
  const auto of = [&](const std::string& unit) {
    return Compute(options, Record(kText, R"("unit":")" + unit + R"(")")).fingerprint;
  };
  const Fingerprint first = of("mW");
  EXPECT_EQ(of(" mW "), first);
  for (const char* other : {"MW", "mw", "Mw", "mW.", "<b>mW</b>"}) {
    EXPECT_GT(Distance(of(other).simhash, first.simhash), 12) << other;
    EXPECT_NE(of(other).exact, first.exact) << other;
  }
  EXPECT_EQ(of("mW  (Peak)"), of("mw peak"));
}

TEST(KeyFields, OfSeveralWordsAreEqualIfTheirTokensAreWhereverTheyStand) {
  const FilterOptions options = Keyed({"text"}, {"user", "/meta/page", "tags"});
  const auto of = [&](const std::string& members) {
    return Compute(options, Record(kText, members)).fingerprint;
  };
  const Fingerprint first = of(R"("user":"Ann B.","meta":{"page":12.0},"tags":["x","y"])");
  EXPECT_EQ(of(R"("tags":["x","y"],"meta":{"page":12},"user":"<b>ANN</b> b")"), first);
  EXPECT_EQ(of(R"("tags":["x","y"],"meta":{"page":"12"},"more":7,"user":"ann  b!","other":"z")"),
            first);
  for (const char* other : {R"("user":"Ann C.","meta":{"page":12},"tags":["x","y"])",
                            R"("user":"Ann B.","meta":{"page":13},"tags":["x","y"])",
                            R"("user":"Ann B.","meta":{"page":12},"tags":["y","x"])",
                            R"("user":"Ann B.","meta":{"page":12},"tags":["x"])",
                            R"("user":"Ann B.","meta":{"page":12})",
                            R"("user":"12","meta":{"page":"Ann B."},"tags":["x","y"])"}) {
    EXPECT_GT(Distance(of(other).simhash, first.simhash), 12) << other;
    EXPECT_GT(Distance(of(other).order, first.order), 12) << other;
    EXPECT_NE(of(other).exact, first.exact) << other;
  }
}

TEST(KeyFields, MissingNullAndEmptyKeysAreEqual) {
  const FilterOptions options = Keyed({"text"}, {"user"});
  const Fingerprint missing = Compute(options, Record(kText, R"("a":1)")).fingerprint;
  EXPECT_EQ(Compute(options, Record(kText, R"("user":null)")).fingerprint, missing);
  EXPECT_EQ(Compute(options, Record(kText, R"("user":"")")).fingerprint, missing);
  EXPECT_NE(Compute(options, Record(kText, R"("user":"x")")).fingerprint, missing);
  FilterOptions strict = options;
  strict.record.missing_fields = MissingFields::kAny;
  EXPECT_EQ(Fingerprinter(strict).Compute({{}, 0, Record(kText, R"("a":1)")}).outcome.reason,
            Reason::kMissingField);
}

TEST(KeyFields, DoNotCountAsFeatures) {
  FilterOptions options = Keyed({"text"}, {"user"});
  options.feature.features_min = 3;
  const char* const user = R"("user":"a name of very many words that are no text")";
  const FingerprintedRecord two = Compute(options, Record("one two", user));
  EXPECT_EQ(two.features, 2U);
  EXPECT_EQ(two.fingerprint.simhash, two.fingerprint.exact);
  EXPECT_TRUE(two.text_keys.keys().empty());
  const FingerprintedRecord none = Compute(options, Record("", user));
  EXPECT_EQ(none.features, 0U);
  EXPECT_EQ(none.fingerprint.simhash, none.fingerprint.exact);
  const FingerprintedRecord three = Compute(options, Record("one two three", user));
  EXPECT_EQ(three.features, 3U);
  EXPECT_NE(three.fingerprint.simhash, three.fingerprint.exact);
}

TEST(KeyFields, AreNotMasked) {
  FilterOptions options = Keyed({"text"}, {"host"});
  options.feature.masks = kAllMasks;
  const auto of = [&](const std::string& text, const std::string& host) {
    return Compute(options, Record(text, R"("host":")" + host + R"(")")).fingerprint;
  };
  const std::string line = std::string(kText) + " after ";
  EXPECT_EQ(of(line + "12 days", "10.0.0.1"), of(line + "7 days", "10.0.0.1"));
  EXPECT_GT(
      Distance(of(line + "12 days", "10.0.0.1").simhash, of(line + "12 days", "10.0.0.2").simhash),
      12);
}

/// Texts at many distances from each other, each with a key.
struct Stream {
  std::vector<std::string> payloads;
  std::vector<size_t> keys;
};

Stream RandomStream(uint32_t seed, size_t records, size_t keys) {
  std::mt19937 random(seed);
  Stream stream;
  for (size_t i = 0; i < records; ++i) {
    std::string text;
    const size_t base = random() % 4;
    for (size_t word = 0; word < 14 + base; ++word) {
      const bool edited = random() % 24 == 0;
      text += LetterWord(100 * base + word + (edited ? random() % 90 : 0)) + " ";
    }
    const size_t key = random() % keys;
    stream.keys.push_back(key);
    stream.payloads.push_back(Record(text, R"("user":"u)" + std::to_string(key) + R"(")"));
  }
  return stream;
}

std::vector<Verdict> DecideAll(const FilterOptions& options,
                               const std::vector<std::string>& lines) {
  auto filter = Filter::New(options);
  EXPECT_TRUE(filter.ok());
  Fingerprinter fingerprinter(options);
  std::vector<Verdict> verdicts;
  for (size_t i = 0; i < lines.size(); ++i) {
    const Position position{0, static_cast<int64_t>(i)};
    verdicts.push_back((*filter)->Decide(fingerprinter.Compute({position, 0, lines[i]})));
  }
  return verdicts;
}

bool IsDuplicate(const Verdict& verdict) { return verdict.decision == Decision::kDuplicate; }

std::vector<MatchOptions> AllMatchOptions() {
  std::vector<MatchOptions> all;
  for (int distance_max = 0; distance_max <= 12; ++distance_max) {
    for (const bool text_keys : {false, true}) {
      for (const bool neighbours : {false, true}) {
        MatchOptions match;
        match.distance_max = distance_max;
        match.distance_sum_max = 128;
        match.features_per_bit = 0;
        match.text_keys = text_keys;
        match.widen = text_keys;
        match.neighbours = neighbours;
        all.push_back(match);
      }
    }
  }
  return all;
}

TEST(KeyFieldsModel, RecordsWithDifferentKeysNeverMatch) {
  const Stream stream = RandomStream(kSeed, 600, 40);
  size_t near = 0;
  for (const MatchOptions& match : AllMatchOptions()) {
    FilterOptions options = Keyed({"text"}, {"user"});
    options.match = match;
    const std::vector<Verdict> verdicts = DecideAll(options, stream.payloads);
    for (size_t i = 0; i < verdicts.size(); ++i) {
      if (!IsDuplicate(verdicts[i])) continue;
      near += verdicts[i].match.distance > 0 ? 1 : 0;
      const auto original = static_cast<size_t>(verdicts[i].match.original.offset);
      ASSERT_EQ(stream.keys[i], stream.keys[original]) << "seed " << kSeed << " record " << i;
    }
  }
  EXPECT_GT(near, 1000U);
}

TEST(KeyFieldsModel, RecordsWithOneKeyMatchAsIfThereWereNoKey) {
  const Stream stream = RandomStream(kSeed + 1, 400, 1);
  size_t duplicates = 0;
  for (const MatchOptions& match : AllMatchOptions()) {
    if (match.text_keys) continue;  // with a key, other triples are chosen
    FilterOptions keyed = Keyed({"text"}, {"user"});
    FilterOptions plain = Keyed({"text"}, {});
    keyed.match = match;
    plain.match = match;
    const std::vector<Verdict> with = DecideAll(keyed, stream.payloads);
    const std::vector<Verdict> without = DecideAll(plain, stream.payloads);
    for (size_t i = 0; i < with.size(); ++i) {
      ASSERT_EQ(IsDuplicate(with[i]), IsDuplicate(without[i])) << "seed " << kSeed;
      ASSERT_EQ(with[i].match.original, without[i].match.original) << "seed " << kSeed;
      ASSERT_EQ(with[i].match.distance, without[i].match.distance) << "seed " << kSeed;
      duplicates += IsDuplicate(with[i]) ? 1 : 0;
    }
  }
  EXPECT_GT(duplicates, 1000U);
}

TEST(KeyFieldsModel, PairsWithOneKeyAreAsFarApartAsWithoutIt) {
  const Stream stream = RandomStream(kSeed + 2, 60, 3);
  Fingerprinter keyed(Keyed({"text"}, {"user"}));
  Fingerprinter plain(Keyed({"text"}, {}));
  std::vector<std::pair<Fingerprint, Fingerprint>> both;
  for (const std::string& payload : stream.payloads) {
    both.emplace_back(keyed.Compute({{}, 0, payload}).fingerprint,
                      plain.Compute({{}, 0, payload}).fingerprint);
  }
  for (size_t i = 0; i < both.size(); ++i) {
    for (size_t j = 0; j < i; ++j) {
      if (stream.keys[i] != stream.keys[j]) continue;
      EXPECT_EQ(Distance(both[i].first.simhash, both[j].first.simhash),
                Distance(both[i].second.simhash, both[j].second.simhash));
      EXPECT_EQ(Distance(both[i].first.order, both[j].first.order),
                Distance(both[i].second.order, both[j].second.order));
    }
  }
}

}  // namespace
}  // namespace neardup
