// The text of a manifest: what is written is read back, anything else is refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <string>
#include <vector>

#include "detect/base/hash.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

using testing::HasSubstr;

SnapshotManifest Example() {
  return {.number = 7,
          .lane = 3,
          .spec = R"({"algorithm":2,"fields":["/täxt"]})",
          .written_ms = 1'700'000'000'123,
          .changelog = {},
          .end = {.offset = 4711, .checksum = 0x0123456789abcdef},
          .seq = 90,
          .segments = {{.number = 4,
                        .bytes = 1000,
                        .checksum = UINT64_MAX,
                        .entries = 20,
                        .seq_first = 31,
                        .changelog_offset = 4000,
                        .time_max_ms = -5},
                       {.number = 6,
                        .bytes = 8,
                        .checksum = 0,
                        .entries = 0,
                        .seq_first = 91,
                        .changelog_offset = 4700,
                        .time_max_ms = INT64_MIN}}};
}

std::string WithChecksum(const std::string& line) {
  char checksum[20];
  std::snprintf(checksum, sizeof checksum, "%016llx",
                static_cast<unsigned long long>(Hash64(line)));
  return line + "\n" + checksum + "\n";
}

constexpr const char* kExampleLine =
    R"({"neardup_snapshot":1,"number":7,"lane":3,)"
    R"("spec":"{\"algorithm\":2,\"fields\":[\"/täxt\"]}","written_ms":1700000000123,)"
    R"("changelog":{"offset":4711,"checksum":"0123456789abcdef"},"seq":90,"segments":[)"
    R"({"number":4,"bytes":1000,"checksum":"ffffffffffffffff","entries":20,"seq_first":31,)"
    R"("changelog_offset":4000,"time_max_ms":-5},)"
    R"({"number":6,"bytes":8,"checksum":"0000000000000000","entries":0,"seq_first":91,)"
    R"("changelog_offset":4700,"time_max_ms":null}]})";

TEST(SnapshotManifest, AManifestIsTwoLinesAsDocumented) {
  EXPECT_EQ(Encode(Example()), WithChecksum(kExampleLine));
}

TEST(SnapshotManifest, NamesItsChangelogIfThatIsKnown) {
  SnapshotManifest named = Example();
  named.changelog = "news-changelog/3";
  const std::string text = Encode(named);
  EXPECT_THAT(text, HasSubstr(R"("changelog":{"name":"news-changelog/3","offset":4711,)"));
  const Result<SnapshotManifest> decoded = DecodeSnapshotManifest(text);
  ASSERT_TRUE(decoded.ok()) << decoded.error().text;
  EXPECT_EQ(*decoded, named);
}

TEST(SnapshotManifest, DecodesToWhatWasEncoded) {
  const Result<SnapshotManifest> read = DecodeSnapshotManifest(Encode(Example()));
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(*read, Example());
  EXPECT_EQ(read->entries(), 20U);
  EXPECT_EQ(read->bytes(), 1008U);
}

TEST(SnapshotManifest, RefusesWhatNeardupWouldNotWriteEvenWithAValidChecksum) {
  const std::vector<std::pair<std::string, std::string>> changes = {
      {R"("number":7)", R"("number":-7)"},
      {R"("number":7)", R"("number":7.0)"},
      {R"("number":7)", R"("number":"7")"},
      {R"("number":7,)", ""},
      {R"("number":7)", R"("number":7,"number":7)"},
      {R"("number":7)", R"("number": 7)"},
      {R"("number":7)", R"("more":0,"number":7)"},
      {R"("lane":3)", R"("lane":65539)"},
      {R"("spec":"{)", R"("spec":"\u007b)"},
      {"0123456789abcdef", "123456789abcdef"},
      {"0123456789abcdef", "0123456789ABCDEF"},
      {"0123456789abcdef", "0123456789abcdeg"},
      {"0123456789abcdef", "00000123456789abcdef"},
      {R"("changelog":{)", R"("changelog":[)"},
      {R"({"offset":4711,"checksum":"0123456789abcdef"})", "null"},
      {R"("bytes":1000)", R"("bytes":18446744073709551616)"},
      {R"("time_max_ms":-5)", R"("time_max_ms":-9223372036854775808)"},
      {R"("time_max_ms":-5)", R"("time_max_ms":false)"},
  };
  for (const auto& [from, to] : changes) {
    SCOPED_TRACE(to);
    std::string line = kExampleLine;
    ASSERT_NE(line.find(from), std::string::npos);
    line.replace(line.find(from), from.size(), to);
    const Result<SnapshotManifest> read = DecodeSnapshotManifest(WithChecksum(line));
    ASSERT_FALSE(read.ok());
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
    EXPECT_THAT(read.error().text, HasSubstr("manifest of a snapshot: "));
  }
}

TEST(SnapshotManifest, RefusesAFileThatIsNotAManifest) {
  SnapshotManifest no_segments = Example();
  no_segments.segments.clear();
  for (const std::string& text :
       {std::string(), std::string("\n"), std::string(kExampleLine), WithChecksum(""),
        WithChecksum("[]"), WithChecksum("{"), WithChecksum("7"), WithChecksum("\"\xff\""),
        Encode(no_segments), Encode(Example()) + "\n"}) {
    const Result<SnapshotManifest> read = DecodeSnapshotManifest(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kCorrupt);
  }
}

TEST(SnapshotManifest, AnotherVersionIsAMismatch) {
  for (const char* line : {"{}", R"({"neardup_snapshot":2})", R"({"neardup_snapshot":"1"})"}) {
    const Result<SnapshotManifest> read = DecodeSnapshotManifest(WithChecksum(line));
    ASSERT_FALSE(read.ok()) << line;
    EXPECT_EQ(read.error().code, ErrorCode::kMismatch);
    EXPECT_THAT(read.error().text, HasSubstr("another version of neardup"));
  }
}

}  // namespace
}  // namespace neardup
