// Writes routed records to files: payloads as lines, unchanged; verdicts as a table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "detect/record/field_extractor.h"
#include "stream/files/duplicate_groups.h"
#include "stream/files/local_ports.h"
#include "stream/files/packed_file.h"
#include "stream/lane/dead_letters.h"
#include "stream/lane/ports.h"
#include "stream/lane/probe.h"

namespace neardup {

/// Paths by decision, as PackedFile takes them. An empty path is not written.
struct FileOutputs {
  std::string unique;
  std::string duplicate;
  std::string dead_letter;
  std::string verdicts;
  /// For each duplicate a line of JSON with its original and itself.
  std::string pairs;
  /// DuplicateGroups.
  std::string groups;
  /// The verdicts go out line by line as records are decided, and without a header line.
  bool line_mode = false;
  /// Keep::kNewest: unique and duplicate lines are written by WriteKept, once it is known which
  /// record of each group is the newest.
  bool keeps_newest = false;
  /// Not 0: count what so many lanes would miss (LaneShares), by this field.
  int lanes = 0;
  std::string lanes_field;
};

/// The Transaction port over files, for one run over one input, perhaps after other files that are
/// only remembered: their records are in no output, but an original may be one of them. It undoes
/// nothing: an error is final, and a run that failed must be repeated from the start. The files
/// take their names in Finish; without it, they hold what they held before. The verdicts are
/// tab-separated: a header line, then id, verdict, original id, distance and kind.
///
/// An id is a text everywhere: the value of the field `id_field`, as the record writes it, or the
/// number of the line, from 1, after the name of the file if that is only remembered. In memory it
/// holds the ids of unique records if there is an `id_field`, their payloads with `pairs`, and the
/// ids of duplicates with `groups`.
class FileTransaction : public Transaction {
 public:
  /// `id_field`: a field selector; empty: line numbers. A commit fails with kConfig if no record
  /// that was compared so far has the field. `input`: the file whose records are written; the
  /// records of all other inputs are only remembered.
  static Result<std::unique_ptr<FileTransaction>> Open(const FileOutputs& outputs,
                                                       const std::string& id_field,
                                                       const std::string& input);

  Result<void> Fence() override { return {}; }
  Result<void> Begin() override { return {}; }
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view) override { return {}; }
  Result<void> PublishGroup(const GroupRecord&) override { return {}; }
  void StartCommit(std::span<const InputProgress>) override {}
  bool CommitHasEnded() override { return true; }
  Result<void> FinishCommit() override;
  Result<void> Abort() override { return {}; }
  void Abandon(bool) override {}
  std::vector<Refusal> TakeRefusals() override { return {}; }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition&) const override { return SIZE_MAX; }

  /// Writes the unique and the duplicate lines, if they wait for it. `again` reads the same input
  /// from its beginning. The lane keeps two bits of each line until then. kBadInput if the input
  /// has fewer or more lines than before.
  Result<void> WriteKept(Source& again);
  /// Passes everything written on to the system.
  Result<void> Flush();
  /// Call once, when the whole input is decided.
  Result<void> Finish();
  /// The files that hold what they held before, because Finish was not called.
  std::vector<std::string> Unfinished();

  /// "line N: why it cannot be compared"; empty if there is none.
  const std::string& first_dead_letter() const { return first_dead_letter_; }
  const DeadLetterCauses& causes() const { return causes_; }
  /// ExactRepeats::count of the records that are written.
  uint64_t exact_repeats() const { return exact_repeats_.count() - remembered_repeats_; }
  /// The records that were only remembered. Counts what Totals::LeaveOut takes, and nothing else.
  const CommittedBatch& remembered() const { return remembered_; }
  /// Duplicates that name a record that was only remembered.
  uint64_t repeats_of_remembered() const { return repeats_of_remembered_; }
  /// Set if FileOutputs::lanes is.
  const std::optional<LaneShares>& lane_shares() const { return lane_shares_; }

 private:
  struct PositionHash {
    size_t operator()(const Position& position) const {
      return std::hash<int64_t>()(position.offset) + position.input;
    }
  };
  /// What is known of a unique record, for the duplicates that name it.
  struct Original {
    std::string id;
    std::string payload;  ///< only with `pairs`
  };

  FileTransaction(const std::string& id_field, const std::string& input)
      : input_(input), id_field_(id_field), ids_(id_field) {}

  static Result<void> WriteLine(PackedFile& file, std::string_view line);
  bool IsWritten(const InputPartition& input) const { return input.topic == input_; }
  void CountRemembered(const Verdict& verdict);
  void NoteDeadLetter(const RoutedRecord& record);
  void NoteIdField(std::string_view payload);
  Result<void> CheckIdField() const;
  Result<void> WriteVerdict(const RoutedRecord& record, const std::string& id);
  Result<void> WritePair(const Match& match, std::string_view payload, const std::string& id);
  void Remember(const Position& position, std::string_view payload, std::string id);
  /// Notes where the line is to go.
  void NoteKept(const RoutedRecord& record);
  /// The line of a record, with its file if that is only remembered.
  std::string PlaceOf(const InputPartition& input, int64_t offset) const;
  std::string IdOf(const RoutedRecord& record, std::string_view payload);
  std::string OriginalId(const RoutedRecord& record) const;

  std::vector<PackedFile*> Files();

  std::optional<PackedFile> routes_[3];  ///< by Route
  std::optional<PackedFile> verdicts_;
  std::optional<PackedFile> pairs_;
  std::optional<PackedFile> groups_;
  bool line_mode_ = false;
  bool keeps_newest_ = false;
  std::vector<bool> kept_;  ///< by offset: the line is the newest of its group
  std::vector<bool> dead_;  ///< by offset
  std::string input_;
  std::string id_field_;
  RecordIdReader ids_;
  RecordBuffer buffer_;
  bool has_id_ = false;        ///< some record has the field
  uint64_t without_id_ = 0;    ///< compared records before that one
  std::string first_payload_;  ///< of them
  std::unordered_map<Position, Original, PositionHash> originals_;
  DuplicateGroups in_groups_;
  std::string line_;
  std::string first_dead_letter_;
  DeadLetterCauses causes_;
  ExactRepeats exact_repeats_;
  CommittedBatch remembered_;
  uint64_t remembered_repeats_ = 0;
  uint64_t repeats_of_remembered_ = 0;
  std::optional<LaneShares> lane_shares_;
};

}  // namespace neardup
