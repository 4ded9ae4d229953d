// What a running service takes over from a changed configuration, and what needs a restart.
#include "app/reload.h"

#include <gtest/gtest.h>

#include "app/commands.h"

namespace neardup {
namespace {

LoadedConfig With(const std::vector<std::string>& sets) {
  ConfigArguments arguments;
  arguments.sets = sets;
  Result<LoadedConfig> loaded = Load(arguments);
  EXPECT_TRUE(loaded.ok()) << loaded.error().text;
  return std::move(loaded).value();
}

TEST(Reload, TheLogLevelIsTakenOver) {
  const Reload reload = CompareForReload(With({}), With({"log.level=debug"}));
  EXPECT_EQ(reload.applied, std::vector<std::string>{"log.level"});
  EXPECT_TRUE(reload.refused.empty());
  EXPECT_EQ(Describe(reload), "the configuration is read again; in force now: log.level");
}

TEST(Reload, AnySettingThatNeedsARestartIsNamed) {
  const Reload reload =
      CompareForReload(With({}), With({"log.level=debug", "window.window_ms=1h", "app=other"}));
  EXPECT_EQ(Describe(reload),
            "the configuration is read again and refused, nothing is changed: app, "
            "window.window_ms need a restart");
}

TEST(Reload, ASecretThatDiffersIsNoticedAndNotShown) {
  const Reload reload = CompareForReload(With({"kafka.properties={sasl.password: old-secret}"}),
                                         With({"kafka.properties={sasl.password: new-secret}"}));
  EXPECT_EQ(Describe(reload),
            "the configuration is read again and refused, nothing is changed: kafka.properties "
            "needs a restart");
}

TEST(Reload, NothingDiffers) {
  EXPECT_EQ(Describe(CompareForReload(With({}), With({}))),
            "the configuration is read again; no setting differs");
}

}  // namespace
}  // namespace neardup
