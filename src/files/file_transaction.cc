#include "files/file_transaction.h"

#include <fmt/format.h>

#include <cassert>
#include <utility>

namespace neardup {

namespace {

Result<std::optional<OutputFile>> OpenGiven(const std::string& path) {
  if (path.empty()) return std::optional<OutputFile>();
  NEARDUP_ASSIGN(OutputFile file, OutputFile::Open(path));
  return std::optional<OutputFile>(std::move(file));
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
  files->id_of_ = std::move(id_of);
  if (files->verdicts_) {
    NEARDUP_TRY(WriteLine(*files->verdicts_, "id\tverdict\toriginal\tdistance\tkind"));
  }
  return files;
}

Result<void> FileTransaction::WriteLine(OutputFile& file, std::string_view line) {
  NEARDUP_TRY(file.Write(line));
  return file.Write("\n");
}

Result<void> FileTransaction::Publish(const RoutedRecord& record) {
  if (record.verdict.decision == Decision::kDeadLetter && first_dead_letter_.empty()) {
    first_dead_letter_ = fmt::format("line {}: {}", record.message.position.offset + 1,
                                     record.verdict.outcome.error);
  }
  std::optional<OutputFile>& route = routes_[static_cast<size_t>(record.verdict.decision)];
  if (route) {
    const std::string reference = ReferenceTo(record.message);
    NEARDUP_TRY(
        WriteLine(*route, reference.empty() ? record.message.value.value_or("") : reference));
  }
  return verdicts_ ? WriteVerdict(record) : Result<void>();
}

Result<void> FileTransaction::WriteVerdict(const RoutedRecord& record) {
  const Verdict& verdict = record.verdict;
  std::string id = id_of_(record.message);
  line_.clear();
  AppendCell(line_, id);
  line_ += '\t';
  line_ += Name(verdict.decision);
  if (verdict.decision == Decision::kDuplicate) {
    line_ += '\t';
    AppendCell(line_, ids_[verdict.match.original.offset]);
    line_ += '\t' + std::to_string(verdict.match.distance) + '\t' + Name(verdict.match.kind);
  } else {
    line_ += "\t\t\t";
  }
  if (verdict.decision == Decision::kUnique) {
    ids_.emplace(record.message.position.offset, std::move(id));
  }
  return WriteLine(*verdicts_, line_);
}

Result<void> FileTransaction::Commit(std::span<const InputProgress>, const Meanwhile&) {
  for (OutputFile* file : Files()) NEARDUP_TRY(file->Flush());
  return {};
}

std::vector<OutputFile*> FileTransaction::Files() {
  std::vector<OutputFile*> files;
  for (std::optional<OutputFile>* file : {&routes_[0], &routes_[1], &routes_[2], &verdicts_}) {
    if (file->has_value()) files.push_back(&**file);
  }
  return files;
}

Result<void> FileTransaction::Finish() { return OutputFile::Finish(Files()); }

std::vector<std::string> FileTransaction::Unfinished() {
  std::vector<std::string> names;
  for (const OutputFile* file : Files()) {
    if (file->is_replaced()) names.push_back(file->name());
  }
  return names;
}

Result<std::vector<int64_t>> FileTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  return std::vector<int64_t>(inputs.size(), -1);
}

}  // namespace neardup
