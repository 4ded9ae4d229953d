// The pool against one fingerprinter, and records that are too large for the available memory.
#include "detect/filter/fingerprint_pool.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "detect/base/sanitizers.h"

namespace neardup {
namespace {

std::string RecordOf(size_t bytes) {
  std::string text = R"({"title":")";
  for (size_t word = 0; text.size() < bytes; ++word) text += std::to_string(word * 7919) + " ";
  return text + "\"}";
}

RecordView ViewOf(const std::string& payload, size_t offset) {
  return {{0, static_cast<int64_t>(offset)}, -1, payload};
}

RecordAt RecordsOf(const std::vector<std::string>& payloads) {
  return [&](size_t i, RecordBuffer&) { return ViewOf(payloads[i], i); };
}

TEST(FingerprintPool, GivesRecordsOfEverySizeTheFingerprintOfOneFingerprinter) {
  const FilterOptions options;
  FingerprintPool pool(options, 3);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 300; ++i) payloads.push_back(RecordOf(i % 40 == 7 ? 300'000 + i : 20 + i));
  Fingerprinter one(options);
  std::vector<FingerprintedRecord> records;
  for (int times = 0; times < 2; ++times) {
    pool.Fingerprint(payloads.size(), RecordsOf(payloads), records);
    for (size_t i = 0; i < payloads.size(); ++i) {
      const FingerprintedRecord expected = one.Compute(ViewOf(payloads[i], i));
      EXPECT_EQ(records[i].fingerprint, expected.fingerprint) << i;
      EXPECT_EQ(records[i].position, expected.position) << i;
    }
  }
}

TEST(FingerprintPool, GivesEachThreadScratchMemoryForItsRecords) {
  const FilterOptions options;
  FingerprintPool pool(options, 3);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 2000; ++i) payloads.push_back(RecordOf(20 + i % 90));
  const RecordAt built = [&](size_t i, RecordBuffer& buffer) {
    buffer.json = payloads[i];
    return ViewOf(buffer.json, i);
  };
  std::vector<FingerprintedRecord> records;
  std::vector<FingerprintedRecord> expected;
  pool.Fingerprint(payloads.size(), built, records);
  pool.Fingerprint(payloads.size(), RecordsOf(payloads), expected);
  for (size_t i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ(records[i].fingerprint, expected[i].fingerprint) << i;
  }
}

TEST(FingerprintPool, LooksUpWhileAnotherThreadFingerprints) {
  const FilterOptions options;
  FingerprintPool pool(options, 3);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 1000; ++i) payloads.push_back(RecordOf(200 + i % 600));
  std::vector<FingerprintedRecord> records;
  pool.Fingerprint(payloads.size(), RecordsOf(payloads), records);

  std::atomic<bool> stop = false;
  std::thread other([&] {
    std::vector<FingerprintedRecord> again;
    while (!stop) {
      pool.Fingerprint(payloads.size(), RecordsOf(payloads), again);
      for (size_t i = 0; i < payloads.size(); ++i) {
        ASSERT_EQ(again[i].fingerprint, records[i].fingerprint) << i;
      }
    }
  });
  const auto filter = Filter::New(options);
  const auto twin = Filter::New(options);
  ASSERT_TRUE(filter.ok() && twin.ok());
  constexpr size_t kTogether = 200;
  for (size_t begin = 0; begin < payloads.size(); begin += kTogether) {
    const auto part = std::span<const FingerprintedRecord>(records).subspan(begin, kTogether);
    const std::span<const LookedUp> found = pool.LookUp(part, **filter);
    for (size_t i = 0; i < part.size(); ++i) {
      const Verdict verdict = (*filter)->Decide(part[i], found[i]);
      const Verdict expected = (*twin)->Decide(part[i], {});
      EXPECT_EQ(verdict.decision, expected.decision) << begin + i;
      EXPECT_EQ(verdict.match.original, expected.match.original) << begin + i;
    }
  }
  stop = true;
  other.join();
}

TEST(FingerprintPool, WhatARecordThrowsReachesTheCallerAndThePoolWorksOn) {
  const FilterOptions options;
  FingerprintPool pool(options, 3);
  std::vector<std::string> payloads;
  for (size_t i = 0; i < 1000; ++i) payloads.push_back(RecordOf(20 + i % 90));
  std::vector<FingerprintedRecord> records;
  for (size_t bad = 0; bad < payloads.size(); bad += 37) {
    const RecordAt throwing = [&](size_t i, RecordBuffer&) {
      if (i >= bad) throw std::bad_alloc();
      return ViewOf(payloads[i], i);
    };
    EXPECT_THROW(pool.Fingerprint(payloads.size(), throwing, records), std::bad_alloc) << bad;
  }
  pool.Fingerprint(payloads.size(), RecordsOf(payloads), records);
  Fingerprinter one(options);
  for (size_t i = 0; i < payloads.size(); ++i) {
    EXPECT_EQ(records[i].fingerprint, one.Compute(ViewOf(payloads[i], i)).fingerprint) << i;
  }
}

// A sanitizer ends the process when memory is short.
#if !defined(NEARDUP_ADDRESS_SANITIZER) && !defined(NEARDUP_THREAD_SANITIZER)

/// Limits the address space of this process to its present size and this number of bytes more.
void LeaveBytes(size_t bytes) {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t limit = pages * 4096 + bytes;
  const rlimit limits{limit, limit};
  setrlimit(RLIMIT_AS, &limits);
}

void ComputeWithoutMemory() {
  FilterOptions options;
  options.record.record_bytes_max = size_t{64} << 20;
  FingerprintPool pool(options, 1);
  const std::string large = RecordOf(size_t{60} << 20);
  const std::string small = RecordOf(100);
  const std::vector<std::string> payloads = {large, small};
  LeaveBytes(size_t{64} << 20);
  std::vector<FingerprintedRecord> records;
  pool.Fingerprint(payloads.size(), RecordsOf(payloads), records);
  const bool told = records[0].outcome.reason == Reason::kTooLarge &&
                    records[0].outcome.error.find("memory") != std::string::npos;
  std::_Exit(told && records[1].outcome.comparable() ? 0 : 1);
}

// Otherwise the record would end the process at every start.
TEST(FingerprintPoolDeathTest, ARecordForWhichThereIsNoMemoryIsADeadLetter) {
  EXPECT_EXIT(ComputeWithoutMemory(), testing::ExitedWithCode(0), "");
}

#endif

}  // namespace
}  // namespace neardup
