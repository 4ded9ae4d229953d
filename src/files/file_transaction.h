// Writes routed records to files: payloads as lines, unchanged; verdicts as a table.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "stream/ports.h"

namespace neardup {

/// Paths by decision. An empty path is not written; "-" is standard output.
struct FileOutputs {
  std::string unique;
  std::string duplicate;
  std::string dead_letter;
  std::string verdicts;
};

/// The Transaction port over files, for one run over one input. It undoes nothing: an error is
/// final, and a run that failed must be repeated from the start. The verdicts are tab-separated: a
/// header line, then id, verdict, original id, distance and kind.
class FileTransaction : public Transaction {
 public:
  /// The name of a record in the verdicts.
  using IdOf = std::function<std::string(const Message&)>;

  static Result<std::unique_ptr<FileTransaction>> Open(const FileOutputs& outputs, IdOf id_of);

  Result<void> Fence() override { return {}; }
  Result<void> Begin() override { return {}; }
  Result<void> Publish(const RoutedRecord& record) override;
  Result<void> PublishDelta(std::string_view) override { return {}; }
  Result<void> Commit(std::span<const InputProgress> inputs) override;
  Result<void> Abort() override { return {}; }
  std::vector<Refusal> TakeRefusals() override { return {}; }
  Result<std::vector<int64_t>> CommittedOffsets(std::span<const InputPartition> inputs) override;
  size_t record_bytes_max(const InputPartition&) const override { return SIZE_MAX; }

  /// "line N: why it cannot be compared"; empty if there is none.
  const std::string& first_dead_letter() const { return first_dead_letter_; }

 private:
  struct File {
    std::string path;
    std::unique_ptr<std::FILE, int (*)(std::FILE*)> handle{nullptr, nullptr};
  };

  static Result<File> OpenFile(const std::string& path);
  static Result<void> WriteLine(File& file, std::string_view line);
  Result<void> WriteVerdict(const RoutedRecord& record);

  File routes_[3] = {};  ///< by Decision
  File verdicts_;
  IdOf id_of_;
  /// Ids of the unique records by offset, for the duplicates that name them.
  std::unordered_map<int64_t, std::string> ids_;
  std::string line_;
  std::string first_dead_letter_;
};

}  // namespace neardup
