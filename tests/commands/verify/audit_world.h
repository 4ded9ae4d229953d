// A small world in memory for the audit: random clustered records in several input partitions, and
// the outputs that a correct lane writes for them. Its filter is a full scan, the simplest
// possible.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "commands/verify/audit.h"

namespace neardup {

/// Owns what a Message borrows.
struct StoredRecord {
  int64_t offset = 0;
  int64_t timestamp_ms = 0;
  std::optional<std::string> key;
  std::optional<std::string> value;
  std::vector<std::pair<std::string, std::optional<std::string>>> headers;

  Message message(uint32_t input) const;
};

struct WorldOptions {
  uint64_t seed = 1;
  FilterOptions filter;
  HeaderStyle headers = HeaderStyle::kPacked;
  size_t records = 600;
  /// Records committed together; the horizon moves between them.
  size_t transaction_records = 10;
  /// One record in this number has a new text; the others repeat an earlier text with few changes.
  uint32_t new_text_one_in = 3;
  /// Not 0: the lane observes, and routes again, in turns of this many records.
  size_t observes_for = 0;
  /// Most records come up to this time after their own.
  uint64_t late_max_ms = 9000;
  /// The lane keeps the newest record of each group.
  bool keeps_newest = false;
  /// The unique topic is keyed by the group.
  bool keyed = false;
};

/// Compares only the field "text". Window one hour, lateness one minute.
FilterOptions SmallFilter(int distance_max = 3);

class World {
 public:
  explicit World(const WorldOptions& options);

  /// The report of an audit over all records, or over the part that TakePart chose.
  AuditReport Audited() const;
  /// From now on, audits only the records from the first one of each partition that has this
  /// timestamp or a later one (as Kafka finds it), and before the first one at `to_ms`. Knows no
  /// horizon.
  void TakePart(int64_t from_ms, int64_t to_ms);
  /// Whether Audited looks at an input record.
  bool IsAudited(const InputPartition& partition, int64_t offset) const;

  /// Where an output stands.
  struct Spot {
    InputPartition place;
    size_t index = 0;
  };
  /// An output that has neighbours on both sides and whose header contains `header_part`.
  Spot FindOutput(const std::string& topic_ending, const std::string& header_part = "") const;
  StoredRecord& at(const Spot& spot) { return outputs[spot.place][spot.index]; }
  StoredRecord& input_of(const Spot& spot);
  /// Our header of an output.
  std::string& header(const Spot& spot) { return *at(spot).headers.back().second; }
  /// Gives a field of our header of an output another value.
  void Set(const Spot& spot, const std::string& field, const std::string& value);
  /// Moves an output to another topic, after the records with a smaller seq.
  void Move(const Spot& spot, const InputPartition& to);
  /// Moves an output record to the topic of its input whose name ends in `route`.
  void MoveTo(const Spot& spot, const std::string& route);

  std::map<InputPartition, std::vector<StoredRecord>> inputs;
  std::map<InputPartition, std::vector<StoredRecord>> outputs;
  /// Records of the groups topic.
  std::vector<StoredRecord> groups;
  AuditOptions audit;
  /// First audited offset of a partition, if not 0.
  std::map<InputPartition, int64_t> begins;
  /// End of the audited offsets of a partition, if not all are audited.
  std::map<InputPartition, int64_t> ends;
  /// Outputs whose first records were deleted.
  std::vector<InputPartition> beheaded;
  /// Duplicates by distance.
  std::map<int, int> distances;

 private:
  struct Order {
    InputPartition partition;
    size_t index;
  };
  std::vector<Order> MakeInputs(const WorldOptions& options);
  void Decide(const WorldOptions& options, const std::vector<Order>& order);
};

inline constexpr uint64_t kWorldSeed = 42;
World SmallWorld(HeaderStyle headers = HeaderStyle::kPacked);

/// No violation, and every route was taken.
void ExpectPasses(const AuditReport& report);
/// Exactly these checks are violated, and the first violation contains `text`.
void ExpectViolated(const AuditReport& report, const std::vector<AuditCheck>& checks,
                    const std::string& text);

/// `text` with its first `from` replaced by `to`; the test fails if there is none.
std::string Replaced(const std::string& text, const std::string& from, const std::string& to);
/// The value of a field in a packed header.
std::string FieldOf(const std::string& header, const std::string& name);

}  // namespace neardup
