#include "files/file_source.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/file_bytes.h"

namespace neardup {

namespace {
constexpr size_t kReadBytes = size_t{1} << 20;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}  // namespace

Result<std::unique_ptr<FileSource>> FileSource::Open(const std::string& path) {
  Result<std::unique_ptr<FileBytes>> reader = FileBytes::Open(path);
  if (!reader.ok()) {
    return Error{reader.error().code, fmt::format("{}: {}", path, reader.error().text)};
  }
  return std::unique_ptr<FileSource>(new FileSource(path, std::move(*reader)));
}

FileSource::FileSource(std::string path, std::unique_ptr<FileBytes> reader)
    : path_(std::move(path)), reader_(std::move(reader)) {}

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

Result<void> FileSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  // The lines of one poll share a block, which lives as long as any of them.
  std::vector<std::pair<size_t, size_t>> lines;
  size_t begin = 0;
  while (lines.size() < records_max) {
    const size_t end = pending_.find('\n', std::max(begin, searched_));
    if (end != std::string::npos) {
      lines.emplace_back(begin, end - begin);
      begin = end + 1;
      continue;
    }
    searched_ = pending_.size();
    if (exhausted_) {
      if (begin < pending_.size()) lines.emplace_back(begin, pending_.size() - begin);
      begin = pending_.size();
      break;
    }
    if (!lines.empty()) break;
    NEARDUP_TRY(Fill(timeout_ms));
    if (pending_.size() == searched_ && !exhausted_) break;  // nothing came in time
  }
  const auto block = std::make_shared<const std::string>(pending_.substr(0, begin));
  pending_.erase(0, begin);
  searched_ -= std::min(searched_, begin);
  for (const auto& [line_begin, length] : lines) {
    Message message;
    message.position = {number_, next_line_++};
    message.value = std::string_view(*block).substr(line_begin, length);
    message.owner = block;
    out.push_back(std::move(message));
  }
  return {};
}

Result<void> FileSource::Fill(int timeout_ms) {
  const Result<void> read = reader_->Read(kReadBytes, timeout_ms, pending_);
  if (!read.ok()) {
    return Fatal(read.error().code,
                 fmt::format("{}: after line {}: {}", path_, next_line_, read.error().text));
  }
  exhausted_ = reader_->at_end();
  const bool more_of_the_mark = kByteOrderMark.starts_with(pending_) && !exhausted_ &&
                                pending_.size() < kByteOrderMark.size();
  if (begun_ || more_of_the_mark) return {};
  begun_ = true;
  if (pending_.starts_with(kByteOrderMark)) {
    pending_.erase(0, kByteOrderMark.size());
    searched_ = 0;
  }
  return {};
}

std::vector<InputStatus> FileSource::Status() {
  return {{.input = number_, .next_offset = next_line_, .at_end = exhausted(), .lag_records = 0}};
}

}  // namespace neardup
