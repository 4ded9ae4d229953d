// What dead letters have in common, for messages about many of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "lane/message.h"
#include "neardup/options.h"
#include "neardup/verdict.h"

namespace neardup {

/// Keeps one example of each reason. Of a missing field it also counts which fields the first
/// records have, to name the one that was meant. One owner thread.
class DeadLetterCauses {
 public:
  /// The fields of at most this many records of a reason are counted.
  static constexpr uint64_t kStudiedMax = 100;

  /// Call it for each dead letter. `place` names the record for a person.
  void Saw(const Message& message, const ReadOutcome& outcome,
           const std::function<std::string()>& place);
  /// ", such as PLACE: what is wrong", and what a person may have meant; empty without an example
  /// of this reason.
  std::string Explain(Reason reason, const RecordOptions& record) const;

 private:
  struct Cause {
    std::string place;
    std::string error;
    uint64_t studied = 0;                          ///< records whose fields are counted
    std::vector<std::string> names;                ///< in the order of their first appearance
    std::unordered_map<std::string, uint64_t> in;  ///< how many of these records have a name

    void Study(const Message& message);
    std::optional<std::string> Meant(const std::string& name) const;
    std::string FieldsText(const std::vector<std::string>& wanted) const;
  };

  std::array<std::optional<Cause>, kReasonCount> causes_;
};

}  // namespace neardup
