#include "stream/files/file_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "detect/base/growth_limit.h"
#include "detect/base/temporary_folder.h"
#include "stream/files/whole_file.h"

namespace neardup {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::string Gzip(const std::string& text) {
  z_stream stream = {};
  EXPECT_EQ(deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY),
            Z_OK);
  std::string out(deflateBound(&stream, text.size()) + 64, '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string Zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  const size_t size = ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 1);
  EXPECT_EQ(ZSTD_isError(size), 0U);
  out.resize(size);
  return out;
}

class FileSourceTest : public testing::Test {
 protected:
  Result<std::vector<std::string>> Read(const std::string& bytes) {
    std::ofstream(folder_ / "f", std::ios::binary) << bytes;
    return ReadRecords((folder_ / "f").string());
  }
  std::vector<std::string> Lines(const std::string& bytes) {
    const Result<std::vector<std::string>> read = Read(bytes);
    EXPECT_TRUE(read.ok()) << read.error().text;
    return read.ok() ? *read : std::vector<std::string>();
  }
  /// The lines, each with the number of bytes that were left out.
  std::vector<std::pair<std::string, uint64_t>> CutLines(const std::string& bytes, size_t most) {
    std::ofstream(folder_ / "f", std::ios::binary) << bytes;
    const auto source = FileSource::Open((folder_ / "f").string(), most);
    EXPECT_TRUE(source.ok());
    std::vector<std::pair<std::string, uint64_t>> lines;
    while (!(*source)->exhausted()) {
      std::vector<Message> messages;
      const Result<void> polled = (*source)->Poll(3, 1000, messages);
      EXPECT_TRUE(polled.ok());
      for (const Message& message : messages) {
        EXPECT_EQ(message.position.offset, static_cast<int64_t>(lines.size()));
        lines.emplace_back(message.value.value_or("?"), message.bytes_left_out);
      }
    }
    return lines;
  }
  std::string ErrorOf(const std::string& bytes) {
    const Result<std::vector<std::string>> read = Read(bytes);
    EXPECT_FALSE(read.ok());
    return read.ok() ? "" : read.error().text;
  }

  const TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

TEST_F(FileSourceTest, SplitsLines) {
  EXPECT_THAT(Lines(""), IsEmpty());
  EXPECT_THAT(Lines("a"), ElementsAre("a"));
  EXPECT_THAT(Lines("a\n\nb\r\n"), ElementsAre("a", "", "b\r"));
}

TEST_F(FileSourceTest, DropsAByteOrderMarkAtTheBeginningOnly) {
  EXPECT_THAT(Lines("\xEF\xBB\xBF"), IsEmpty());
  EXPECT_THAT(Lines("\xEF\xBB\xBF\n"), ElementsAre(""));
  EXPECT_THAT(Lines("\xEF\xBB\xBF{}\n\xEF\xBB\xBF{}\n"), ElementsAre("{}", "\xEF\xBB\xBF{}"));
  EXPECT_THAT(Lines("\xEF\xBB"), ElementsAre("\xEF\xBB"));
  EXPECT_THAT(Lines(Gzip("\xEF\xBB\xBF{}\n")), ElementsAre("{}"));
}

TEST_F(FileSourceTest, ReadsGzipOfSeveralMembersAndPadding) {
  std::string large;
  for (int i = 0; i < 300'000; ++i) large += std::to_string(i) + "\n";
  EXPECT_EQ(Lines(Gzip(large)).size(), 300'000U);
  EXPECT_THAT(Lines(Gzip("a\n") + Gzip("") + Gzip("b\nc")), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Lines(Gzip("a\n") + std::string(1000, '\0')), ElementsAre("a"));
  EXPECT_THAT(Lines("\x1f"), ElementsAre("\x1f"));
}

TEST_F(FileSourceTest, RefusesOtherBytesBehindGzip) {
  for (const std::string& rest :
       {std::string("{\"id\":1}\n"), std::string("x"), std::string("\x1f")}) {
    EXPECT_THAT(ErrorOf(Gzip("a\nb\n") + rest),
                HasSubstr("found other bytes after the end of the gzip data"));
  }
  EXPECT_THAT(ErrorOf(Gzip("a\n") + std::string(10, '\0') + "x"), HasSubstr("found other bytes"));
}

TEST_F(FileSourceTest, RefusesGzipThatIsCutOrDamaged) {
  const std::string whole = Gzip("a\nb\n");
  for (size_t size = 2; size < whole.size(); ++size) {
    EXPECT_THAT(ErrorOf(whole.substr(0, size)), HasSubstr("in the middle of the gzip data"))
        << size;
  }
  std::string damaged = whole;
  damaged[damaged.size() - 6] ^= 1;
  EXPECT_THAT(ErrorOf(damaged), HasSubstr("damaged gzip data (incorrect data check)"));
}

TEST_F(FileSourceTest, ReadsZstdOfSeveralFramesAndSkippedOnes) {
  std::string large;
  for (int i = 0; i < 300'000; ++i) large += std::to_string(i) + "\n";
  EXPECT_EQ(Lines(Zstd(large)).size(), 300'000U);
  EXPECT_THAT(Lines(Zstd("a\n") + Zstd("") + Zstd("b\nc")), ElementsAre("a", "b", "c"));
  const std::string skipped("\x5f\x2a\x4d\x18\x03\0\0\0xyz", 11);
  EXPECT_THAT(Lines(skipped + Zstd("a\n") + skipped), ElementsAre("a"));
  EXPECT_THAT(Lines(Zstd("\xEF\xBB\xBF{}\n")), ElementsAre("{}"));
  // Beginnings that a compressed file could have.
  EXPECT_THAT(Lines("("), ElementsAre("("));
  EXPECT_THAT(Lines("P"), ElementsAre("P"));
  EXPECT_THAT(Lines("P*M"), ElementsAre("P*M"));
}

TEST_F(FileSourceTest, RefusesZstdThatIsCutOrDamagedOrGoesOnWithoutCompression) {
  std::string text;
  for (int i = 0; i < 100; ++i) text += "line " + std::to_string(i) + "\n";
  const std::string whole = Zstd(text);
  for (size_t size = 4; size < whole.size(); ++size) {
    EXPECT_THAT(ErrorOf(whole.substr(0, size)), HasSubstr("in the middle of the zstd data"))
        << size;
  }
  std::string damaged = whole;
  damaged[4] ^= 0x18;  // reserved and size bits of the header of the frame
  EXPECT_THAT(ErrorOf(damaged), HasSubstr("zstd data"));
  EXPECT_THAT(ErrorOf(whole + "{}\n"), HasSubstr("after the end of the zstd data"));
  EXPECT_THAT(ErrorOf(whole + Gzip("a\n")), HasSubstr("after the end of the zstd data"));
}

TEST_F(FileSourceTest, NamesAFileThatCannotHoldJsonLines) {
  const auto code_of = [this](const std::string& bytes) { return Read(bytes).error().code; };
  EXPECT_THAT(
      ErrorOf("[\n  {\"a\": 1},\n  {\"a\": 2}\n]\n"),
      HasSubstr("found a JSON array, expected JSON Lines, with one JSON object on each line; "
                "write each element as a record of its own, for instance with jq -c '.[]'"));
  EXPECT_THAT(ErrorOf("[{\"a\": 1},\n{\"a\": 2}]\n"), HasSubstr("found a JSON array"));
  EXPECT_THAT(ErrorOf("PAR1\x15\x04"), HasSubstr("found a Parquet file"));
  EXPECT_THAT(ErrorOf("Obj\x01 avro.schema"), HasSubstr("avro-tools tojson"));
  EXPECT_THAT(ErrorOf("\xfd"
                      "7zXZ"),
              HasSubstr("xz -dc"));
  EXPECT_THAT(ErrorOf(Gzip(Gzip("{}\n"))), HasSubstr("found gzip data"));
  EXPECT_EQ(code_of("[\n"), ErrorCode::kBadInput);
  EXPECT_THAT(ErrorOf("{\"a\": 1}\n,{\"a\": 2}\n,{\"a\": 3}\n"),
              HasSubstr("found JSON objects with commas"));
  EXPECT_THAT(ErrorOf("\xef\xbb\xbfx = [{}];\n"), HasSubstr("tail -c +8 FILE"));
}

TEST_F(FileSourceTest, OneDamagedLineDoesNotTellTheFormat) {
  EXPECT_THAT(Lines("{}\n[\n"), ElementsAre("{}", "["));
  EXPECT_THAT(Lines("{\n{}\n"), ElementsAre("{", "{}"));
  EXPECT_THAT(Lines("[1, 2]\n{}\n"), ElementsAre("[1, 2]", "{}"));
  EXPECT_THAT(Lines("[info] started,\n"), ElementsAre("[info] started,"));
}

TEST_F(FileSourceTest, AFileThatGrowsIsReadAsFarAsItWentWhenItWasOpened) {
  const std::string large(size_t{3} << 20, 'x');  // several reads
  struct Case {
    std::string before;
    std::string after;
    std::vector<std::string> lines;
  };
  const Case cases[] = {
      {"a\nb\n", "c\nd\n", {"a", "b"}},
      {"a\nb", "c\nd\n", {"a", "bc"}},  // a writer in the middle of a line
      {"a\nb", "c", {"a", "bc"}},       // and still there at the end
      {"a\n", "", {"a"}},
      {"a\n" + large, large + "\nd\n", {"a", large + large}},
      {"a\n" + large + "\n", large + "\n", {"a", large}},
      {"", "a\n", {"a"}},  // pseudo files, such as those in /proc, claim to be empty
  };
  for (const Case& each : cases) {
    const std::string path = (folder_ / "f").string();
    std::ofstream(path, std::ios::binary) << each.before;
    const auto source = FileSource::Open(path);
    ASSERT_TRUE(source.ok());
    std::ofstream(path, std::ios::binary | std::ios::app) << each.after;
    std::vector<Message> messages;
    while (!(*source)->exhausted()) ASSERT_TRUE((*source)->Poll(10, 1000, messages).ok());
    std::vector<std::string> lines;
    for (const Message& message : messages) lines.emplace_back(message.value.value_or("?"));
    EXPECT_EQ(lines, each.lines) << each.before.substr(0, 10);
  }
}

TEST_F(FileSourceTest, SaysWhyAFileCannotBeOpened) {
  const Result<std::vector<std::string>> absent = ReadRecords((folder_ / "absent").string());
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().code, ErrorCode::kNotFound);
  EXPECT_EQ(absent.error().text,
            (folder_ / "absent").string() + ": cannot be opened: No such file or directory");
  EXPECT_EQ(ReadRecords(folder_.string()).error().text,
            folder_.string() + ": found a folder, expected a file");
}

TEST_F(FileSourceTest, KeepsOnlyTheBeginningOfALineThatIsTooLong) {
  constexpr size_t kMost = 100;
  constexpr size_t kMiB = size_t{1} << 20;  // the source reads so much at a time
  std::string bytes;
  std::vector<std::string> expected;
  // A complete line that is read at once may be longer; one that is longer than a read is cut.
  for (const size_t length : {size_t{0}, kMost, kMost + 1, 3 * kMiB, size_t{7}, kMiB - 1, kMiB,
                              kMiB + 1, 2 * kMiB + 50, size_t{3}}) {
    expected.emplace_back(length, static_cast<char>('a' + expected.size()));
    bytes += expected.back() + "\n";
  }
  bytes.pop_back();  // the last line may lack its end
  for (const std::string& file : {bytes, Gzip(bytes)}) {
    const auto lines = CutLines(file, kMost);
    ASSERT_EQ(lines.size(), expected.size());
    size_t cut = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      const auto& [line, left_out] = lines[i];
      ASSERT_EQ(line.size() + left_out, expected[i].size()) << "line " << i;
      ASSERT_EQ(line, expected[i].substr(0, line.size())) << "line " << i;
      if (left_out == 0) continue;
      ++cut;
      EXPECT_EQ(line.size(), kMost + 1) << "line " << i;
    }
    EXPECT_GE(cut, 3U);
  }
}

TEST_F(FileSourceTest, ALineOfAGibibyteInAGzipFileTakesLittleMemory) {
  constexpr size_t kLine = size_t{1} << 30;
  const std::string path = (folder_ / "f").string();
  gzFile out = gzopen(path.c_str(), "wb1");
  ASSERT_NE(out, nullptr);
  const std::string part(size_t{1} << 20, 'x');
  for (size_t written = 0; written < kLine; written += part.size()) {
    ASSERT_GT(gzwrite(out, part.data(), static_cast<unsigned>(part.size())), 0);
  }
  ASSERT_GT(gzputs(out, "\nshort\n"), 0);
  ASSERT_EQ(gzclose(out), Z_OK);
  const GrowthLimit limit(size_t{64} << 20);
  const auto source = FileSource::Open(path, 1000);
  ASSERT_TRUE(source.ok());
  std::vector<Message> messages;
  while (!(*source)->exhausted()) ASSERT_TRUE((*source)->Poll(10, 1000, messages).ok());
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[0].value->size() + messages[0].bytes_left_out, kLine);
  EXPECT_EQ(messages[1].value, "short");
}

}  // namespace
}  // namespace neardup
