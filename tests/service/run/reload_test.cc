// What a running service takes over from a changed configuration, and what needs a restart.
#include "service/run/reload.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "detect/base/temporary_folder.h"
#include "learn/learned_options.h"
#include "service/config/config.h"

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
  const Reload reload = CompareForReload(With({}), With({"log.level=debug", "window.window_ms=1h",
                                                         "state.dir=/tmp/other", "app=other"}));
  EXPECT_EQ(Describe(reload),
            "the new configuration is refused, and nothing is changed: app, "
            "state.dir need a restart");
}

TEST(Reload, ASettingThatChangesFingerprintsIsRefusedWithTheReason) {
  const Reload reload =
      CompareForReload(With({}), With({"record.fields=[title]", "transaction.interval_ms=1s"}));
  EXPECT_EQ(Describe(reload),
            "the new configuration is refused, and nothing is changed: record.fields needs a "
            "restart; fingerprints would change, so stop all instances and run `neardup reindex` "
            "first");
}

// For these the service starts again. If one of them changed fingerprints, it could not.
TEST(Reload, SettingsThatMayChangeFromStartToStartAreTakenOver) {
  const std::vector<std::string> sets = {"window.window_ms=1h",
                                         "window.entries_max=5000",
                                         "match.distance_max=4",
                                         "match.suspect_distance_max=10",
                                         "match.distance_sum_max=9",
                                         "match.features_per_bit=2",
                                         "match.widen=true",
                                         "match.numbers=false",
                                         "match.neighbours=true",
                                         "routing.exact=drop",
                                         "routing.near=drop",
                                         "routing.release_exact_one_of=5",
                                         "routing.release_near_one_of=6",
                                         "transaction.interval_ms=1s",
                                         "dead_letters.share_max=0.1",
                                         "retry.backoff_min_ms=200ms",
                                         "threads.fingerprint=3",
                                         "input.idle_ms=5s",
                                         "input.partitions_refresh_ms=10s",
                                         "kafka.answer_timeout_ms=9s",
                                         "kafka.inflight_records_max=50000",
                                         "kafka.prefetch_bytes_max=64MiB",
                                         "state.snapshot_interval_ms=10s",
                                         "state.purge_changelog=false"};
  const Reload reload = CompareForReload(With({"match.widen=false"}), With(sets));
  EXPECT_EQ(reload.start_again.size(), sets.size());
  EXPECT_TRUE(reload.refused.empty());
  EXPECT_FALSE(reload.changes_fingerprints);
  EXPECT_TRUE(Describe(reload).starts_with(
      "the configuration is read again; the service starts again with: dead_letters.share_max, "));
}

TEST(Reload, ADistanceOfZeroNeedsOtherFingerprintsThanAllOthers) {
  const LoadedConfig near = With({"match.distance_max=4"});
  const LoadedConfig exact = With({"match.distance_max=0"});
  for (const Reload& reload : {CompareForReload(near, exact), CompareForReload(exact, near)}) {
    EXPECT_EQ(reload.refused, std::vector<std::string>{"match.distance_max"});
    EXPECT_TRUE(reload.start_again.empty());
    EXPECT_TRUE(reload.changes_fingerprints);
  }
}

// A configuration that says nothing of the distance has the default, whatever the lane has learned.
TEST(Reload, TheDistanceThatALaneHasLearnedDecidesWhetherFingerprintsChange) {
  LearnedOptions learned;
  learned.options.record.fields = {{"title"}};
  learned.options.match.distance_max = 0;
  learned.mode = "exact";
  const std::string text = LearnedText(learned);
  const LoadedConfig silent = With({});
  const Reload to_near = CompareForReload(silent, With({"match.distance_max=4"}), text);
  EXPECT_EQ(to_near.refused, std::vector<std::string>{"match.distance_max"});
  EXPECT_TRUE(to_near.changes_fingerprints);
  const Reload the_same = CompareForReload(silent, With({"match.distance_max=0"}), text);
  EXPECT_EQ(the_same.start_again, std::vector<std::string>{"match.distance_max"});
  EXPECT_TRUE(the_same.refused.empty());
  EXPECT_FALSE(the_same.changes_fingerprints);
}

TEST(Reload, ASecretThatDiffersIsTakenOverAloneAndNotShown) {
  const LoadedConfig running =
      With({"kafka.properties={sasl.password: old-secret, sasl.username: me}",
            "kafka.producer_properties={ssl.key.password: old-key}", "metrics.user=me",
            "metrics.password=old", "registry.url=http://a", "registry.token=old-token"});
  const LoadedConfig now = With({"kafka.properties={sasl.password: new-secret, sasl.username: you}",
                                 "kafka.producer_properties={ssl.key.password: new-key}",
                                 "metrics.user=me", "metrics.password=new", "app=other",
                                 "registry.url=http://a", "registry.token=new-token"});
  const Reload reload = CompareForReload(running, now);
  EXPECT_EQ(reload.secrets, (std::vector<std::string>{"kafka.properties.sasl.password",
                                                      "kafka.producer_properties.ssl.key.password",
                                                      "registry.token", "metrics.password"}));
  EXPECT_EQ(reload.refused, (std::vector<std::string>{"app", "kafka.properties.sasl.username"}));
  const LoadedConfig next = WithSecretsOf(running, now);
  EXPECT_EQ(next.settings.kafka.properties.at("sasl.password"), "new-secret");
  EXPECT_EQ(next.settings.kafka.properties.at("sasl.username"), "me");
  EXPECT_EQ(next.settings.kafka.producer_properties.at("ssl.key.password"), "new-key");
  EXPECT_EQ(next.settings.http.password, "new");
  EXPECT_EQ(next.settings.registry.token, "new-token");
  EXPECT_NE(next.settings.kafka.encodings, running.settings.kafka.encodings) << "they log in";
  EXPECT_EQ(Describe(CompareForReload(running, next)),
            "the configuration is read again; only secrets differ, and are tried now");
  const Reload rest = CompareForReload(next, now);
  EXPECT_TRUE(rest.secrets.empty());
  EXPECT_EQ(rest.refused, reload.refused);
}

TEST(Reload, ACertificateIsComparedByItsBytes) {
  const TemporaryFolder temporary;
  const std::filesystem::path& folder = temporary.path();
  const std::string one = folder / "one.pem";
  const std::string two = folder / "two.pem";
  std::ofstream(one) << "first";
  KafkaOptions options;
  options.properties = {{"ssl.ca.location", one}, {"sasl.username", "me"}};
  options.consumer_properties = {{"ssl.key.location", two}};
  const TlsFiles before = ReadTlsFiles(options);
  EXPECT_TRUE(ChangedFiles(before, ReadTlsFiles(options)).empty());
  std::ofstream(one) << "other";
  EXPECT_EQ(ChangedFiles(before, ReadTlsFiles(options)), std::vector<std::string>{one});
  std::ofstream(two) << "new";
  EXPECT_EQ(ChangedFiles(before, ReadTlsFiles(options)), (std::vector<std::string>{one, two}));
}

TEST(Reload, NothingDiffers) {
  EXPECT_EQ(Describe(CompareForReload(With({}), With({}))),
            "the configuration is read again; no setting differs");
}

}  // namespace
}  // namespace neardup
