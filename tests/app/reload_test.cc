// What a running service takes over from a changed configuration, and what needs a restart.
#include "app/reload.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

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

TEST(Reload, ASecretThatDiffersIsTakenOverAloneAndNotShown) {
  const LoadedConfig running =
      With({"kafka.properties={sasl.password: old-secret, sasl.username: me}",
            "kafka.producer_properties={ssl.key.password: old-key}", "metrics.user=me",
            "metrics.password=old"});
  const LoadedConfig now = With({"kafka.properties={sasl.password: new-secret, sasl.username: you}",
                                 "kafka.producer_properties={ssl.key.password: new-key}",
                                 "metrics.user=me", "metrics.password=new", "window.window_ms=1h"});
  const Reload reload = CompareForReload(running, now);
  EXPECT_EQ(reload.secrets, (std::vector<std::string>{"kafka.properties.sasl.password",
                                                      "kafka.producer_properties.ssl.key.password",
                                                      "metrics.password"}));
  EXPECT_EQ(reload.refused,
            (std::vector<std::string>{"kafka.properties.sasl.username", "window.window_ms"}));
  const LoadedConfig next = WithSecretsOf(running, now);
  EXPECT_EQ(next.settings.kafka.properties.at("sasl.password"), "new-secret");
  EXPECT_EQ(next.settings.kafka.properties.at("sasl.username"), "me");
  EXPECT_EQ(next.settings.kafka.producer_properties.at("ssl.key.password"), "new-key");
  EXPECT_EQ(next.settings.http.password, "new");
  EXPECT_EQ(Describe(CompareForReload(running, next)),
            "the configuration is read again; only secrets differ, and are tried now");
  const Reload rest = CompareForReload(next, now);
  EXPECT_TRUE(rest.secrets.empty());
  EXPECT_EQ(rest.refused, reload.refused);
}

TEST(Reload, ACertificateIsComparedByItsBytes) {
  const std::filesystem::path folder = testing::TempDir() + "reload";
  std::filesystem::create_directories(folder);
  const std::string one = folder / "one.pem";
  const std::string two = folder / "two.pem";
  std::ofstream(one) << "first";
  std::filesystem::remove(two);
  KafkaOptions options;
  options.properties = {{"ssl.ca.location", one}, {"sasl.username", "me"}};
  options.consumer_properties = {{"ssl.key.location", two}};
  const TlsFiles before = ReadTlsFiles(options);
  EXPECT_TRUE(ChangedFiles(before, ReadTlsFiles(options)).empty());
  std::ofstream(one) << "other";
  EXPECT_EQ(ChangedFiles(before, ReadTlsFiles(options)), std::vector<std::string>{one});
  std::ofstream(two) << "new";
  EXPECT_EQ(ChangedFiles(before, ReadTlsFiles(options)), (std::vector<std::string>{one, two}));
  std::filesystem::remove_all(folder);
}

TEST(Reload, NothingDiffers) {
  EXPECT_EQ(Describe(CompareForReload(With({}), With({}))),
            "the configuration is read again; no setting differs");
}

}  // namespace
}  // namespace neardup
