#include "stream/files/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "detect/record/foreign_format.h"
#include "detect/record/json_syntax.h"
#include "stream/files/file_bytes.h"

namespace neardup {
namespace {
constexpr size_t kReadAheadBytes = size_t{1} << 20;

/// A line in the block that a poll takes.
struct Line {
  size_t begin;
  size_t bytes;
  uint64_t left_out;
};
}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::Open(const std::string& path, size_t line_bytes_max,
                                                     FileContent content) {
  Result<std::unique_ptr<FileBytes>> reader = FileBytes::Open(path);
  if (!reader.ok()) {
    return Error{reader.error().code, fmt::format("{}: {}", path, reader.error().text)};
  }
  return std::unique_ptr<FileSource>(
      new FileSource(path, line_bytes_max, content, std::move(*reader)));
}

FileSource::FileSource(std::string path, size_t line_bytes_max, FileContent content,
                       std::unique_ptr<FileBytes> reader)
    : path_(std::move(path)),
      line_bytes_max_(line_bytes_max),
      content_(content),
      reader_(std::move(reader)) {}

FileSource::~FileSource() = default;

Result<FoundInputs> FileSource::Find() { return FoundInputs{{{path_, 0}}, {}}; }

Result<OffsetBounds> FileSource::Bounds(const InputPartition&) { return OffsetBounds{}; }

Result<void> FileSource::Assign(std::span<const InputAssignment> inputs) {
  if (inputs.empty()) return {};
  assert(inputs.size() == 1);
  if (inputs[0].next_offset != next_line_) {
    return Fatal(
        ErrorCode::kIo,
        fmt::format("{}: a file is read once; expected to continue at line {}, cannot go to "
                    "line {}",
                    path_, next_line_ + 1, inputs[0].next_offset + 1));
  }
  number_ = inputs[0].input;
  return {};
}

/// Drops the end of the first line of pending_, which has `line_bytes` so far.
void FileSource::LeaveOut(size_t line_bytes) {
  const size_t kept = line_bytes_max_ + 1;
  if (line_bytes <= kept) return;
  pending_.erase(kept, line_bytes - kept);
  left_out_ += line_bytes - kept;
}

Result<void> FileSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  // The lines of one poll share a block, which lives as long as any of them.
  std::vector<Line> lines;
  size_t begin = 0;
  while (lines.size() < records_max) {
    size_t end = pending_.find('\n', std::max(begin, searched_));
    if (end != std::string::npos) {
      if (left_out_ > 0) {
        LeaveOut(end);
        end = line_bytes_max_ + 1;
      }
      lines.push_back({begin, end - begin, std::exchange(left_out_, 0)});
      begin = end + 1;
      continue;
    }
    if (begin == 0) LeaveOut(pending_.size());
    searched_ = pending_.size();
    if (exhausted_) {
      if (begin < pending_.size()) {
        lines.push_back({begin, pending_.size() - begin, std::exchange(left_out_, 0)});
      }
      begin = pending_.size();
      break;
    }
    if (!lines.empty()) break;
    NEARDUP_TRY(Fill(timeout_ms));
    if (pending_.size() == searched_ && !exhausted_) break;  // nothing came in time
  }
  if (content_ == FileContent::kRecords && next_line_ == 0 && !lines.empty()) {
    NEARDUP_TRY(CheckFormat());
  }
  const auto block = std::make_shared<const std::string>(pending_.substr(0, begin));
  pending_.erase(0, begin);
  searched_ -= std::min(searched_, begin);
  for (const Line& line : lines) {
    Message message;
    message.position = {number_, next_line_++};
    message.value = std::string_view(*block).substr(line.begin, line.bytes);
    message.bytes_left_out = line.left_out;
    message.owner = block;
    out.push_back(std::move(message));
  }
  return {};
}

Result<void> FileSource::CheckFormat() {
  // A pipe may give the rest much later, so that only what has arrived is judged.
  while (!exhausted_ && pending_.size() < kReadAheadBytes) {
    const size_t known = pending_.size();
    NEARDUP_TRY(Fill(0));
    if (pending_.size() == known) break;
  }
  const std::optional<ForeignFormat> format = FormatOfFile(pending_, exhausted_, mark_bytes_);
  if (!format) return {};
  return Fatal(
      ErrorCode::kBadInput,
      fmt::format("{}: found {}, expected JSON Lines, with one JSON object on each line; {}", path_,
                  format->what, format->remedy));
}

Result<void> FileSource::Fill(int timeout_ms) {
  const size_t before = pending_.size();
  const Result<void> read = reader_->Read(kReadAheadBytes, timeout_ms, pending_);
  if (!read.ok()) {
    return Fatal(read.error().code,
                 fmt::format("{}: after line {}: {}", path_, next_line_, read.error().text));
  }
  exhausted_ = reader_->at_end();
  const size_t new_bytes = pending_.size() - before;
  bytes_read_ += new_bytes;
  if (const auto most = reader_->bytes_at_open()) DropWhatWasAppended(*most, new_bytes);
  const bool more_of_the_mark = kByteOrderMark.starts_with(pending_) && !exhausted_ &&
                                pending_.size() < kByteOrderMark.size();
  if (begun_ || more_of_the_mark) return {};
  begun_ = true;
  if (pending_.starts_with(kByteOrderMark)) {
    mark_bytes_ = kByteOrderMark.size();
    pending_.erase(0, mark_bytes_);
    searched_ = 0;
  }
  return {};
}

void FileSource::DropWhatWasAppended(uint64_t bytes_at_open, size_t new_bytes) {
  if (bytes_read_ < bytes_at_open || new_bytes == 0) return;
  const auto appended =
      static_cast<size_t>(std::min<uint64_t>(bytes_read_ - bytes_at_open, new_bytes));
  // The line that holds the last byte of that time may end with it.
  const bool holds_last = appended < new_bytes;
  const size_t end = pending_.find('\n', pending_.size() - appended - (holds_last ? 1 : 0));
  if (end == std::string::npos) return;
  pending_.resize(end + 1);
  exhausted_ = true;
}

std::vector<InputStatus> FileSource::Status() {
  return {{.input = number_, .next_offset = next_line_, .at_end = exhausted(), .lag_records = 0}};
}

}  // namespace neardup
