#include <gtest/gtest.h>

#include <vector>

#include "service/config/config.h"

namespace neardup {
namespace {

std::vector<FieldSelector> FieldsOf(const ConfigArguments& arguments) {
  const Result<LoadedConfig> config = Load(arguments);
  EXPECT_TRUE(config.ok()) << config.error().text;
  return config.ok() ? config->settings.lane.filter.record.fields : std::vector<FieldSelector>();
}

TEST(ConfigArguments, FieldsAndKeysOverrideEverySetOfRecordFields) {
  ConfigArguments arguments;
  arguments.sets = {"record.fields=[elsewhere]"};
  EXPECT_EQ(FieldsOf(arguments), (std::vector<FieldSelector>{{"elsewhere"}}));
  arguments.fields = "comment,{path: title, weight: 2}";
  EXPECT_EQ(FieldsOf(arguments), (std::vector<FieldSelector>{{"comment"}, {"title", 2.0}}));
  arguments.keys = {"user", "/meta/page"};
  EXPECT_EQ(FieldsOf(arguments),
            (std::vector<FieldSelector>{
                {"comment"}, {"title", 2.0}, {"user", 1.0, true}, {"/meta/page", 1.0, true}}));
}

TEST(ConfigArguments, KeysAreTakenLiterally) {
  ConfigArguments arguments;
  arguments.fields = "comment";
  arguments.keys = {"a: b}", "true", "${HOME}"};
  EXPECT_EQ(FieldsOf(arguments),
            (std::vector<FieldSelector>{
                {"comment"}, {"a: b}", 1.0, true}, {"true", 1.0, true}, {"${HOME}", 1.0, true}}));
}

TEST(ConfigArguments, KeysAloneAreRefused) {
  ConfigArguments arguments;
  arguments.fields = "";
  arguments.keys = {"user"};
  const Result<LoadedConfig> config = Load(arguments);
  ASSERT_FALSE(config.ok());
  EXPECT_NE(config.error().text.find("record.fields holds key fields only"), std::string::npos)
      << config.error().text;
}

}  // namespace
}  // namespace neardup
