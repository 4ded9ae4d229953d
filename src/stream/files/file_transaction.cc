#include "stream/files/file_transaction.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <utility>

#include "detect/base/message_text.h"
#include "detect/base/quantity.h"
#include "detect/record/field_names.h"
#include "detect/record/json_syntax.h"

namespace neardup {
namespace {

constexpr size_t kNamesMax = 200;
constexpr size_t kNamesShown = 8;
constexpr size_t kFirstPayloadBytesMax = size_t{1} << 20;

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

std::string LineText(int64_t offset) { return std::to_string(offset + 1); }

}  // namespace

Result<std::unique_ptr<FileTransaction>> FileTransaction::Open(const FileOutputs& outputs,
                                                               const std::string& id_field,
                                                               const std::string& input) {
  std::unique_ptr<FileTransaction> files(new FileTransaction(id_field, input));
  if (outputs.lanes > 0) files->lane_shares_.emplace(outputs.lanes, outputs.lanes_field);
  NEARDUP_ASSIGN(files->routes_[0], OpenGiven(outputs.unique));
  NEARDUP_ASSIGN(files->routes_[1], OpenGiven(outputs.duplicate));
  NEARDUP_ASSIGN(files->routes_[2], OpenGiven(outputs.dead_letter));
  NEARDUP_ASSIGN(files->verdicts_, OpenGiven(outputs.verdicts));
  NEARDUP_ASSIGN(files->pairs_, OpenGiven(outputs.pairs));
  NEARDUP_ASSIGN(files->groups_, OpenGiven(outputs.groups));
  files->line_mode_ = outputs.line_mode;
  files->keeps_newest_ = outputs.keeps_newest;
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
  const Verdict& verdict = record.verdict;
  const std::string_view line = record.message.value.value_or("");
  const std::string_view payload = RecordOf(record.message, buffer_).value.value_or("");
  if (verdict.decision != Decision::kDeadLetter) {
    NoteIdField(payload);
    exact_repeats_.Saw(verdict, record.fingerprint.exact);
  }
  if (!IsWritten(record.input)) {
    CountRemembered(verdict);
    const bool named = verdicts_ || pairs_ || groups_;
    if (named && verdict.decision == Decision::kUnique) {
      Remember(record.message.position, payload, IdOf(record, payload));
    }
    return {};
  }
  if (verdict.decision == Decision::kDeadLetter) NoteDeadLetter(record);
  if (verdict.decision == Decision::kDuplicate && !IsWritten(*record.original_input)) {
    ++repeats_of_remembered_;
  }
  if (lane_shares_) lane_shares_->Add(verdict, record.message.position.offset, payload);
  if (keeps_newest_) NoteKept(record);
  std::optional<PackedFile>& route = routes_[static_cast<size_t>(verdict.decision)];
  const bool waits = keeps_newest_ && verdict.decision != Decision::kDeadLetter;
  if (route && !waits) {
    const std::string reference = ReferenceTo(record.message);
    NEARDUP_TRY(WriteLine(*route, reference.empty() ? line : reference));
  }
  if (!verdicts_ && !pairs_ && !groups_) return {};
  std::string id = IdOf(record, payload);
  if (verdicts_) NEARDUP_TRY(WriteVerdict(record, id));
  if (verdict.decision == Decision::kDuplicate) {
    if (pairs_) NEARDUP_TRY(WritePair(verdict.match, payload, id));
    if (groups_) in_groups_.Add(verdict.match, OriginalId(record), id);
    const bool replaces = record.joined != nullptr && record.joined->replaces;
    if (groups_ && replaces) in_groups_.SetNewest(verdict.match, id);
  }
  if (verdict.decision == Decision::kUnique)
    Remember(record.message.position, payload, std::move(id));
  return {};
}

void FileTransaction::NoteKept(const RoutedRecord& record) {
  const auto line = static_cast<size_t>(record.message.position.offset);
  kept_.resize(std::max(kept_.size(), line + 1));
  dead_.resize(kept_.size());
  const bool replaces = record.joined != nullptr && record.joined->replaces;
  dead_[line] = record.verdict.decision == Decision::kDeadLetter;
  kept_[line] = replaces || record.verdict.decision == Decision::kUnique;
  if (replaces) kept_[static_cast<size_t>(record.joined->newest_before.offset)] = false;
}

Result<void> FileTransaction::WriteKept(Source& again) {
  if (!keeps_newest_) return {};
  std::optional<PackedFile>& unique = routes_[static_cast<size_t>(Route::kUnique)];
  std::optional<PackedFile>& duplicate = routes_[static_cast<size_t>(Route::kDuplicate)];
  if (!unique && !duplicate) return {};
  NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, again.Partitions());
  const InputAssignment whole{.input = 0, .partition = partitions.at(0), .next_offset = 0};
  NEARDUP_TRY(again.Assign(std::span(&whole, 1)));
  constexpr size_t kLinesPerPoll = 1000;
  size_t lines = 0;
  std::vector<Message> messages;
  while (!again.exhausted() && lines <= kept_.size()) {
    messages.clear();
    NEARDUP_TRY(again.Poll(kLinesPerPoll, 0, messages));
    for (const Message& message : messages) {
      const auto line = static_cast<size_t>(message.position.offset);
      lines = line + 1;
      if (lines > kept_.size()) break;
      if (dead_[line]) continue;
      std::optional<PackedFile>& route = kept_[line] ? unique : duplicate;
      if (route) NEARDUP_TRY(WriteLine(*route, message.value.value_or("")));
    }
  }
  if (lines == kept_.size()) return {};
  return Error{ErrorCode::kBadInput,
               fmt::format("{}: the second reading found {} {} lines than the {} of the first; "
                           "keep the file as it is while the command runs",
                           partitions[0].topic, lines > kept_.size() ? "more" : "only",
                           Grouped(lines), Grouped(kept_.size()))};
}

void FileTransaction::CountRemembered(const Verdict& verdict) {
  remembered_repeats_ = exact_repeats_.count();
  remembered_.late += verdict.late ? 1 : 0;
  remembered_.clamped += verdict.clamped ? 1 : 0;
  switch (verdict.decision) {
    case Decision::kUnique:
      ++(verdict.outcome.passed ? remembered_.passed : remembered_.unique);
      break;
    case Decision::kDuplicate:
      ++(verdict.match.kind == MatchKind::kExact ? remembered_.exact_duplicates
                                                 : remembered_.near_duplicates);
      break;
    case Decision::kDeadLetter:
      ++remembered_.dead_letters[static_cast<size_t>(verdict.outcome.reason)];
      break;
  }
}

void FileTransaction::NoteDeadLetter(const RoutedRecord& record) {
  const auto place = [&] { return "line " + LineText(record.message.position.offset); };
  const ReadOutcome& outcome = record.verdict.outcome;
  if (first_dead_letter_.empty()) first_dead_letter_ = place() + ": " + outcome.error;
  causes_.Saw(record.message, outcome, place);
}

void FileTransaction::NoteIdField(std::string_view payload) {
  if (has_id_ || id_field_.empty()) return;
  has_id_ = ids_.Has(payload);
  if (has_id_) {
    first_payload_ = {};
    return;
  }
  if (++without_id_ == 1) first_payload_ = payload.substr(0, kFirstPayloadBytesMax);
}

Result<void> FileTransaction::CheckIdField() const {
  if (has_id_ || without_id_ == 0) return {};
  std::vector<std::string> names = FieldNames(first_payload_, kNamesMax);
  std::string text = fmt::format("--id-field {}: none of the first {} records has this field",
                                 id_field_, Grouped(without_id_));
  if (const auto near = NearestName(PlainFieldName(id_field_), names)) {
    text += fmt::format(", did you mean {}?", *near);
  }
  if (names.size() > kNamesShown) names.resize(kNamesShown);
  if (!names.empty()) {
    text += fmt::format("; the first of them has the fields {}", fmt::join(names, ", "));
  }
  return Fatal(ErrorCode::kConfig, text + ". Leave --id-field out to name records by their line");
}

Result<void> FileTransaction::WriteVerdict(const RoutedRecord& record, const std::string& id) {
  const Verdict& verdict = record.verdict;
  line_.clear();
  AppendCell(line_, id);
  line_ += '\t';
  line_ += verdict.is_suspect() ? "suspect" : Name(verdict.decision);
  if (verdict.has_match()) {
    line_ += '\t';
    AppendCell(line_, OriginalId(record));
    line_ += '\t' + std::to_string(verdict.match.distance) + '\t' + Name(verdict.match.kind);
  } else {
    line_ += "\t\t\t";
  }
  NEARDUP_TRY(WriteLine(*verdicts_, line_));
  return line_mode_ ? verdicts_->Flush() : Result<void>();
}

/// A record that was compared is a JSON object. Without what may stand around it, a byte order mark
/// and a CR, it can stand in a line of JSON.
std::string_view ObjectIn(std::string_view payload) {
  if (payload.starts_with(kByteOrderMark)) payload.remove_prefix(kByteOrderMark.size());
  return payload.substr(0, payload.find_last_of('}') + 1);
}

Result<void> FileTransaction::WritePair(const Match& match, std::string_view payload,
                                        const std::string& id) {
  const Original& original = originals_[match.original];
  line_ = fmt::format(
      R"({{"kind":"{}","distance":{},"original":{{"id":{},"record":{}}},"duplicate":{{"id":{},"record":{}}}}})",
      Name(match.kind), match.distance, JsonText(original.id), original.payload, JsonText(id),
      ObjectIn(payload));
  // A CR in an object is white space, which some readers take for the end of a line.
  std::ranges::replace(line_, '\r', ' ');
  return WriteLine(*pairs_, line_);
}

void FileTransaction::Remember(const Position& position, std::string_view payload, std::string id) {
  if (id_field_.empty() && !pairs_) return;  // the line is the id
  Original original{std::move(id), {}};
  if (pairs_) original.payload = ObjectIn(payload);
  originals_.emplace(position, std::move(original));
}

std::string FileTransaction::PlaceOf(const InputPartition& input, int64_t offset) const {
  return (IsWritten(input) ? "" : input.topic + ":") + LineText(offset);
}

std::string FileTransaction::IdOf(const RoutedRecord& record, std::string_view payload) {
  const std::string_view id = ids_.FieldText(payload);
  if (!id.empty()) return std::string(id);
  // Where a field names the records, a line must not look like an id.
  const bool plain = id_field_.empty() || !IsWritten(record.input);
  return (plain ? "" : "line ") + PlaceOf(record.input, record.message.position.offset);
}

std::string FileTransaction::OriginalId(const RoutedRecord& record) const {
  const Position& original = record.verdict.match.original;
  const auto found = originals_.find(original);
  return found == originals_.end() ? PlaceOf(*record.original_input, original.offset)
                                   : found->second.id;
}

Result<void> FileTransaction::FinishCommit() {
  NEARDUP_TRY(CheckIdField());
  return Flush();
}

Result<void> FileTransaction::Flush() {
  for (PackedFile* file : Files()) NEARDUP_TRY(file->Flush());
  return {};
}

std::vector<PackedFile*> FileTransaction::Files() {
  std::vector<PackedFile*> files;
  for (std::optional<PackedFile>* file :
       {&routes_[0], &routes_[1], &routes_[2], &verdicts_, &pairs_, &groups_}) {
    if (file->has_value()) files.push_back(&**file);
  }
  return files;
}

Result<void> FileTransaction::Finish() {
  if (groups_) NEARDUP_TRY(in_groups_.Write(*groups_));
  return PackedFile::Finish(Files());
}

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
