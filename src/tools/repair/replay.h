// Sends dead letters back to their input topics, exactly once.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/settings.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "neardup/verdict.h"

namespace neardup {

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
