#include "learn/model_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <utility>

#include "detect/base/temporary_folder.h"

namespace neardup {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

Model SomeModel() {
  Model model;
  model.hash_seed = UINT64_MAX;
  for (int bit = 0; bit < 64; ++bit) model.centre[bit] = bit * 2000 - 65'536;
  model.common = {0, 1, 0x0123456789abcdef, UINT64_MAX};
  return model;
}

std::string Replaced(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(ModelFile, ReadsBackEveryModel) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 200; ++round) {
    Model model;
    model.hash_seed = random() >> (random() % 64);
    for (int32_t& value : model.centre) value = static_cast<int32_t>(random() % 131'073) - 65'536;
    uint64_t triple = random() % 10;
    for (uint64_t n = random() % 50; n > 0; --n) {
      model.common.push_back(triple);
      triple += 1 + random() % (UINT64_MAX / 100);
    }
    const Result<Model> read = ParseModel(ModelText(model), "m");
    ASSERT_TRUE(read.ok()) << "round " << round << ": " << read.error().text;
    ASSERT_EQ(*read, model) << "round " << round;
  }
  EXPECT_EQ(*ParseModel(ModelText(Model()), "m"), Model());
  EXPECT_EQ(*ParseModel(ModelText(SomeModel()), "m"), SomeModel());
}

TEST(ModelFile, ReadsBackTheStandingTexts) {
  Model model = SomeModel();
  EXPECT_THAT(ModelText(model), Not(HasSubstr("standing"))) << "without any, there is no list";
  model.standing = {0, 0x00000000deadbeef, 0xfedcba9876543210, UINT64_MAX};
  EXPECT_EQ(*ParseModel(ModelText(model), "m"), model);
  EXPECT_NE(*ParseModel(ModelText(model), "m"), SomeModel());
  StreamProfile profile;
  profile.records = 300;
  EXPECT_EQ(*ParseModel(ModelText(model, profile), "m"), model);
}

TEST(ModelFile, RefusesStandingTextsThatAreNotAscendingHashes) {
  Model model = SomeModel();
  model.standing = {7, 0xfedcba9876543210};
  const std::string good = ModelText(model);
  const std::string first = "0000000000000007";
  const std::string second = "fedcba9876543210";
  const std::pair<std::string, std::string> cases[] = {
      {Replaced(good, second, first), "standing: found \"" + first + "\", expected 16"},
      {Replaced(good, second, "0000000000000006"), "larger than those before"},
      {Replaced(good, second, "FEDCBA9876543210"), "expected 16 lower-case hexadecimal digits"},
      {Replaced(good, "\"" + second + "\"", "8"), "standing: found 8, expected 16"},
      {Replaced(good, "\"standing\": [", "\"standing\": 7, \"other\": ["),
       "standing: expected a list of texts"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<Model> read = ParseModel(text, "m");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kConfig);
    EXPECT_THAT(read.error().text, HasSubstr(expected));
  }
}

// FORMAT: existing model files look like this.
TEST(ModelFile, ReadsTheDocumentedFormat) {
  std::string centre;
  for (int bit = 0; bit < 64; ++bit) centre += std::to_string(bit - 32) + (bit < 63 ? "," : "");
  const Result<Model> read = ParseModel(
      R"({"made_by":"a person","neardup_model":1,"hash_seed":7,"centre":[)" + centre +
          R"(],"common":["00000000000000ff","fedcba9876543210"],"sample":{"records":3}})",
      "m");
  ASSERT_TRUE(read.ok()) << read.error().text;
  EXPECT_EQ(read->hash_seed, 7U);
  EXPECT_EQ(read->centre[0], -32);
  EXPECT_EQ(read->centre[63], 31);
  EXPECT_EQ(read->common, (std::vector<uint64_t>{0xff, 0xfedcba9876543210}));
}

TEST(ModelFile, NamesWhatIsWrong) {
  const std::string good = ModelText(SomeModel());
  const std::pair<std::string, std::string> cases[] = {
      {"", "not JSON (byte 1), expected a model"},
      {"[]", "expected a JSON object"},
      {good + "x", "not JSON (byte "},
      {"{}", "neardup_model: found nothing, expected 1"},
      {Replaced(good, "\"neardup_model\": 1", "\"neardup_model\": 2"),
       "neardup_model: found 2, expected 1"},
      {Replaced(good, "\"neardup_model\": 1", "\"neardup_model\": \"1\""),
       "neardup_model: found \"1\", expected 1"},
      {Replaced(good, "hash_seed", "seed"), "hash_seed: expected a whole number, 0 or more"},
      {Replaced(good, "18446744073709551615", "-1"), "hash_seed: expected a whole number"},
      {Replaced(good, "18446744073709551615", "18446744073709551616"),
       "hash_seed: expected a whole number"},
      {Replaced(good, "centre", "center"), "centre: expected a list of 64 numbers"},
      {Replaced(good, "  -65536,\n", ""), "centre: expected a list of 64 numbers"},
      {Replaced(good, "-65536", "-65536, 0"), "centre: expected a list of 64 numbers"},
      {Replaced(good, "-65536", "-65537"), "centre[0]: found -65537, expected a whole number from"},
      {Replaced(good, "-65536", "65537"), "centre[0]: found 65537, expected"},
      {Replaced(good, "-65536", "1.5"), "centre[0]: found 1.5, expected"},
      {Replaced(good, "-65536", "18446744073709551615"), "centre[0]: found 18446744073709551615"},
      {Replaced(good, "-65536", "\"1\""), "centre[0]: found \"1\", expected"},
      {Replaced(good, "common", "commons"), "common: expected a list of texts"},
      {Replaced(good, "\"0000000000000001\"", "1"), "common: found 1, expected 16"},
      {Replaced(good, "\"0000000000000001\"", "\"1\""), "common: found \"1\", expected 16"},
      {Replaced(good, "0123456789abcdef", "0123456789ABCDEF"),
       "expected 16 lower-case hexadecimal digits"},
      {Replaced(good, "0123456789abcdef", "0000000000000001"), "larger than those before"},
  };
  for (const auto& [text, expected] : cases) {
    const Result<Model> read = ParseModel(text, "folder/m.json");
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_EQ(read.error().code, ErrorCode::kConfig);
    EXPECT_THAT(read.error().text, StartsWith("folder/m.json: "));
    EXPECT_THAT(read.error().text, HasSubstr(expected));
    EXPECT_THAT(read.error().text, HasSubstr("make one with `neardup tune`"));
  }
}

TEST(ModelFile, RefusesWhatIsNestedTooDeep) {
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  for (const char* key : {"neardup_model", "centre"}) {
    const Result<Model> read = ParseModel("{\"" + std::string(key) + "\":" + deep + "}", "m");
    ASSERT_FALSE(read.ok());
    EXPECT_THAT(read.error().text, HasSubstr("nested deeper than 1024 levels"));
  }
}

TEST(ModelFile, RefusesEveryTruncatedModel) {
  const std::string good = ModelText(SomeModel());
  for (size_t size = 0; size + 2 < good.size(); ++size) {  // the last two are "}\n"
    ASSERT_FALSE(ParseModel(std::string_view(good).substr(0, size), "m").ok()) << size;
  }
}

TEST(ModelFile, ReadsFiles) {
  const TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  const std::filesystem::path file = folder / "m.json";
  std::ofstream(file) << ModelText(SomeModel());
  EXPECT_EQ(*ReadModel(file), SomeModel());
  const Result<Model> absent = ReadModel(folder / "absent.json");
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.error().text,
            (folder / "absent.json").string() + ": cannot be read: No such file or directory");
  EXPECT_FALSE(ReadModel(folder).ok()) << "a folder is no model";
}

TEST(ModelFile, MayHoldAProfileThatOtherReadersIgnore) {
  StreamProfile profile;
  profile.options = UINT64_MAX;
  profile.records = 300;
  profile.unique = 295;
  profile.fields = {{"text", 290, 280}};
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("profile" + std::to_string(getpid()));
  const auto write = [&path](const std::string& text) { std::ofstream(path) << text; };
  write(ModelText(SomeModel(), profile));
  EXPECT_EQ(*ReadModel(path), SomeModel());
  EXPECT_EQ(ReadModelProfile(path), profile);
  for (const std::string& other : {ModelText(SomeModel()), std::string("{"), std::string("[]"),
                                   std::string(R"({"profile":7})")}) {
    write(other);
    EXPECT_FALSE(ReadModelProfile(path)) << other;
  }
  std::filesystem::remove(path);
  EXPECT_FALSE(ReadModelProfile(path));
}

}  // namespace
}  // namespace neardup
