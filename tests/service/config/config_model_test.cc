// The learned model that a configuration names.
#include <gmock/gmock.h>

#include "learn/model_file.h"
#include "service/config/config_text.h"

namespace neardup {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Model SomeModel() {
  Model model;
  model.hash_seed = 9;
  model.centre[5] = -77;
  model.common = {1, 2, 3};
  return model;
}

class ConfigModel : public ConfigText {
 protected:
  Model ModelOf(const Result<LoadedConfig>& config) {
    EXPECT_TRUE(config.ok()) << config.error().text;
    return config.ok() ? config->settings.lane.filter.model : Model();
  }
};

TEST_F(ConfigModel, WithoutAFileTheModelIsTheDefault) {
  EXPECT_EQ(ModelOf(Load("app: a\n")), Model());
  EXPECT_EQ(ModelOf(Load("feature: {model: ''}\n")), Model());
}

TEST_F(ConfigModel, ARelativePathStartsAtTheFolderOfTheConfigurationFile) {
  std::filesystem::create_directory(folder_ / "models");
  Write("models/m.json", ModelText(SomeModel()));
  EXPECT_EQ(ModelOf(Load("feature:\n  model: models/m.json\n")), SomeModel());
  EXPECT_EQ(ModelOf(Load("feature:\n  model: ./models/../models/m.json\n")), SomeModel());
}

TEST_F(ConfigModel, AnAbsolutePathIsUsedAsItIs) {
  const std::string file = Write("m.json", ModelText(SomeModel())).string();
  EXPECT_EQ(ModelOf(Load("feature:\n  model: " + file + "\n")), SomeModel());
  EXPECT_EQ(ModelOf(LoadConfig({{}, {"feature.model=" + file}, {}})), SomeModel());
  EXPECT_EQ(ModelOf(LoadConfig({{}, {}, {{"NEARDUP_FEATURE__MODEL", file}}})), SomeModel());
}

TEST_F(ConfigModel, TheCommandLineCanRemoveTheModel) {
  Write("m.json", ModelText(SomeModel()));
  EXPECT_EQ(ModelOf(Load("feature: {model: m.json}\n", {}, {"feature.model="})), Model());
}

TEST_F(ConfigModel, AnAbsentModelFileIsReportedWhereItIsNamed) {
  EXPECT_EQ(Complaints("app: a\nfeature:\n  model: no.json\n"),
            "c.yaml:3: feature.model: no.json: cannot be read: No such file or directory");
  EXPECT_THAT(Complaints("app: a\n", {}, {"feature.model=/no/such.json"}),
              StartsWith("--set feature.model: /no/such.json: cannot be read"));
}

TEST_F(ConfigModel, ABrokenModelFileIsReportedWithTheMistake) {
  Write("m.json", "{\"neardup_model\": 2}");
  EXPECT_EQ(Complaints("feature:\n  markup: false\n  model: m.json\n"),
            "c.yaml:3: feature.model: m.json: neardup_model: found 2, expected 1; make one "
            "with `neardup tune`");
  Write("m.json", "");
  EXPECT_THAT(Complaints("feature: {model: m.json}\n"),
              HasSubstr("m.json: not JSON (byte 1), expected a model"));
}

}  // namespace
}  // namespace neardup
