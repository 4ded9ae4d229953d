// Sends dead letters back to their input topics, exactly once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "kafka/consumer_group.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "service/config/settings.h"

namespace neardup {

// How far the dead letters of a partition are replayed, for each reason.

/// `neardup replay --reason` leaves the dead letters of other reasons for a later replay. One
/// committed offset cannot say that, so the offset is the lowest of all reasons, and the note that
/// is committed with it names the reasons that are further: "missing_field=120 parse=80".
class ReplayPositions {
 public:
  /// Everything below `begin` counts as replayed, because it does not exist any more. A note that
  /// is not understood counts as empty: then records could be replayed twice, so it is kCorrupt.
  static Result<ReplayPositions> Parse(const GroupOffset& committed, int64_t begin);

  /// The record at this offset has not been replayed for this reason.
  bool IsDue(Reason reason, int64_t offset) const;
  /// Every record of these reasons below `offset` is replayed.
  void MoveTo(std::span<const Reason> reasons, int64_t offset);
  /// The lowest offset at which a record of one of these reasons may be due.
  int64_t First(std::span<const Reason> reasons) const;

  GroupOffset ToCommit() const;

 private:
  std::array<int64_t, kReasonCount> next_{};
};

struct ReplayOrder {
  std::string topic;            ///< of dead letters
  std::vector<Reason> reasons;  ///< empty: all
  bool execute = false;         ///< false: only count
};

struct ReplayCounts {
  /// Records by input topic and reason.
  std::map<std::string, std::array<uint64_t, kReasonCount>> replayed;
  /// Dead letters by reference whose original is gone from its input: "news/0/17".
  std::vector<std::string> gone;
  /// Input topics whose records have the header of another pipeline: they are outputs of it.
  std::set<std::string> outputs;
  /// Records without a neardup header, and of input topics that this configuration does not read.
  uint64_t foreign = 0;

  uint64_t total() const;
};

/// The group <app>-replay holds how far the topic is replayed. Its offsets and the records that go
/// back are one transaction, so a run that was interrupted can be repeated. Reads the topic from
/// there to the end that it has now. A record goes to the partition that it came from, with key,
/// value, timestamp and headers as it had them. A dead letter by reference is read from its input.
Result<ReplayCounts> Replay(const Settings& settings, const ReplayOrder& order,
                            const KafkaLog& log);

}  // namespace neardup
