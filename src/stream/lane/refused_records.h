// Records that their output refuses for their own sake, from the first refusal to their commit.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>

#include "neardup/record.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

/// Finds the record to blame, and decides what becomes of it.
///
/// A broker refuses a batch as a whole. The first refusal therefore only makes suspects of the
/// records in that batch; until they are committed, each goes out in a batch of its own
/// (RoutedRecord::alone). A suspect that is refused again is to blame, and so is a record that is
/// refused as too large, because a port says that only of a single record. A record to blame
/// becomes a dead letter by reference. If even the reference is refused, the lane fails.
///
/// One owner thread.
class RefusedRecords {
 public:
  /// `input`: the input partition of the record. Fatal kConfig when this was a reference.
  Result<void> Add(const Transaction::Refusal& refusal, const InputPartition& input);

  /// Whether a record of this size, with our headers, fits into the most that its outputs take.
  static bool Fits(size_t bytes, size_t bytes_max);

  bool any() const { return !refused_.empty(); }
  /// True if the record was refused before and must be published alone.
  bool IsSuspect(const Position& position) const;
  /// The verdict on a record that its output cannot take: a dead letter, to be published by
  /// reference. nullopt for every other record. `bytes`: size of key, value and headers;
  /// `bytes_max`: Transaction::record_bytes_max.
  std::optional<Verdict> DeadLetter(const Position& position, size_t bytes, size_t bytes_max) const;

  /// Forgets the records below these offsets, which are committed. By input number.
  void DropCommitted(std::span<const int64_t> offsets);
  /// Call when input numbers change their meaning.
  void Clear() { refused_.clear(); }

 private:
  struct Refused {
    bool to_blame = false;
    Reason reason = Reason::kUndeliverable;
    std::string text;
  };

  std::map<Position, Refused> refused_;
};

}  // namespace neardup
