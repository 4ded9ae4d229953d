// A correct world passes. Each single fault is found by the check that it violates and by no other
// check, and the violation names it.
#include "commands/verify/audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>

#include "commands/verify/audit_world.h"
#include "service/topics/topic_reading.h"

namespace neardup {
namespace {

using testing::HasSubstr;

TEST(Audit, TheNumberOfChecksCountsEveryNamedCheck) {
  std::set<std::string> names;
  for (size_t i = 0; i < kAuditCheckCount; ++i) names.insert(Name(static_cast<AuditCheck>(i)));
  EXPECT_EQ(names.size(), kAuditCheckCount);
}

TEST(Audit, ACorrectWorldPassesForEveryDistance) {
  for (int distance_max = 0; distance_max <= 12; ++distance_max) {
    SCOPED_TRACE(testing::Message() << "seed " << kWorldSeed << " distance_max " << distance_max);
    const World world({.seed = kWorldSeed, .filter = SmallFilter(distance_max), .records = 3000});
    const AuditReport report = world.Audited();
    ExpectPasses(report);
    EXPECT_EQ(report.inputs, 3000u);
    EXPECT_EQ(report.unique + report.duplicates + report.dead_letters, 3000u);
    EXPECT_GT(world.distances.count(distance_max), 0u) << "no duplicate at the bound";
    for (AuditCheck check : {AuditCheck::kHeader, AuditCheck::kCoverage, AuditCheck::kPayload,
                             AuditCheck::kRoute, AuditCheck::kSeq, AuditCheck::kDeadLetter}) {
      EXPECT_EQ(report[check].looked_at, 3000u) << Name(check);
    }
    EXPECT_EQ(report[AuditCheck::kSoundness].looked_at, report.duplicates);
  }
}

TEST(Audit, ACorrectWorldPassesInEveryStyleOfHeaders) {
  ExpectPasses(SmallWorld(HeaderStyle::kSeparate).Audited());
  ExpectPasses(SmallWorld(HeaderStyle::kFull).Audited());
}

TEST(Audit, NullValuesThatPassByPolicyAreNoViolation) {
  FilterOptions filter = SmallFilter();
  filter.record.null_value = NullValue::kUnique;
  World world({.seed = kWorldSeed, .filter = filter});
  ExpectPasses(world.Audited());
  std::string& header = world.header(world.FindOutput("unique", ";passed"));
  header = Replaced(header, ";passed", "");
  ExpectViolated(world.Audited(), {AuditCheck::kDeadLetter}, "is not marked passed");
}

TEST(Audit, ALostOutputIsFound) {
  for (const char* topic : {"unique", "duplicate", "dead-letter"}) {
    World world = SmallWorld();
    const auto spot = world.FindOutput(topic);
    auto& place = world.outputs[spot.place];
    place.erase(place.begin() + static_cast<std::ptrdiff_t>(spot.index));
    const AuditReport report = world.Audited();
    EXPECT_EQ(report[AuditCheck::kCoverage].violations, 1u);
    EXPECT_EQ(report[AuditCheck::kSeq].violations, 1u);
    EXPECT_THAT(report[AuditCheck::kCoverage].first[0].text, HasSubstr("is in no output"));
  }
}

class AuditOfASmallWorld : public testing::Test {
 protected:
  void ExpectFound(const std::vector<AuditCheck>& checks, const std::string& text) const {
    ExpectViolated(world_.Audited(), checks, text);
  }

  World world_ = SmallWorld();
};

TEST_F(AuditOfASmallWorld, ADoubledOutputIsFound) {
  const auto spot = world_.FindOutput("unique");
  world_.outputs[spot.place].push_back(world_.at(spot));
  ExpectFound({AuditCheck::kCoverage}, "repeats the record of origin");
}

TEST_F(AuditOfASmallWorld, OutputsOfASecondLaneAreNamedAsTheCause) {
  EXPECT_EQ(world_.Audited().cause, "");
  for (auto& [place, records] : world_.outputs) {
    const std::vector<StoredRecord> again = records;
    records.insert(records.end(), again.begin(), again.end());
  }
  const AuditReport report = world_.Audited();
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report.cause, HasSubstr("records of more than one lane: seq "));
  EXPECT_THAT(ReportText(report),
              HasSubstr("cause: the outputs hold records of more than one lane"));
  EXPECT_THAT(ReportText(report), Not(HasSubstr("repeats the record of origin")));
}

TEST_F(AuditOfASmallWorld, AnOutputWithoutAnInputIsFound) {
  const auto spot = world_.FindOutput("unique");
  std::string& header = world_.header(spot);
  const std::string origin = FieldOf(header, "origin");
  header = Replaced(header, "origin=" + origin, "origin=elsewhere/0/1");
  ExpectFound({AuditCheck::kCoverage, AuditCheck::kSeq},
              "origin elsewhere/0/1, which is in no input partition");
  // Offset 0 is a gap in every partition of the world_.
  header = Replaced(header, "elsewhere/0/1", origin.substr(0, origin.rfind('/')) + "/0");
  ExpectFound({AuditCheck::kCoverage, AuditCheck::kSeq}, "where there is no record");
}

TEST_F(AuditOfASmallWorld, AnOutputInTheTopicOfAnotherRouteIsFound) {
  const auto spot = world_.FindOutput("duplicate");
  world_.MoveTo(spot, "dead-letter");
  ExpectFound({AuditCheck::kRoute}, "is decided duplicate and belongs to");
}

TEST(Audit, ALaneThatObservedForAWhileKeepsItsPromises) {
  WorldOptions options;
  options.filter = SmallFilter();
  options.observes_for = 70;
  World world(options);
  ExpectViolated(world.Audited(), {AuditCheck::kRoute}, "is marked observed, but routing.mode is");
  world.audit.may_observe = true;
  const AuditReport report = world.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_GT(report.observed, 0U);
  EXPECT_LT(report.observed, report.duplicates + report.dead_letters);
}

/// A world whose lane keeps the newest record of each group.
WorldOptions NewestWorld() {
  WorldOptions options;
  options.seed = kWorldSeed;
  options.filter = SmallFilter();
  options.keeps_newest = true;
  options.late_max_ms = 1'200'000;
  return options;
}

TEST(Audit, ALaneThatKeepsTheNewestPassesInEachStyleOfHeadersKeyedByItsGroupsOrNot) {
  for (const bool keyed : {false, true}) {
    for (const HeaderStyle style :
         {HeaderStyle::kPacked, HeaderStyle::kSeparate, HeaderStyle::kFull}) {
      WorldOptions options = NewestWorld();
      options.keyed = keyed;
      options.headers = style;
      const AuditReport report = World(options).Audited();
      ExpectPasses(report);
      EXPECT_GT(report.replacing, 50U);
      EXPECT_LT(report.replacing, report.duplicates);
    }
  }
}

/// A world whose lane also keys the records of a group by its original.
World KeyedWorld() {
  WorldOptions options = NewestWorld();
  options.keyed = true;
  return World(options);
}

/// Moves the first output on topic `from` whose header has `field` to topic `to`, and renames the
/// field to `renamed`. Expects that the first violation of soundness says `text`.
void ExpectMoveFound(const std::string& from, const std::string& field, const std::string& to,
                     const std::string& renamed, const std::string& text) {
  World world(NewestWorld());
  const auto spot = world.FindOutput(from, field);
  std::string& header = world.header(spot);
  header = Replaced(header, field, renamed);
  world.Move(spot, {Replaced(spot.place.topic, from, to), spot.place.partition});
  const AuditReport report = world.Audited();
  EXPECT_FALSE(report.ok());
  EXPECT_THAT(report[AuditCheck::kSoundness].first[0].text, HasSubstr(text));
}

TEST(Audit, ADuplicateThatIsNotNewerMustNotReplace) {
  ExpectMoveFound("duplicate", ";newest=", "unique", ";replaces=", "is not later");
}

TEST(Audit, ANewerDuplicateMustReplace) {
  ExpectMoveFound("unique", ";replaces=", "duplicate",
                  ";newest=", "later, so that it should replace it");
}

TEST(Audit, ADuplicateThatNamesAnotherNewestRecordIsFound) {
  for (const char* field : {"newest", "replaces"}) {
    World world(NewestWorld());
    const auto spot =
        world.FindOutput(field == std::string("newest") ? "duplicate" : "unique", field);
    const std::string named = FieldOf(world.header(spot), field);
    world.Set(spot, field, FieldOf(world.header(spot), "origin"));
    ExpectViolated(world.Audited(), {AuditCheck::kSoundness}, ", expected " + named);
  }
}

TEST(Audit, ARecordWithTheKeyOfAnotherGroupIsFound) {
  World world = KeyedWorld();
  const auto spot = world.FindOutput("unique", ";replaces=");
  world.at(spot).key = "a.news/0/0";
  ExpectViolated(world.Audited(), {AuditCheck::kPayload}, "expected the key ");
}

TEST(Audit, TheOwnKeyOfARecordThatIsKeyedByItsGroupIsChecked) {
  World world = KeyedWorld();
  auto& headers = world.at(world.FindOutput("unique", ";keyed")).headers;
  ASSERT_EQ(headers[headers.size() - 2].first, "neardup-key");
  headers[headers.size() - 2].second = "another";
  ExpectViolated(world.Audited(), {AuditCheck::kPayload}, "its key is not as in the input");
}

TEST(Audit, ARecordInThePartitionOfAnotherGroupIsFound) {
  World world = KeyedWorld();
  const auto spot = world.FindOutput("unique", ";replaces=");
  world.Move(spot, {spot.place.topic, 5});
  ExpectViolated(world.Audited(), {AuditCheck::kRoute}, "is keyed by its group");
}

/// A world whose groups topic counts each copy when the lane decides it. `key` names a group of at
/// least three copies.
struct CountedWorld {
  CountedWorld() : world(WorldOptions{}) {
    std::map<int, std::pair<std::string, std::string>> copies;  // original and origin, by seq
    for (const auto& [place, records] : world.outputs) {
      for (const StoredRecord& record : records) {
        const std::string& header = *record.headers.back().second;
        if (header.find(";original=") == header.npos) continue;
        copies[std::stoi(FieldOf(header, "seq"))] = {FieldOf(header, "original"),
                                                     FieldOf(header, "origin")};
      }
    }
    std::map<std::string, int> counts;
    for (const auto& [seq, copy] : copies) {
      const auto& [original, last] = copy;
      const int count = ++counts[original];
      if (count == 3) key = original;
      StoredRecord& record = world.groups.emplace_back();
      record.key = original;
      record.value = nlohmann::json{
          {"original", Position(original)},
          {"last", Position(last)},
          {"copies",
           count}}.dump();
    }
    world.audit.counts_groups = true;
  }
  static nlohmann::json Position(const std::string& text) {
    const auto at = ParseTopicOffset(text);
    return {{"topic", at->partition.topic},
            {"partition", at->partition.partition},
            {"offset", at->offset}};
  }
  /// The newest record of the group.
  StoredRecord& Newest() {
    return *std::find_if(world.groups.rbegin(), world.groups.rend(),
                         [this](const StoredRecord& record) { return record.key == key; });
  }
  void Change(const char* field, const nlohmann::json& value) {
    auto group = nlohmann::json::parse(*Newest().value);
    group[field] = value;
    Newest().value = group.dump();
  }

  World world;
  std::string key;
};

TEST(Audit, TheGroupsTopicCountsTheCopiesOfTheOutputs) {
  const CountedWorld counted;
  ASSERT_NE(counted.key, "");
  const AuditReport report = counted.world.Audited();
  ExpectPasses(report);
  EXPECT_EQ(report[AuditCheck::kGroups].looked_at, counted.world.groups.size());
  EXPECT_THAT(report.notes, testing::IsEmpty());
}

TEST(Audit, AGroupThatCountsMoreCopiesThanTheOutputsHaveIsFound) {
  CountedWorld counted;
  counted.Change("copies", 1000);
  ExpectViolated(counted.world.Audited(), {AuditCheck::kGroups}, "states 1000 copies");
}

TEST(Audit, CopiesThatNoRecordOfTheGroupsTopicCountsAreNoted) {
  CountedWorld counted;
  const auto& newest = counted.Newest();
  std::erase_if(counted.world.groups,
                [&](const StoredRecord& record) { return &record == &newest; });
  const AuditReport report = counted.world.Audited();
  ExpectPasses(report);
  EXPECT_THAT(report.notes, testing::ElementsAre(HasSubstr("1 copies in the outputs are newer")));
}

TEST(Audit, AGroupThatNamesAnOriginalAsItsLastCopyIsFound) {
  CountedWorld counted;
  counted.Change("last", CountedWorld::Position(counted.key));
  ExpectViolated(counted.world.Audited(), {AuditCheck::kGroups}, "is no copy of it");
}

TEST(Audit, ARecordOfTheGroupsTopicWithAnotherKeyOrWithoutJsonIsFound) {
  CountedWorld counted;
  counted.Newest().key = "another";
  ExpectViolated(counted.world.Audited(), {AuditCheck::kGroups}, "has the key another");
  CountedWorld broken;
  broken.Newest().value = "{";
  ExpectViolated(broken.world.Audited(), {AuditCheck::kGroups}, "is no record of a group");
}

TEST(Audit, ARecordThatStatesFewerCopiesThanTheOutputsHaveIsNoted) {
  CountedWorld counted;
  for (StoredRecord& record : counted.world.groups) {
    auto group = nlohmann::json::parse(*record.value);
    group["copies"] = 1;
    record.value = group.dump();
  }
  const AuditReport report = counted.world.Audited();
  ExpectPasses(report);
  EXPECT_THAT(report.notes, testing::ElementsAre(HasSubstr("fewer copies than the outputs have")));
}

TEST_F(AuditOfASmallWorld, AsManyRecordsMayBeMissingAsTheLaneHasDropped) {
  uint64_t dropped = 0;
  for (auto& [place, records] : world_.outputs) {
    if (!place.topic.ends_with("duplicate")) continue;
    dropped += std::erase_if(records, [](const StoredRecord& record) {
      return record.headers.back().second->find("kind=exact") != std::string::npos;
    });
  }
  ASSERT_GT(dropped, 5U);
  world_.audit.dropped = dropped;
  const AuditReport report = world_.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_EQ(report.dropped, dropped);
  world_.audit.dropped = dropped - 1;
  ExpectFound({AuditCheck::kCoverage, AuditCheck::kSeq},
              "is in no output, and the lane has dropped only");
}

TEST(Audit, SuspectsAreCheckedAgainstTheirOwnRule) {
  WorldOptions options;
  options.filter = SmallFilter(2);
  options.filter.match.suspect_distance_max = 9;
  const World correct(options);
  const AuditReport report = correct.Audited();
  EXPECT_TRUE(report.ok()) << ReportText(report);
  EXPECT_GT(report.suspects, 10U);

  World farther(options);
  farther.audit.filter.match.suspect_distance_max = 3;
  ExpectViolated(farther.Audited(), {AuditCheck::kSoundness}, "is too far away for a suspect");

  World nearer(options);
  nearer.audit.filter.match.distance_max = 8;
  nearer.audit.filter.match.features_per_bit = 0;
  const AuditReport near = nearer.Audited();
  EXPECT_THAT(ReportText(near), testing::HasSubstr("is near enough for a duplicate"));
}

TEST_F(AuditOfASmallWorld, AnObservedDuplicateOutsideOfTheUniqueTopicIsFound) {
  world_.audit.may_observe = true;
  world_.header(world_.FindOutput("duplicate")) += ";observed";
  ExpectFound({AuditCheck::kRoute}, "is decided duplicate, observed, and belongs to topic");
}

TEST_F(AuditOfASmallWorld, AnOutputInAnotherPartitionIsFound) {
  const auto spot = world_.FindOutput("unique");
  world_.Move(spot, {spot.place.topic, 5});
  ExpectFound({AuditCheck::kRoute}, "comes from partition");
}

TEST(Audit, AnyChangeOfThePayloadIsFound) {
  const std::pair<std::string, void (*)(StoredRecord&)> changes[] = {
      {"key is", [](StoredRecord& record) { record.key = record.key ? *record.key + "x" : "x"; }},
      {"key is", [](StoredRecord& record) { record.key = std::nullopt; }},
      {"value is", [](StoredRecord& record) { record.value->back() = ' '; }},
      {"value is", [](StoredRecord& record) { record.value = std::nullopt; }},
      {"own headers are", [](StoredRecord& record) { record.headers[0].second = "changed"; }},
      {"own headers are", [](StoredRecord& record) { record.headers[0].first = "tracf"; }},
      {"own headers are", [](StoredRecord& record) { record.headers[1].second = ""; }},
      {"own headers are",
       [](StoredRecord& record) { record.headers.erase(record.headers.begin()); }},
      {"own headers are",
       [](StoredRecord& record) { std::swap(record.headers[0], record.headers[1]); }},
      {"own headers are",
       [](StoredRecord& record) {
         record.headers.push_back({"new", "1"});
       }},
      {"timestamp is", [](StoredRecord& record) { ++record.timestamp_ms; }},
  };
  for (const auto& [text, change] : changes) {
    World world = SmallWorld();
    auto spot = world.FindOutput("unique");
    while (!world.at(spot).key) ++spot.index;
    change(world.at(spot));
    const AuditReport report = world.Audited();
    ExpectViolated(report, {AuditCheck::kPayload}, text);
    EXPECT_EQ(report[AuditCheck::kPayload].violations, 1u);
  }
}

TEST_F(AuditOfASmallWorld, AnEmptyKeyIsNotANullKey) {
  auto spot = world_.FindOutput("unique");
  while (world_.at(spot).key) ++spot.index;
  world_.at(spot).key = "";
  ExpectFound({AuditCheck::kPayload}, "key is");
}

TEST_F(AuditOfASmallWorld, AMissingOrBrokenHeaderIsFound) {
  const auto spot = world_.FindOutput("duplicate");
  world_.header(spot) += ";late;late";
  ExpectFound({AuditCheck::kHeader, AuditCheck::kCoverage, AuditCheck::kSeq},
              "'late' occurs twice");
  world_.at(spot).headers.pop_back();
  ExpectFound({AuditCheck::kHeader, AuditCheck::kCoverage, AuditCheck::kSeq}, "no neardup header");
}

TEST(Audit, AFingerprintThatDiffersFromThePayloadIsFound) {
  World world = SmallWorld(HeaderStyle::kFull);
  world.Set(world.FindOutput("unique", "simhash="), "simhash", "0000000000000001");
  ExpectViolated(world.Audited(), {AuditCheck::kHeader}, "states another fingerprint");
}

TEST_F(AuditOfASmallWorld, AGapOrARepeatInSeqIsFound) {
  size_t records = 0;
  for (const auto& [place, stored] : world_.outputs) records += stored.size();
  const std::string last = "seq=" + std::to_string(records) + ";";
  for (auto& [place, stored] : world_.outputs) {
    for (StoredRecord& record : stored) {
      std::string& header = *record.headers.back().second;
      if (header.rfind(last, 0) == 0) header = Replaced(header, last, "seq=100000;");
    }
  }
  ExpectFound({AuditCheck::kSeq}, "has seq 100000, the one before it is");
}

TEST_F(AuditOfASmallWorld, SeqAgainstTheOrderOfAPartitionIsFound) {
  const auto first = world_.FindOutput("unique");
  const World::Spot second{first.place, first.index + 1};
  const std::string seq = FieldOf(world_.header(first), "seq");
  const std::string later_seq = FieldOf(world_.header(second), "seq");
  world_.Set(first, "seq", later_seq);
  ExpectFound({AuditCheck::kSeq, AuditCheck::kOrder}, "the one before it is");
  world_.Set(second, "seq", seq);
  const AuditReport report = world_.Audited();
  EXPECT_GT(report[AuditCheck::kOrder].violations, 0u);
  EXPECT_THAT(report[AuditCheck::kOrder].first[0].text, HasSubstr("a record before it"));
}

TEST_F(AuditOfASmallWorld, SwappedOutputsAreFound) {
  const auto spot = world_.FindOutput("duplicate");
  auto& place = world_.outputs[spot.place];
  std::swap(place[spot.index], place[spot.index + 1]);
  std::swap(place[spot.index].offset, place[spot.index + 1].offset);
  ExpectFound({AuditCheck::kOrder}, "comes after offset");
}

TEST(Audit, TwoNearUniquesAreFound) {
  for (const char* kind : {"kind=near", "kind=exact"}) {
    World world = SmallWorld();
    const auto spot = world.FindOutput("duplicate", kind);
    std::string& header = world.header(spot);
    header = header.substr(0, header.find(";original"));
    world.MoveTo(spot, "unique");
    ExpectViolated(world.Audited(), {AuditCheck::kCompleteness}, "is unique at distance");
  }
}

TEST_F(AuditOfASmallWorld, ADuplicateOfItselfIsFound) {
  const auto spot = world_.FindOutput("duplicate");
  world_.Set(spot, "original", FieldOf(world_.header(spot), "origin"));
  ExpectFound({AuditCheck::kSoundness}, "names itself");
}

TEST_F(AuditOfASmallWorld, AnOriginalThatIsNotUniqueIsFound) {
  std::string& header = world_.header(world_.FindOutput("duplicate", "kind=near"));
  const std::string field = "original=" + FieldOf(header, "original");
  for (const auto& spot :
       {world_.FindOutput("duplicate", "kind=exact"), world_.FindOutput("dead-letter")}) {
    const std::string other = FieldOf(world_.header(spot), "origin");
    const std::string before = header;
    header = Replaced(header, field, "original=" + other);
    ExpectFound({AuditCheck::kSoundness}, "is not remembered");
    header = before;
  }
  header = Replaced(header, field, "original=elsewhere/0/1");
  ExpectFound({AuditCheck::kSoundness}, "in no input partition");
}

TEST_F(AuditOfASmallWorld, AnOriginalThatComesLaterIsFound) {
  std::string later;
  for (const auto& [place, records] : world_.outputs) {
    const std::string& last = *records.back().headers.back().second;
    if (place.topic == "b_logs.unique") later = FieldOf(last, "origin");
  }
  world_.Set(world_.FindOutput("duplicate"), "original", later);
  ExpectFound({AuditCheck::kSoundness}, "not before its own");
}

TEST_F(AuditOfASmallWorld, AnOriginalTooFarInContentIsFound) {
  world_.audit.filter.match.distance_max = 1;
  const AuditReport report = world_.Audited();
  EXPECT_EQ(report[AuditCheck::kCompleteness].violations, 0u);
  EXPECT_THAT(ReportText(report), HasSubstr("is too far away: distance 2, order distance "));
}

TEST_F(AuditOfASmallWorld, AnOriginalTooFarInOrderIsFound) {
  world_.audit.filter.match.distance_sum_max = 6;
  ExpectFound({AuditCheck::kSoundness}, "is too far away: distance ");
}

TEST_F(AuditOfASmallWorld, AnOriginalTooFarForItsFewTokensIsFound) {
  world_.audit.filter.match.features_per_bit = 20;  // about 40 tokens allow 2 bits
  ExpectFound({AuditCheck::kSoundness}, " distinct tokens");
  world_.audit.filter.match.features_per_bit = 10;
  ExpectPasses(world_.Audited());
}

TEST(Audit, SharedTextKeysAllowALargerDistanceOnlyIfConfigured) {
  FilterOptions filter = SmallFilter(4);
  filter.match.widen = true;
  World world({.seed = kWorldSeed, .filter = filter, .records = 1500});
  EXPECT_GT(world.distances.count(7) + world.distances.count(8), 0U) << "no widened duplicate";
  ExpectPasses(world.Audited());
  world.audit.filter.match.widen = false;
  ExpectViolated(world.Audited(), {AuditCheck::kSoundness}, "text keys shared");
}

TEST_F(AuditOfASmallWorld, ALaneWithNeighboursMustFindMore) {
  // The world_'s filter finds all duplicates within 3 bits and none beyond. With neighbours and a
  // distance of 7 it would have to find more.
  world_.audit.filter.match.distance_max = 7;
  ExpectPasses(world_.Audited());
  world_.audit.filter.match.neighbours = true;
  ExpectFound({AuditCheck::kCompleteness}, "is unique at distance");
}

TEST_F(AuditOfASmallWorld, AWrongDistanceOrKindIsFound) {
  std::string& header = world_.header(world_.FindOutput("duplicate", "distance=2"));
  const std::string before = header;
  header = Replaced(before, "distance=2", "distance=1");
  ExpectFound({AuditCheck::kSoundness}, "states distance 1");
  header = Replaced(before, "kind=near", "kind=exact");
  ExpectFound({AuditCheck::kSoundness}, "states kind exact");
}

TEST_F(AuditOfASmallWorld, AnOriginalOutsideTheWindowIsFound) {
  const auto spot = world_.FindOutput("duplicate");
  const int64_t apart_ms = world_.audit.filter.window.window_ms * 3;
  world_.at(spot).timestamp_ms += apart_ms;
  world_.input_of(spot).timestamp_ms += apart_ms;
  ExpectFound({AuditCheck::kSoundness}, "ms away, expected at most ");
  world_.header(spot) += ";clamped";
  ExpectPasses(world_.Audited());
}

TEST_F(AuditOfASmallWorld, ADeadLetterThatCouldBeComparedIsFound) {
  const auto spot = world_.FindOutput("unique");
  world_.header(spot) += ";reason=parse";
  world_.MoveTo(spot, "dead-letter");
  EXPECT_THAT(ReportText(world_.Audited()), HasSubstr("states the reason parse, recomputed: none"));
}

TEST_F(AuditOfASmallWorld, AWrongReasonIsFound) {
  world_.Set(world_.FindOutput("dead-letter", "reason=not_object"), "reason", "parse");
  ExpectFound({AuditCheck::kDeadLetter}, "states the reason parse, recomputed: not_object");
}

TEST_F(AuditOfASmallWorld, ABadRecordAmongTheUniquesIsFound) {
  const auto spot = world_.FindOutput("dead-letter", "reason=not_object");
  std::string& header = world_.header(spot);
  header = header.substr(0, header.find(";reason"));
  world_.MoveTo(spot, "unique");
  ExpectFound({AuditCheck::kDeadLetter}, "is decided unique, but cannot be compared: not_object");
}

TEST_F(AuditOfASmallWorld, ADuplicateThatIsMarkedReleasedIsFoundUnlessTheSettingsRelease) {
  const auto spot = world_.FindOutput("duplicate");
  world_.header(spot) += ";released";
  world_.MoveTo(spot, "unique");
  EXPECT_THAT(ReportText(world_.Audited()), HasSubstr("but the settings release no duplicates"));
  world_.audit.may_release = true;
  EXPECT_THAT(ReportText(world_.Audited()),
              Not(HasSubstr("but the settings release no duplicates")));
}

TEST(Audit, ADeadLetterByReferenceNeedsNoPayload) {
  for (const char* reason : {"too_large", "undeliverable"}) {
    World world = SmallWorld();
    const auto spot = world.FindOutput("dead-letter", "reason=parse");
    StoredRecord& record = world.at(spot);
    record.key = std::nullopt;
    record.value = std::nullopt;
    record.headers.erase(record.headers.begin(), record.headers.end() - 1);
    std::string& header = world.header(spot);
    const std::string before = header;
    header = Replaced(header, "reason=parse", std::string("reason=") + reason);
    if (reason == std::string("too_large")) {
      ExpectViolated(world.Audited(), {AuditCheck::kPayload},
                     "but the input record is smaller than 1 KiB");
      world.input_of(spot).value = "{" + std::string(1024, 'x');
    }
    ExpectPasses(world.Audited());
    header = before;
    EXPECT_GT(world.Audited()[AuditCheck::kPayload].violations, 0u) << "for any other reason";
  }
}

TEST_F(AuditOfASmallWorld, OnlyTheFirstViolationsAreKeptAndAllAreCounted) {
  uint64_t lost = 0;
  for (auto& [place, records] : world_.outputs) {
    if (place.topic == "a.news.unique") lost += std::exchange(records, {}).size();
  }
  const AuditReport report = world_.Audited();
  ASSERT_GT(lost, kViolationsKept);
  EXPECT_EQ(report[AuditCheck::kCoverage].violations, lost);
  EXPECT_EQ(report[AuditCheck::kCoverage].first.size(), kViolationsKept);
  EXPECT_THAT(ReportText(report),
              HasSubstr("and " + std::to_string(lost - kViolationsKept) + " more"));
}

}  // namespace
}  // namespace neardup
