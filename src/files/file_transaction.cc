#include "files/file_transaction.h"

#include <fmt/format.h>

#include <cassert>
#include <nlohmann/json.hpp>
#include <utility>

namespace neardup {

namespace {

Result<std::optional<PackedFile>> OpenGiven(const std::string& path) {
  if (path.empty()) return std::optional<PackedFile>();
  NEARDUP_ASSIGN(PackedFile file, PackedFile::Open(path));
  return std::optional<PackedFile>(std::move(file));
}

/// Stands for a line that was not read whole. Empty for other records.
std::string ReferenceTo(const Message& message) {
  if (message.bytes_left_out == 0) return {};
  assert(message.value);
  return fmt::format(R"({{"neardup_left_out":{{"line":{},"bytes":{}}}}})",
                     message.position.offset + 1, message.value->size() + message.bytes_left_out);
}

// A tab or a line end in an id would break the table.
void AppendCell(std::string& line, std::string_view cell) {
  for (const char c : cell) line += (c == '\t' || c == '\n' || c == '\r') ? ' ' : c;
}

}  // namespace

Result<std::unique_ptr<FileTransaction>> FileTransaction::Open(const FileOutputs& outputs,
                                                               IdOf id_of) {
  std::unique_ptr<FileTransaction> files(new FileTransaction);
  NEARDUP_ASSIGN(files->routes_[0], OpenGiven(outputs.unique));
  NEARDUP_ASSIGN(files->routes_[1], OpenGiven(outputs.duplicate));
  NEARDUP_ASSIGN(files->routes_[2], OpenGiven(outputs.dead_letter));
  NEARDUP_ASSIGN(files->verdicts_, OpenGiven(outputs.verdicts));
  NEARDUP_ASSIGN(files->pairs_, OpenGiven(outputs.pairs));
  files->line_mode_ = outputs.line_mode;
  files->id_of_ = std::move(id_of);
  if (files->verdicts_ && !files->line_mode_) {
    NEARDUP_TRY(WriteLine(*files->verdicts_, "id\tverdict\toriginal\tdistance\tkind"));
  }
  return files;
}

Result<void> FileTransaction::WriteLine(PackedFile& file, std::string_view line) {
  NEARDUP_TRY(file.Write(line));
  return file.Write("\n");
}

Result<void> FileTransaction::Publish(const RoutedRecord& record) {
  if (record.verdict.decision == Decision::kDeadLetter && first_dead_letter_.empty()) {
    first_dead_letter_ = fmt::format("line {}: {}", record.message.position.offset + 1,
                                     record.verdict.outcome.error);
  }
  std::optional<PackedFile>& route = routes_[static_cast<size_t>(record.verdict.decision)];
  if (route) {
    const std::string reference = ReferenceTo(record.message);
    NEARDUP_TRY(
        WriteLine(*route, reference.empty() ? record.message.value.value_or("") : reference));
  }
  if (!verdicts_ && !pairs_) return {};
  std::string id = id_of_(record.message);
  if (verdicts_) NEARDUP_TRY(WriteVerdict(record, id));
  if (pairs_ && record.verdict.decision == Decision::kDuplicate) {
    NEARDUP_TRY(WritePair(record, id));
  }
  if (record.verdict.decision == Decision::kUnique) {
    Original original{std::move(id), {}};
    if (pairs_) original.payload = record.message.value.value_or("");
    originals_.emplace(record.message.position.offset, std::move(original));
  }
  return {};
}

Result<void> FileTransaction::WriteVerdict(const RoutedRecord& record, const std::string& id) {
  const Verdict& verdict = record.verdict;
  line_.clear();
  AppendCell(line_, id);
  line_ += '\t';
  line_ += Name(verdict.decision);
  if (verdict.decision == Decision::kDuplicate) {
    line_ += '\t';
    AppendCell(line_, originals_[verdict.match.original.offset].id);
    line_ += '\t' + std::to_string(verdict.match.distance) + '\t' + Name(verdict.match.kind);
  } else {
    line_ += "\t\t\t";
  }
  NEARDUP_TRY(WriteLine(*verdicts_, line_));
  return line_mode_ ? verdicts_->Flush() : Result<void>();
}

/// A record that was compared is JSON of one line, so its bytes can stand in a line of JSON.
Result<void> FileTransaction::WritePair(const RoutedRecord& record, const std::string& id) {
  const Match& match = record.verdict.match;
  const Original& original = originals_[match.original.offset];
  const auto text = [](const std::string& bytes) {
    return nlohmann::json(bytes).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  };
  line_ = fmt::format(
      R"({{"kind":"{}","distance":{},"original":{{"id":{},"record":{}}},"duplicate":{{"id":{},"record":{}}}}})",
      Name(match.kind), match.distance, text(original.id), original.payload, text(id),
      record.message.value.value_or(""));
  return WriteLine(*pairs_, line_);
}

Result<void> FileTransaction::Commit(std::span<const InputProgress>, const Meanwhile&) {
  return Flush();
}

Result<void> FileTransaction::Flush() {
  for (PackedFile* file : Files()) NEARDUP_TRY(file->Flush());
  return {};
}

std::vector<PackedFile*> FileTransaction::Files() {
  std::vector<PackedFile*> files;
  for (std::optional<PackedFile>* file :
       {&routes_[0], &routes_[1], &routes_[2], &verdicts_, &pairs_}) {
    if (file->has_value()) files.push_back(&**file);
  }
  return files;
}

Result<void> FileTransaction::Finish() { return PackedFile::Finish(Files()); }

std::vector<std::string> FileTransaction::Unfinished() {
  std::vector<std::string> names;
  for (const PackedFile* file : Files()) {
    if (file->is_replaced()) names.push_back(file->name());
  }
  return names;
}

Result<std::vector<int64_t>> FileTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  return std::vector<int64_t>(inputs.size(), -1);
}

}  // namespace neardup
