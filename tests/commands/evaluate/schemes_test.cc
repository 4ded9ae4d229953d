#include "commands/evaluate/schemes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>

namespace neardup {
namespace {

using testing::HasSubstr;

SchemeOptions WithFrequencies() {
  auto frequencies = std::make_shared<DocumentFrequencies>();
  frequencies->Add(std::vector<uint64_t>{1, 2});
  return {.values = {}, .frequencies = frequencies};
}

std::string ErrorOf(std::string_view name, const SchemeOptions& options) {
  const auto scheme = NewScheme(name, options);
  return scheme.ok() ? "" : scheme.error().text;
}

TEST(Schemes, HaveTheNamesTheyArePersistedUnder) {
  std::set<std::string_view> names;
  for (const std::string_view name : SchemeNames()) {
    const auto scheme = NewScheme(name, WithFrequencies());
    ASSERT_TRUE(scheme.ok()) << scheme.error().text;
    EXPECT_TRUE(names.insert(name).second) << name << " occurs twice";
  }
  EXPECT_EQ(names.size(), 17U);
}

TEST(Schemes, HaveDefaultsWithinTheirRanges) {
  for (const SchemeRow& row : SchemeRows()) {
    for (const SchemeParameter& parameter : row.parameters) {
      SchemeOptions options = WithFrequencies();
      for (const double value : {parameter.fallback, parameter.least, parameter.most}) {
        options.values = {{std::string(parameter.name), value}};
        EXPECT_EQ(ErrorOf(row.name, options), "");
      }
      options.values = {{std::string(parameter.name), parameter.least - 1}};
      EXPECT_THAT(ErrorOf(row.name, options), HasSubstr(parameter.name));
      options.values = {{std::string(parameter.name), parameter.most + 1}};
      EXPECT_THAT(ErrorOf(row.name, options), HasSubstr(parameter.name));
    }
  }
}

TEST(Schemes, NameTheOptionThatIsWrong) {
  EXPECT_THAT(ErrorOf("md6", {}),
              HasSubstr("unknown scheme 'md6', expected one of md5, multi-md5,"));
  EXPECT_THAT(ErrorOf("md5", {.values = {{"x", 1}}, .frequencies = {}}),
              HasSubstr("scheme md5 has no parameter 'x'; it takes none"));
  EXPECT_THAT(ErrorOf("minhash", {.values = {{"shingles", 1}}, .frequencies = {}}),
              HasSubstr("it takes shingle_length, similarity_min"));
  EXPECT_THAT(ErrorOf("simhash", {.values = {{"distance_max", 2.5}}, .frequencies = {}}),
              HasSubstr("distance_max is 2.5, expected a whole number from 0 to 15"));
  EXPECT_THAT(ErrorOf("shingles", {.values = {{"similarity_min", 1.5}}, .frequencies = {}}),
              HasSubstr("similarity_min is 1.5, expected a number from 0.01 to 1"));
  EXPECT_THAT(ErrorOf("i-match", {}), HasSubstr("needs document frequencies"));
}

TEST(Schemes, TakeTheirParameters) {
  const auto scheme = NewScheme("simhash", {.values = {{"distance_max", 5}}, .frequencies = {}});
  ASSERT_TRUE(scheme.ok());
  const std::vector<uint64_t> zero = {0};
  EXPECT_EQ((*scheme)->Distance(zero, std::vector<uint64_t>{0b11111}), 5);
  EXPECT_EQ((*scheme)->Distance(zero, std::vector<uint64_t>{0b111111}), std::nullopt);
}

std::string DefaultText(const SchemeParameter& parameter) {
  std::ostringstream text;
  text << "`" << parameter.name << "` " << parameter.fallback;
  return text.str();
}

TEST(SchemesPage, DescribesEverySchemeWithItsParametersAndDefaults) {
  std::ifstream file(NEARDUP_SCHEMES_PAGE);
  std::stringstream content;
  content << file.rdbuf();
  std::string page = content.str();
  for (const SchemeRow& row : SchemeRows()) {
    const std::string heading = "\n### " + std::string(row.name) + "\n";
    const size_t begin = page.find(heading);
    ASSERT_NE(begin, std::string::npos) << row.name << " is not in " << NEARDUP_SCHEMES_PAGE;
    const size_t next = page.find("\n### ", begin + 1);
    const std::string section = page.substr(begin, next - begin);
    for (const SchemeParameter& parameter : row.parameters) {
      EXPECT_THAT(section, HasSubstr(DefaultText(parameter))) << row.name;
    }
  }
}

}  // namespace
}  // namespace neardup
