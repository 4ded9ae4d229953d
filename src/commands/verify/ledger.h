// What an audit remembers of each record: hashes and the verdict, never payloads. A row takes 40
// bytes, a remembered unique 24 more.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <new>
#include <string>
#include <type_traits>
#include <vector>

#include "detect/index/page_memory.h"
#include "neardup/fingerprint.h"
#include "neardup/verdict.h"
#include "stream/state/route.h"

namespace neardup {

// Many values of one type, in blocks.

/// Grows without copying values and without spare capacity. Pointers to values stay valid. Memory
/// goes back to the operating system in the destructor.
template <class T>
class Column {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  T& Append(const T& value) {
    if (size_ == blocks_.size() * kPerBlock) blocks_.emplace_back(kPerBlock * sizeof(T));
    T* const place = static_cast<T*>(blocks_.back().data()) + size_ % kPerBlock;
    ++size_;
    return *new (place) T(value);
  }

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) {
    return *std::launder(static_cast<T*>(blocks_[i / kPerBlock].data()) + i % kPerBlock);
  }
  const T& operator[](size_t i) const {
    return *std::launder(static_cast<const T*>(blocks_[i / kPerBlock].data()) + i % kPerBlock);
  }
  T& back() { return (*this)[size_ - 1]; }
  /// Memory that has been touched.
  size_t bytes() const { return size_ * sizeof(T); }

 private:
  /// At most 1 MiB, so that a column of few values takes little memory.
  static constexpr size_t kPerBlock = std::bit_floor((size_t{1} << 20) / sizeof(T));

  std::vector<PageMemory> blocks_;
  size_t size_ = 0;
};

/// Hashes of the parts that an output must take over unchanged. A changed key or header goes
/// unnoticed with a chance of 2^-32, a changed value with 2^-64.
struct PayloadDigest {
  uint64_t value = 0;
  uint32_t key = 0;
  uint32_t headers = 0;
};

/// Where a covered record is in the outputs.
struct AuditedOutput {
  uint64_t seq;
  int64_t offset;
};

/// An input record, and the first output that names it as its origin. The second half is set when
/// that output is read (`covered`).
struct AuditRow {
  static constexpr uint32_t kNoContent = UINT32_MAX;

  int64_t offset = 0;
  /// Kafka's timestamp of the input record; once it is covered, its event time.
  int64_t time_ms = 0;
  union {
    PayloadDigest digest;  ///< until it is covered
    AuditedOutput output;  ///< once it is covered
  };
  /// Number of the content of a remembered unique (AuditLedger::fingerprints); else kNoContent.
  uint32_t content = kNoContent;
  /// Number of distinct tokens, at most 65,535. No setting asks for more.
  uint16_t features = 0;
  Decision decision : 4;
  Route route : 4;  ///< the one of its output, once it is covered
  bool moved : 1;   ///< its output is in the partition of its original (UniqueKey::kGroup)
  bool covered : 1;
  bool passed : 1;  ///< by policy, as the header states
  bool late : 1;
  bool clamped : 1;
  bool remembered : 1;  ///< the filter remembers it: later records may be its duplicates
  bool input_deleted : 1;
  bool small : 1;  ///< the input record is smaller than any limit of a topic

  AuditRow()
      : digest(),
        decision(Decision::kUnique),
        route(Route::kUnique),
        moved(false),
        covered(false),
        passed(false),
        late(false),
        clamped(false),
        remembered(false),
        input_deleted(false),
        small(false) {}
};
static_assert(sizeof(AuditRow) == 40);

struct AuditPartition {
  InputPartition partition;
  int64_t begin = 0;                            ///< first audited offset
  int64_t end = 0;                              ///< records from here on are not audited
  bool left_out_before = false;                 ///< records below `begin` are left out, not deleted
  bool retired = false;                         ///< AuditedInput::retired
  std::array<std::string, kRouteCount> topics;  ///< its output topics, by Route
  Column<AuditRow> rows;                        ///< by offset
  /// Records below `begin` that outputs name, made from these outputs; by offset.
  std::map<int64_t, AuditRow> deleted;
  /// Largest origin offset seen on each of `topics`.
  std::array<int64_t, kRouteCount> last_offset = {-1, -1, -1};
  /// By topic: outputs of records below this offset may be deleted. 0: no output is deleted.
  std::array<int64_t, kRouteCount> outputs_kept_from = {0, 0, 0};
  /// The last record here that is the original of a duplicate and in no output, so that it must be
  /// of the history that the lane began with; and that duplicate.
  int64_t history_offset = -1;
  const AuditRow* history_copy = nullptr;
};

/// The rows of all input partitions. Partitions are numbered from 0 in the order of AddPartition.
/// Pointers to rows stay valid.
class AuditLedger {
 public:
  static constexpr uint32_t kNoInput = UINT32_MAX;

  uint32_t AddPartition(AuditPartition partition);
  /// kNoInput if the partition was not added.
  uint32_t Find(const InputPartition& partition) const;
  /// nullptr if there is no record at this offset.
  AuditRow* Row(uint32_t input, int64_t offset);

  std::vector<AuditPartition>& partitions() { return partitions_; }
  const std::vector<AuditPartition>& partitions() const { return partitions_; }
  /// The partition of a row; searches for it.
  uint32_t InputOf(const AuditRow& row) const;
  /// topic/partition/offset of the row's output, or of the input record if it has no output.
  std::string Place(uint32_t input, const AuditRow& row) const;
  std::string Place(const AuditRow& row) const { return Place(InputOf(row), row); }
  /// topic/partition/offset of an input record.
  std::string Origin(uint32_t input, int64_t offset) const;

  /// The content of remembered uniques, by AuditRow::content.
  Column<Fingerprint> fingerprints;
  Column<ProbedKeys> text_keys;  ///< only with MatchOptions::text_keys

 private:
  std::vector<AuditPartition> partitions_;
  std::map<InputPartition, uint32_t> numbers_;
};

}  // namespace neardup
