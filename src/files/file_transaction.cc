#include "files/file_transaction.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

namespace neardup {

namespace {

Error CannotWrite(const std::string& path) {
  return Fatal(ErrorCode::kIo,
               fmt::format("{}: cannot be written: {}", path, std::strerror(errno)));
}

// A tab or a line end in an id would break the table.
void AppendCell(std::string& line, std::string_view cell) {
  for (const char c : cell) line += (c == '\t' || c == '\n' || c == '\r') ? ' ' : c;
}

}  // namespace

Result<std::unique_ptr<FileTransaction>> FileTransaction::Open(const FileOutputs& outputs,
                                                               IdOf id_of) {
  std::unique_ptr<FileTransaction> files(new FileTransaction);
  NEARDUP_ASSIGN(files->routes_[0], OpenFile(outputs.unique));
  NEARDUP_ASSIGN(files->routes_[1], OpenFile(outputs.duplicate));
  NEARDUP_ASSIGN(files->routes_[2], OpenFile(outputs.dead_letter));
  NEARDUP_ASSIGN(files->verdicts_, OpenFile(outputs.verdicts));
  files->id_of_ = std::move(id_of);
  if (files->verdicts_.handle) {
    NEARDUP_TRY(WriteLine(files->verdicts_, "id\tverdict\toriginal\tdistance\tkind"));
  }
  return files;
}

Result<FileTransaction::File> FileTransaction::OpenFile(const std::string& path) {
  File file;
  file.path = path == "-" ? "standard output" : path;
  if (path.empty()) return file;
  if (path == "-") {
    file.handle = {stdout, &std::fflush};
    return file;
  }
  file.handle = {std::fopen(path.c_str(), "wb"), &std::fclose};
  if (!file.handle) return CannotWrite(path);
  return file;
}

Result<void> FileTransaction::WriteLine(File& file, std::string_view line) {
  std::FILE* handle = file.handle.get();
  const bool written = std::fwrite(line.data(), 1, line.size(), handle) == line.size() &&
                       std::fputc('\n', handle) != EOF;
  return written ? Result<void>() : CannotWrite(file.path);
}

Result<void> FileTransaction::Publish(const RoutedRecord& record) {
  if (record.verdict.decision == Decision::kDeadLetter && first_dead_letter_.empty()) {
    first_dead_letter_ = fmt::format("line {}: {}", record.message.position.offset + 1,
                                     record.verdict.outcome.error);
  }
  File& route = routes_[static_cast<size_t>(record.verdict.decision)];
  if (route.handle) {
    NEARDUP_TRY(WriteLine(route, record.message.value.value_or(std::string_view())));
  }
  return verdicts_.handle ? WriteVerdict(record) : Result<void>();
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
  return WriteLine(verdicts_, line_);
}

Result<void> FileTransaction::Commit(std::span<const InputProgress>) {
  for (File* file : {&routes_[0], &routes_[1], &routes_[2], &verdicts_}) {
    if (file->handle && std::fflush(file->handle.get()) != 0) return CannotWrite(file->path);
  }
  return {};
}

Result<std::vector<int64_t>> FileTransaction::CommittedOffsets(
    std::span<const InputPartition> inputs) {
  return std::vector<int64_t>(inputs.size(), -1);
}

}  // namespace neardup
