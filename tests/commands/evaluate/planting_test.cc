#include "commands/evaluate/planting.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "neardup/filter.h"

namespace neardup {
namespace {

using nlohmann::json;
using testing::HasSubstr;

constexpr size_t kRecords = 60;

/// Synthetic articles, English and Chinese in turn. Each has a nested text, and a number that is
/// not compared.
std::vector<std::string> Articles() {
  const std::vector<std::string> english = {"harbour", "bridge", "falcon",  "orchard", "tunnel",
                                            "museum",  "ferry",  "glacier", "violin",  "compass"};
  const std::vector<std::string> chinese = {"港", "桥", "鹰", "园", "隧",
                                            "博", "渡", "冰", "琴", "针"};
  std::vector<std::string> articles;
  for (size_t i = 0; i < kRecords; ++i) {
    const bool latin = i % 2 == 0;
    const auto& words = latin ? english : chinese;
    SeededRandom random(i + 1);
    std::string body;
    for (int sentence = 0; sentence < 4; ++sentence) {
      for (int word = 0; word < 12; ++word) {
        body += (latin && word > 0 ? " " : "") + random.Pick(words);
      }
      body += latin ? ". " : "。";
    }
    json article = {{"id", "r" + std::to_string(i)}, {"title", random.Pick(words)}, {"views", i}};
    article["text"]["body"] = body;
    articles.push_back(article.dump());
  }
  return articles;
}

PlantingOptions AllKinds(size_t copies) {
  PlantingOptions options;
  options.fields = {"title", "/text/body"};
  options.copies = copies;
  for (const EditKind kind : kEditKinds) {
    options.edits.push_back({kind, HasStrength(kind) ? 10 : 0});
  }
  return options;
}

std::string BodyOf(const json& record) { return record["text"]["body"]; }

TEST(PlantCopies, LabelsEveryRecordOfTheStream) {
  const auto planted = PlantCopies(Articles(), AllKinds(220));
  ASSERT_TRUE(planted.ok()) << planted.error().text;
  ASSERT_EQ(planted->labels.size(), planted->payloads.size());
  EXPECT_EQ(planted->payloads.size(), kRecords + 220);
  EXPECT_TRUE(planted->not_planted.empty());
  std::map<std::string, std::string> cluster_of;
  std::map<std::string, uint64_t> kinds;
  for (size_t i = 0; i < planted->labels.size(); ++i) {
    const Label& label = planted->labels[i];
    EXPECT_EQ(json::parse(planted->payloads[i])["id"], label.id);
    EXPECT_TRUE(cluster_of.emplace(label.id, label.cluster).second) << label.id;
    ++kinds[label.kind];
    if (label.kind == "original") continue;
    ASSERT_TRUE(cluster_of.count(label.original)) << "the original comes before " << label.id;
    EXPECT_EQ(cluster_of[label.original], label.cluster);
  }
  EXPECT_EQ(kinds["original"], kRecords);
  for (const auto& [kind, count] : planted->planted) {
    EXPECT_EQ(count, 20) << kind;
    EXPECT_EQ(kinds[kind], 20) << kind;
  }
}

TEST(PlantCopies, KeepsTheOriginalsAndTheirOrder) {
  const std::vector<std::string> articles = Articles();
  const auto planted = PlantCopies(articles, AllKinds(80));
  ASSERT_TRUE(planted.ok());
  std::vector<std::string> originals;
  for (size_t i = 0; i < planted->labels.size(); ++i) {
    if (planted->labels[i].kind == "original") originals.push_back(planted->payloads[i]);
  }
  EXPECT_EQ(originals, articles);
}

TEST(PlantCopies, EditsEachCopyAsItsKindSays) {
  const auto planted = PlantCopies(Articles(), AllKinds(400));
  ASSERT_TRUE(planted.ok());
  std::map<std::string, json> by_id;
  for (const std::string& payload : planted->payloads) {
    const json record = json::parse(payload);
    by_id[record["id"]] = record;
  }
  for (const Label& label : planted->labels) {
    if (label.original.empty()) continue;
    json copy = by_id[label.id];
    json original = by_id[label.original];
    copy.erase("id");
    original.erase("id");
    const std::string after = BodyOf(copy);
    const std::string before = BodyOf(original);
    EXPECT_EQ(copy == original, label.kind == "exact");
    EXPECT_EQ(copy["views"], original["views"]) << "is not compared, therefore not edited";
    if (label.kind == "reordered") {
      EXPECT_EQ(after.size(), before.size());
    }
    if (label.kind == "inserted-10") {
      EXPECT_GT(copy.dump().size(), original.dump().size());
    }
    if (label.kind == "deleted-10") {
      EXPECT_LT(copy.dump().size(), original.dump().size());
    }
    if (label.kind == "sentence-drop") {
      EXPECT_LT(after.size(), before.size());
    }
    if (label.kind == "reordered" || label.kind == "sentence-drop") {
      EXPECT_EQ(copy["title"], original["title"]);
    }
    if (label.kind == "format") {
      EXPECT_THAT(after, testing::StartsWith("<p>"));
      EXPECT_NE(copy.dump(), original.dump());
    }
    if (label.kind == "field-change") {
      EXPECT_EQ(after, before);
      EXPECT_NE(copy["title"], original["title"]);
    }
  }
}

TEST(PlantCopies, GivesEqualStreamsForEqualSeedsOnly) {
  PlantingOptions options = AllKinds(100);
  const auto first = PlantCopies(Articles(), options);
  const auto second = PlantCopies(Articles(), options);
  options.seed = 2;
  const auto other = PlantCopies(Articles(), options);
  ASSERT_TRUE(first.ok() && second.ok() && other.ok());
  EXPECT_EQ(first->payloads, second->payloads);
  EXPECT_EQ(LabelsText(first->labels), LabelsText(second->labels));
  EXPECT_NE(first->payloads, other->payloads);
}

TEST(PlantCopies, PutsRecordsThatWereEqualBeforeIntoOneCluster) {
  std::vector<std::string> articles = Articles();
  json again = json::parse(articles[3]);
  again["id"] = "again";
  articles.push_back(again.dump());
  const auto planted = PlantCopies(articles, AllKinds(0));
  ASSERT_TRUE(planted.ok());
  EXPECT_EQ(planted->labels.back().kind, "natural-exact");
  EXPECT_EQ(planted->labels.back().cluster, planted->labels[3].cluster);
  EXPECT_NE(planted->labels[2].cluster, planted->labels[3].cluster);
}

TEST(PlantCopies, GivesRecordsWithoutAnIdTheirLineNumber) {
  PlantingOptions options = AllKinds(4);
  options.id_field = "name";
  const auto planted = PlantCopies(Articles(), options);
  ASSERT_TRUE(planted.ok());
  EXPECT_EQ(planted->labels[0].id, "1");
  EXPECT_EQ(json::parse(planted->payloads[0])["name"], "1");
}

TEST(PlantCopies, LeavesOutDeadLettersAndNamesTheFirst) {
  std::vector<std::string> articles = Articles();
  articles.insert(articles.begin() + 2, {"{", R"({"id":"empty"})"});
  const auto planted = PlantCopies(articles, AllKinds(10));
  ASSERT_TRUE(planted.ok());
  EXPECT_EQ(planted->left_out, 2);
  EXPECT_THAT(planted->first_left_out, HasSubstr("line 3: "));
  EXPECT_EQ(planted->payloads.size(), kRecords + 10);
}

TEST(PlantCopies, CountsCopiesThatNoRecordAllows) {
  PlantingOptions options = AllKinds(0);
  options.fields = {"title"};  // one word, one sentence, one field
  options.edits = {{EditKind::kExact, 0}, {EditKind::kReordered, 0}, {EditKind::kFieldChange, 0}};
  options.copies = 9;
  const auto planted = PlantCopies(Articles(), options);
  ASSERT_TRUE(planted.ok());
  EXPECT_EQ(planted->planted, (std::map<std::string, uint64_t>{{"exact", 3}}));
  EXPECT_EQ(planted->not_planted,
            (std::map<std::string, uint64_t>{{"reordered", 3}, {"field-change", 3}}));
}

TEST(PlantCopies, NamesWhatItCannotLabel) {
  std::vector<std::string> articles = Articles();
  PlantingOptions options = AllKinds(1);
  const auto error = [&] {
    const auto planted = PlantCopies(articles, options);
    return planted.ok() ? "" : planted.error().text;
  };
  options.id_field = "title";
  EXPECT_THAT(error(), HasSubstr("--id-field title: this field is compared too"));
  options.id_field = "id";
  articles.push_back(articles[4]);
  EXPECT_THAT(error(), HasSubstr("line 61: the id r4 is on line 5 too"));
  articles = {"{", "[]"};
  EXPECT_THAT(error(), HasSubstr("none of the 2 lines can be compared"));
}

TEST(PlantCopies, KeepsTheExactHashOfCopiesWithLargeNumbers) {
  // The JSON library cannot write the large number as it was; the labels must be right all the
  // same.
  PlantingOptions options;
  options.fields = {"n", "text"};
  options.edits = {{EditKind::kExact, 0}};
  options.copies = 20;
  const std::vector<std::string> records = {
      R"({"id":"a","n":123456789012345678901234567890,"text":"one two three"})",
      R"({"id":"b","n":7,"text":"four five six"})"};
  const auto planted = PlantCopies(records, options);
  ASSERT_TRUE(planted.ok());
  FilterOptions filter;
  filter.record.fields = {{"n", 1.0}, {"text", 1.0}};
  Fingerprinter fingerprinter(filter);
  std::map<std::string, uint64_t> exact_of_cluster;
  for (size_t i = 0; i < planted->payloads.size(); ++i) {
    const auto record = fingerprinter.Compute({{}, 0, planted->payloads[i]});
    const auto [first, is_new] =
        exact_of_cluster.emplace(planted->labels[i].cluster, record.fingerprint.exact);
    EXPECT_EQ(first->second, record.fingerprint.exact) << planted->payloads[i];
  }
  EXPECT_EQ(exact_of_cluster.size(), 2);
}

}  // namespace
}  // namespace neardup
