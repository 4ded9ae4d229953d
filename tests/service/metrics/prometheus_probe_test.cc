#include "service/metrics/prometheus_probe.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "service/metrics/catalogue.h"
#include "service/metrics/exposition.h"
#include "service/metrics/hand_clock.h"

namespace neardup {
namespace {

using Families = std::vector<SampleFamily>;

const InputPartition kNews0{"news", 0};
const InputPartition kNews1{"news", 1};
const InputPartition kShop0{"shop", 0};
const PrometheusProbe::MemoryParts kMemoryParts = {{"index", 400}, {"batch", 600}};
const PrometheusProbe::DriftRatios kDrift = {{"lengths", 1.5}, {"bits", 0.5}};

class PrometheusProbeTest : public testing::Test {
 protected:
  Families Scrape() {
    const auto families = ParseExposition(probe_.Text());
    EXPECT_TRUE(families.ok()) << families.error().text;
    return families.ok() ? *families : Families{};
  }

  HandClock clock_;
  PrometheusProbe probe_{{"1.2.3", "abc", "g++ \"12\"", "2.0.2"}, clock_};
};

CommittedBatch SomeBatch() {
  CommittedBatch batch;
  batch.unique = 10;
  batch.exact_duplicates = 3;
  batch.near_duplicates = 4;
  batch.passed = 1;
  batch.late = 2;
  batch.clamped = 5;
  batch.observed = 6;
  batch.dropped = 9;
  batch.released = 8;
  batch.replaced = 3;
  batch.suspects = 7;
  batch.dead_letters[static_cast<size_t>(Reason::kParse)] = 6;
  batch.dead_letters[static_cast<size_t>(Reason::kUndeliverable)] = 1;
  batch.distances = {3, 2, 1, 1};
  batch.distances.back() = 2;
  batch.distance_sum = 2 + 2 + 3 + 40 + 128;
  batch.delta_bytes = 700;
  batch.duration_s = 0.2;
  batch.latencies_s = {0, 0.005, 0.0051, 400};
  return batch;
}

/// Number of series that the catalogue promises for a row, with `topics` input topics and `inputs`
/// input partitions.
size_t SeriesOf(const MetricRow& row, size_t topics, size_t inputs) {
  size_t sets = std::max<size_t>(1, row.values.size());
  const std::span<const std::string_view> labels = row.label_names();
  if (labels.size() == 1 && labels[0] == "topic") sets = topics;
  if (labels.size() == 1 && labels[0] == "part") sets = kMemoryParts.size();
  if (labels.size() == 1 && labels[0] == "aspect") sets = kDrift.size();
  if (labels.size() == 2 && labels[1] == "partition") sets = inputs;
  return row.type == MetricType::kHistogram ? sets * (row.buckets.size() + 3) : sets;
}

TEST_F(PrometheusProbeTest, EverySeriesOfAClosedLabelExistsAtTheStartWithZero) {
  const Families families = Scrape();
  for (const MetricRow& row : kMetrics) {
    const std::string name =
        fmt::format("{}{}", row.name, row.type == MetricType::kHistogram ? "_count" : "");
    for (const std::string_view value : row.values) {
      const std::map<std::string, std::string> labels = {
          {std::string(row.labels[0]), std::string(value)}};
      ASSERT_TRUE(HasSeries(families, name, labels)) << name << " " << value;
      const bool starting = row.name == "neardup_state" && value == "starting";
      EXPECT_EQ(ValueOf(families, name, labels), starting ? 1 : 0) << name;
    }
  }
}

TEST_F(PrometheusProbeTest, EveryMetricIsSetBySomeEvent) {
  const Families before = Scrape();
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::Restoring{0.5, 1});
  probe_.Saw(event::StateDiscarded{""});
  probe_.Saw(event::BatchPolled{kNews0, 2, 100});
  probe_.Saw(event::StageTimed{Stage::kFingerprint, 0.1});
  probe_.Saw(event::TransactionCommitted{SomeBatch()});
  probe_.Saw(event::TransactionAborted{Retriable(ErrorCode::kAborted, "")});
  probe_.Saw(event::TransactionSized{1000, true});
  probe_.Saw(event::LaneLost{Retriable(ErrorCode::kFenced, "")});
  probe_.Saw(event::LateRequestFenced{});
  probe_.Saw(event::TakesOver{""});
  probe_.Saw(event::TookOverWrongly{""});
  probe_.Saw(event::LeaseLeft{16'000});
  probe_.Saw(event::Promoted{12, 6, 1.5});
  probe_.Saw(event::OffsetsDiffer{kNews0, 1, 2});
  probe_.Saw(event::ChangelogLost{"", ""});
  probe_.Saw(event::Gauges{{.entries = 7,
                            .entries_max = 100,
                            .entries_missing = 2,
                            .groups = 2,
                            .index_bytes = 512,
                            .entries_evicted = 1,
                            .entries_expired = 1,
                            .candidates = 1,
                            .keys_refused = 1,
                            .oldest_time_ms = 1500,
                            .watermark_ms = 2500,
                            .changelog_offset = 9,
                            .changelog_lag = 1}});
  probe_.Saw(event::InputLag{kNews0, 5, 9});
  probe_.Saw(event::InputLost{{kNews0, InputLoss::Kind::kDeleted, 10, 15}});
  probe_.Saw(event::InputMissing{"news", true});
  probe_.Saw(event::InputUnreachable{kNews0, true, {}});
  probe_.Saw(event::PartitionAdded{kNews0});
  probe_.Saw(event::DeadLettersExcessive{true, ""});
  probe_.Saw(event::SnapshotWritten{{.entries = 5, .bytes = 100, .seconds = 0.5}});
  probe_.Saw(event::ChangelogPurged{3});
  probe_.Saw(event::InputUndecided{"news", 12});
  probe_.Saw(event::KeeperFailed{Retriable(ErrorCode::kIo, "")});
  probe_.SetLane(2, 4);
  probe_.SetMemoryBound(1000, kMemoryParts);
  probe_.KafkaComplained(true);
  probe_.SetSecretsRefused(true);
  probe_.SetDrift(kDrift, true);
  for (const SampleFamily& family : Scrape()) {
    const bool of_start =
        family.name == "neardup_build_info" || family.name.starts_with("process_");
    if (of_start) continue;
    EXPECT_TRUE(std::any_of(family.samples.begin(), family.samples.end(),
                            [&](const Sample& now) {
                              return !HasSeries(before, now.name, now.labels) ||
                                     ValueOf(before, now.name, now.labels) != now.value;
                            }))
        << "no event sets " << family.name;
  }
}

TEST_F(PrometheusProbeTest, FamiliesHaveTheNamesTypesAndHelpOfTheCatalogue) {
  probe_.Saw(event::BatchPolled{kNews0, 1, 1});
  probe_.Saw(event::InputLag{kNews0, 0, 0});
  probe_.Saw(event::InputLost{{kNews0, InputLoss::Kind::kDeleted, 10, 15}});
  probe_.Saw(event::InputMissing{"news", false});
  probe_.Saw(event::InputUndecided{"news", 12});
  probe_.SetLane(2, 4);
  probe_.SetMemoryBound(1000, kMemoryParts);
  probe_.SetDrift(kDrift, false);
  std::map<std::string, const MetricRow*> rows;
  for (const MetricRow& row : kMetrics) rows[std::string(row.name)] = &row;
  const Families families = Scrape();
  EXPECT_EQ(families.size(), rows.size());
  for (const SampleFamily& family : families) {
    ASSERT_TRUE(rows.contains(family.name)) << family.name;
    EXPECT_EQ(family.type, Name(rows[family.name]->type)) << family.name;
    EXPECT_EQ(family.help, rows[family.name]->help);
    std::set<std::string_view> labels;
    for (const auto& [label, value] : family.samples.at(0).labels) {
      if (label != "le") labels.insert(label);
    }
    const std::span<const std::string_view> expected = rows[family.name]->label_names();
    EXPECT_EQ(labels, std::set<std::string_view>(expected.begin(), expected.end())) << family.name;
  }
}

TEST_F(PrometheusProbeTest, HasAsManySeriesAsTheCatalogueSays) {
  for (const InputPartition& input : {kNews0, kNews1, kShop0}) {
    probe_.Saw(event::BatchPolled{input, 2, 100});
    probe_.Saw(event::InputLag{input, 1, 2});
    probe_.Saw(event::InputLost{{input, InputLoss::Kind::kDeleted, 10, 15}});
    probe_.Saw(event::InputMissing{input.topic, true});
    probe_.Saw(event::InputUndecided{input.topic, 12});
  }
  probe_.Saw(event::TransactionCommitted{SomeBatch()});
  probe_.Saw(event::LaneLost{Retriable(ErrorCode::kUnavailable, "gone")});
  probe_.SetLane(2, 4);
  probe_.SetMemoryBound(1000, kMemoryParts);
  probe_.SetDrift(kDrift, false);
  size_t expected = 0;
  for (const MetricRow& row : kMetrics) expected += SeriesOf(row, 2, 3);
  EXPECT_EQ(CountSeries(Scrape()), expected);
}

TEST_F(PrometheusProbeTest, ACommitCountsItsRecordsByVerdictAndReason) {
  probe_.Saw(event::TransactionCommitted{SomeBatch()});
  probe_.Saw(event::TransactionCommitted{SomeBatch()});
  const Families now = Scrape();
  const auto records = [&](const char* verdict) {
    return ValueOf(now, "neardup_records_total", {{"verdict", verdict}});
  };
  EXPECT_EQ(records("unique"), 20);
  EXPECT_EQ(records("near_duplicate"), 8);
  EXPECT_EQ(records("exact_duplicate"), 6);
  EXPECT_EQ(records("passthrough"), 2);
  EXPECT_EQ(records("dead_letter"), 14);
  EXPECT_EQ(ValueOf(now, "neardup_dead_letter_records_total", {{"reason", "parse"}}), 12);
  EXPECT_EQ(ValueOf(now, "neardup_dead_letter_records_total", {{"reason", "undeliverable"}}), 2);
  EXPECT_EQ(ValueOf(now, "neardup_dead_letter_records_total", {{"reason", "encoding"}}), 0);
  EXPECT_EQ(ValueOf(now, "neardup_late_records_total"), 4);
  EXPECT_EQ(ValueOf(now, "neardup_clamped_records_total"), 10);
  EXPECT_EQ(ValueOf(now, "neardup_observed_records_total"), 12);
  EXPECT_EQ(ValueOf(now, "neardup_dropped_records_total"), 18);
  EXPECT_EQ(ValueOf(now, "neardup_released_records_total"), 16);
  EXPECT_EQ(ValueOf(now, "neardup_replaced_records_total"), 6);
  EXPECT_EQ(ValueOf(now, "neardup_suspect_records_total"), 14);
  EXPECT_EQ(ValueOf(now, "neardup_transactions_total", {{"result", "committed"}}), 2);
  EXPECT_EQ(ValueOf(now, "neardup_transaction_duration_seconds_count"), 2);
  EXPECT_NEAR(ValueOf(now, "neardup_transaction_duration_seconds_sum"), 0.4, 1e-9);
}

TEST_F(PrometheusProbeTest, ASampleOnABoundCountsInTheBucketBelowTheBound) {
  probe_.Saw(event::TransactionCommitted{SomeBatch()});
  const Families now = Scrape();
  const auto latencies = [&](const char* le) {
    return ValueOf(now, "neardup_end_to_end_latency_seconds_bucket", {{"le", le}});
  };
  EXPECT_EQ(latencies("0.005"), 2);
  EXPECT_EQ(latencies("0.01"), 3);
  EXPECT_EQ(latencies("300"), 3);
  EXPECT_EQ(latencies("+Inf"), 4);
  EXPECT_NEAR(ValueOf(now, "neardup_end_to_end_latency_seconds_sum"), 400.0101, 1e-6);
  const auto distances = [&](const char* le) {
    return ValueOf(now, "neardup_match_hamming_distance_bucket", {{"le", le}});
  };
  EXPECT_EQ(distances("0"), 3);
  EXPECT_EQ(distances("1"), 5);
  EXPECT_EQ(distances("2"), 6);
  EXPECT_EQ(distances("7"), 7);
  EXPECT_EQ(distances("16"), 7);
  EXPECT_EQ(distances("+Inf"), 9);
  EXPECT_EQ(ValueOf(now, "neardup_match_hamming_distance_sum"), 2 + 2 + 3 + 40 + 128);
}

TEST_F(PrometheusProbeTest, BatchRecordsAreTheSumOverAllInputs) {
  probe_.Saw(event::StageTimed{Stage::kPoll, 0.5});
  probe_.Saw(event::BatchPolled{kNews0, 3, 30});
  probe_.Saw(event::BatchPolled{kShop0, 2, 70});
  probe_.Saw(event::StageTimed{Stage::kFingerprint, 0.1});
  probe_.Saw(event::StageTimed{Stage::kDecide, 0.1});
  const Families now = Scrape();
  EXPECT_EQ(ValueOf(now, "neardup_batch_records_count"), 1);
  EXPECT_EQ(ValueOf(now, "neardup_batch_records_sum"), 5);
  EXPECT_EQ(ValueOf(now, "neardup_records_consumed_total", {{"topic", "news"}}), 3);
  EXPECT_EQ(ValueOf(now, "neardup_consumed_bytes_total", {{"topic", "shop"}}), 70);
  EXPECT_EQ(ValueOf(now, "neardup_batch_duration_seconds_sum", {{"stage", "poll"}}), 0.5);
  EXPECT_EQ(ValueOf(now, "neardup_batch_duration_seconds_count", {{"stage", "commit"}}), 0);
  probe_.Saw(event::BatchPolled{kNews0, 1, 10});
  probe_.Saw(event::StageTimed{Stage::kFingerprint, 0.1});
  EXPECT_EQ(ValueOf(Scrape(), "neardup_batch_records_sum"), 6);
}

TEST_F(PrometheusProbeTest, ExactlyOneStateIsOne) {
  for (int i = 0; i < kLanePhaseCount; ++i) {
    probe_.Saw(event::PhaseChanged{static_cast<LanePhase>(i)});
    const Families now = Scrape();
    for (int j = 0; j < kLanePhaseCount; ++j) {
      EXPECT_EQ(ValueOf(now, "neardup_state", {{"state", Name(static_cast<LanePhase>(j))}}),
                i == j ? 1 : 0);
    }
  }
}

TEST_F(PrometheusProbeTest, LaneLossesAndTransactionsAreCountedByCause) {
  probe_.Saw(event::TransactionAborted{Retriable(ErrorCode::kAborted, "")});
  probe_.Saw(event::LaneLost{Retriable(ErrorCode::kFenced, "")});
  probe_.Saw(event::LaneLost{Retriable(ErrorCode::kUnavailable, "")});
  probe_.Saw(event::LateRequestFenced{});
  probe_.Saw(event::TakesOver{"10.0.3.7:40123/0123456789abcdef"});
  probe_.Saw(event::TakesOver{"10.0.3.8:40123/fedcba9876543210"});
  probe_.Saw(event::TookOverWrongly{"10.0.3.7:40123/0123456789abcdef"});
  probe_.Saw(event::OffsetsDiffer{kNews0, 1, 2});
  const Families now = Scrape();
  EXPECT_EQ(ValueOf(now, "neardup_transactions_total", {{"result", "aborted"}}), 1);
  EXPECT_EQ(ValueOf(now, "neardup_transactions_total", {{"result", "fenced"}}), 1);
  EXPECT_EQ(ValueOf(now, "neardup_lane_losses_total", {{"code", "fenced"}}), 1);
  EXPECT_EQ(ValueOf(now, "neardup_lane_losses_total", {{"code", "unavailable"}}), 1);
  EXPECT_EQ(ValueOf(now, "neardup_lane_losses_total", {{"code", "internal"}}), 0);
  EXPECT_EQ(ValueOf(now, "neardup_late_requests_fenced_total"), 1);
  EXPECT_EQ(ValueOf(now, "neardup_takeovers_total"), 2);
  EXPECT_EQ(ValueOf(now, "neardup_takeovers_wrong_total"), 1);
  EXPECT_EQ(ValueOf(now, "neardup_group_offset_mismatches_total"), 1);
}

TEST_F(PrometheusProbeTest, GaugesShowTheNewestValuesAndTimesInSeconds) {
  EXPECT_TRUE(std::isnan(ValueOf(Scrape(), "neardup_watermark_timestamp_seconds")));
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::Gauges{{.entries = 7,
                            .entries_max = 100,
                            .entries_missing = 3,
                            .index_bytes = 512,
                            .oldest_time_ms = 1500,
                            .watermark_ms = 2500}});
  probe_.Saw(event::Promoted{12, 6, 1.5});
  const Families now = Scrape();
  EXPECT_EQ(ValueOf(now, "neardup_index_entries"), 7);
  EXPECT_EQ(ValueOf(now, "neardup_index_capacity_entries"), 100);
  EXPECT_EQ(ValueOf(now, "neardup_entries_missing"), 3);
  EXPECT_EQ(ValueOf(now, "neardup_index_bytes"), 512);
  EXPECT_EQ(ValueOf(now, "neardup_index_oldest_entry_timestamp_seconds"), 1.5);
  EXPECT_EQ(ValueOf(now, "neardup_watermark_timestamp_seconds"), 2.5);
  EXPECT_EQ(ValueOf(now, "neardup_last_poll_timestamp_seconds"), 1.7e9);
  EXPECT_EQ(ValueOf(now, "neardup_promotions_total"), 1);
  EXPECT_EQ(ValueOf(now, "neardup_restored_entries"), 6);
  EXPECT_EQ(ValueOf(now, "neardup_restore_duration_seconds"), 1.5);
}

TEST_F(PrometheusProbeTest, ALaneThatHasCaughtUpOrWorksIsRestoredEvenFromAnEmptyChangelog) {
  EXPECT_EQ(ValueOf(Scrape(), "neardup_restore_progress_ratio"), 0);
  probe_.Saw(event::Promoted{0, 0, 0.5});
  EXPECT_EQ(ValueOf(Scrape(), "neardup_restore_progress_ratio"), 1);
  probe_.Saw(event::Restoring{0.25, 1});
  EXPECT_EQ(ValueOf(Scrape(), "neardup_restore_progress_ratio"), 0.25);
  probe_.Saw(event::CaughtUp{7, 5});
  EXPECT_EQ(ValueOf(Scrape(), "neardup_restore_progress_ratio"), 1);
}

TEST_F(PrometheusProbeTest, CountersSurviveAnIndexThatStartsAgain) {
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::Gauges{{.entries_evicted = 2, .entries_expired = 10, .candidates = 100}});
  probe_.Saw(event::Gauges{{.entries_evicted = 3, .entries_expired = 10, .candidates = 150}});
  probe_.Saw(event::Gauges{{.entries_evicted = 0, .entries_expired = 4, .candidates = 20}});
  const Families now = Scrape();
  EXPECT_EQ(ValueOf(now, "neardup_index_evictions_total", {{"reason", "capacity"}}), 3);
  EXPECT_EQ(ValueOf(now, "neardup_index_evictions_total", {{"reason", "time"}}), 14);
  EXPECT_EQ(ValueOf(now, "neardup_lookup_candidates_total"), 170);
}

TEST_F(PrometheusProbeTest, WhatAStandbyRepeatsIsShownAndNotCounted) {
  probe_.Saw(event::PhaseChanged{LanePhase::kStandby});
  probe_.Saw(event::Gauges{{.entries = 7,
                            .entries_evicted = 2,
                            .entries_expired = 10,
                            .candidates = 100,
                            .keys_refused = 4,
                            .changelog_offset = 90,
                            .changelog_lag = 10}});
  const Families standby = Scrape();
  EXPECT_EQ(ValueOf(standby, "neardup_index_entries"), 7);
  EXPECT_EQ(ValueOf(standby, "neardup_changelog_next_offset"), 90);
  EXPECT_EQ(ValueOf(standby, "neardup_standby_lag_records"), 10);
  EXPECT_EQ(ValueOf(standby, "neardup_index_evictions_total", {{"reason", "time"}}), 0);
  EXPECT_EQ(ValueOf(standby, "neardup_index_keys_refused_total"), 0);
  EXPECT_TRUE(std::isnan(ValueOf(standby, "neardup_last_poll_timestamp_seconds")));

  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::Gauges{
      {.entries_evicted = 3, .entries_expired = 12, .candidates = 150, .keys_refused = 9}});
  const Families active = Scrape();
  EXPECT_EQ(ValueOf(active, "neardup_index_evictions_total", {{"reason", "capacity"}}), 1);
  EXPECT_EQ(ValueOf(active, "neardup_index_evictions_total", {{"reason", "time"}}), 2);
  EXPECT_EQ(ValueOf(active, "neardup_lookup_candidates_total"), 50);
  EXPECT_EQ(ValueOf(active, "neardup_index_keys_refused_total"), 5);
  EXPECT_EQ(ValueOf(active, "neardup_standby_lag_records"), 0);
}

TEST_F(PrometheusProbeTest, DriftHasNoRatioBeforeTheFirstWindowEnds) {
  EXPECT_EQ(probe_.Text().find("neardup_drift_ratio{"), std::string::npos);
  EXPECT_EQ(ValueOf(Scrape(), "neardup_drift_detected"), 0);
  probe_.SetDrift(kDrift, true);
  EXPECT_EQ(ValueOf(Scrape(), "neardup_drift_ratio", {{"aspect", "lengths"}}), 1.5);
  EXPECT_EQ(ValueOf(Scrape(), "neardup_drift_detected"), 1);
  probe_.SetDrift({{"lengths", 0.2}, {"bits", 0.1}}, false);
  EXPECT_EQ(ValueOf(Scrape(), "neardup_drift_ratio", {{"aspect", "lengths"}}), 0.2);
  EXPECT_EQ(ValueOf(Scrape(), "neardup_drift_detected"), 0);
}

TEST_F(PrometheusProbeTest, LagRecordsArePerPartitionAndLagSecondsTheLargestOfATopic) {
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::InputLag{kNews0, 5, 9});
  probe_.Saw(event::InputLag{kNews1, 7, 3});
  probe_.Saw(event::InputLag{kShop0, 0, 0});
  const Families now = Scrape();
  const std::map<std::string, std::string> news1 = {{"topic", "news"}, {"partition", "1"}};
  EXPECT_EQ(ValueOf(now, "neardup_consumer_lag_records", news1), 7);
  EXPECT_EQ(ValueOf(now, "neardup_consumer_lag_seconds", {{"topic", "news"}}), 9);
  EXPECT_EQ(ValueOf(now, "neardup_consumer_lag_seconds", {{"topic", "shop"}}), 0);
  probe_.Saw(event::InputLag{kNews0, 0, 0});
  EXPECT_EQ(ValueOf(Scrape(), "neardup_consumer_lag_seconds", {{"topic", "news"}}), 3);
}

TEST_F(PrometheusProbeTest, TheLagGrowsWhileTheLaneIsLostToAnError) {
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::InputLag{kNews0, 5, 9});
  probe_.Saw(event::InputLag{kShop0, 0, 0});
  probe_.Saw(event::LaneLost{Retriable(ErrorCode::kUnavailable, "no leader")});
  probe_.Saw(event::PhaseChanged{LanePhase::kStandby});
  probe_.Saw(event::PhaseChanged{LanePhase::kRestoring});
  clock_.SleepMs(24'000);
  const Families now = Scrape();
  const std::map<std::string, std::string> news0 = {{"topic", "news"}, {"partition", "0"}};
  EXPECT_EQ(ValueOf(now, "neardup_consumer_lag_records", news0), 5);
  EXPECT_EQ(ValueOf(now, "neardup_consumer_lag_seconds", {{"topic", "news"}}), 33);
  EXPECT_EQ(ValueOf(now, "neardup_consumer_lag_seconds", {{"topic", "shop"}}), 0);
}

TEST_F(PrometheusProbeTest, AnInstanceHasNoLagWhileAnotherOneHasTheLane) {
  const auto expect_no_lag = [this] {
    EXPECT_EQ(probe_.Text().find("neardup_consumer_lag_records{"), std::string::npos);
    EXPECT_EQ(probe_.Text().find("neardup_consumer_lag_seconds{"), std::string::npos);
  };
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::InputLag{kNews0, 5, 9});
  probe_.Saw(event::LaneLost{{ErrorCode::kFenced, "fenced"}});
  expect_no_lag();
  probe_.Saw(event::PhaseChanged{LanePhase::kActive});
  probe_.Saw(event::InputLag{kNews0, 1, 1});
  EXPECT_EQ(ValueOf(Scrape(), "neardup_consumer_lag_seconds", {{"topic", "news"}}), 1);
  probe_.Saw(event::LaneLost{Retriable(ErrorCode::kUnavailable, "no leader")});
  probe_.Saw(event::Followed{7});
  expect_no_lag();
}

TEST_F(PrometheusProbeTest, NamesTheLaneOfTheProcess) {
  probe_.SetLane(2, 4);
  EXPECT_EQ(ValueOf(Scrape(), "neardup_lane_info", {{"lane", "2"}, {"lanes", "4"}}), 1);
}

TEST_F(PrometheusProbeTest, DescribesTheProcessAndTheBuild) {
  const Families now = Scrape();
  EXPECT_EQ(ValueOf(now, "neardup_build_info",
                    {{"version", "1.2.3"},
                     {"revision", "abc"},
                     {"compiler", "g++ \"12\""},
                     {"librdkafka_version", "2.0.2"}}),
            1);
  EXPECT_GT(ValueOf(now, "process_resident_memory_bytes"), 1 << 20);
  EXPECT_LT(ValueOf(now, "process_resident_memory_bytes"), 1e12);
  EXPECT_GE(ValueOf(now, "process_cpu_seconds_total"), 0);
  EXPECT_GE(ValueOf(now, "process_open_fds"), 3);
  EXPECT_GE(ValueOf(now, "process_max_fds"), ValueOf(now, "process_open_fds"));
  EXPECT_GT(ValueOf(now, "process_start_time_seconds"), 1.6e9);
}

// For ThreadSanitizer: one thread reports, the other scrapes, and series appear and disappear.
TEST_F(PrometheusProbeTest, ScrapesStayWellFormedWhileTheLaneReports) {
  constexpr int kRounds = 200;
  std::thread lane([this] {
    for (int i = 0; i < kRounds; ++i) {
      probe_.Saw(event::PhaseChanged{LanePhase::kActive});
      probe_.Saw(event::BatchPolled{{"topic" + std::to_string(i % 7), 0}, 1, 10});
      probe_.Saw(event::StageTimed{Stage::kFingerprint, 0.01});
      probe_.Saw(event::TransactionCommitted{SomeBatch()});
      probe_.Saw(event::InputLag{kNews0, i, 1});
      probe_.Saw(event::Gauges{{.entries = static_cast<uint64_t>(i)}});
      probe_.Saw(event::LaneLost{Retriable(ErrorCode::kFenced, "")});
      probe_.Saw(event::PhaseChanged{LanePhase::kStandby});
    }
  });
  for (int i = 0; i < 50; ++i) Scrape();
  lane.join();
  EXPECT_EQ(ValueOf(Scrape(), "neardup_transactions_total", {{"result", "committed"}}), kRounds);
}

}  // namespace
}  // namespace neardup
