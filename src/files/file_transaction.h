// Writes routed records to files: payloads as lines, unchanged; verdicts as a table.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "files/packed_file.h"
#include "stream/ports.h"

namespace neardup {

/// Paths by decision, as PackedFile takes them. An empty path is not written.
struct FileOutputs {
  std::string unique;
  std::string duplicate;
  std::string dead_letter;
  std::string verdicts;
  /// For each duplicate a line of JSON with its original and itself.
  std::string pairs;
  /// The verdicts go out line by line as records are decided, and without a header line.
  bool line_mode = false;
};

/// The Transaction port over files, for one run over one input. It undoes nothing: an error is
/// final, and a run that failed must be repeated from the start. The files take their names in
/// Finish; without it, they hold what they held before. The verdicts are tab-separated: a header
/// line, then id, verdict, original id, distance and kind. With `pairs`, it holds every unique
/// record in memory.
class FileTransaction : public Transaction {
 public:
  /// The name of a record in the verdicts.
  using IdOf = std::function<std::string(const Message&)>;

  static Result<std::unique_ptr<FileTransaction>> Open(const FileOutputs& outputs, IdOf id_of);

  Result<void> Fence() override { return {}; }
  Result<void> Begin() override { return {}; }
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view) override { return {}; }
  Result<void> Commit(std::span<const InputProgress> inputs, const Meanwhile& meanwhile) override;
  Result<void> Abort() override { return {}; }
  void Abandon(bool) override {}
  std::vector<Refusal> TakeRefusals() override { return {}; }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition&) const override { return SIZE_MAX; }

  /// Passes everything written on to the system.
  Result<void> Flush();
  /// Call once, when the whole input is decided.
  Result<void> Finish();
  /// The files that hold what they held before, because Finish was not called.
  std::vector<std::string> Unfinished();

  /// "line N: why it cannot be compared"; empty if there is none.
  const std::string& first_dead_letter() const { return first_dead_letter_; }

 private:
  /// What is known of a unique record, for the duplicates that name it.
  struct Original {
    std::string id;
    std::string payload;  ///< only with `pairs`
  };

  static Result<void> WriteLine(PackedFile& file, std::string_view line);
  Result<void> WriteVerdict(const RoutedRecord& record, const std::string& id);
  Result<void> WritePair(const RoutedRecord& record, const std::string& id);

  std::vector<PackedFile*> Files();

  std::optional<PackedFile> routes_[3];  ///< by Decision
  std::optional<PackedFile> verdicts_;
  std::optional<PackedFile> pairs_;
  bool line_mode_ = false;
  IdOf id_of_;
  std::unordered_map<int64_t, Original> originals_;  ///< by offset
  std::string line_;
  std::string first_dead_letter_;
};

}  // namespace neardup
