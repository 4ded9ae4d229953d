#include "stream/files/file_sample.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <utility>

#include "stream/files/file_bytes.h"

namespace neardup {
namespace {

constexpr uint64_t kStretches = 32;

/// Bytes of a plain file; 0: it is none.
uint64_t PlainBytes(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || error) return 0;
  std::ifstream file(path, std::ios::binary);
  std::string mark(sizeof(uint32_t), ' ');
  file.read(mark.data(), static_cast<std::streamsize>(mark.size()));
  if (Decompressor::For(mark.substr(0, static_cast<size_t>(file.gcount())))) return 0;
  const uintmax_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

}  // namespace

Result<std::vector<Message>> ReadSpreadSample(const std::string& path, size_t records_max,
                                              size_t bytes_max) {
  std::vector<Message> messages;
  const uint64_t bytes = PlainBytes(path);
  if (bytes <= bytes_max) return messages;
  std::ifstream file(path, std::ios::binary);
  const size_t stretch = bytes_max / kStretches;
  const size_t lines_max = std::max<size_t>(records_max / kStretches, 1);
  for (uint64_t number = 0; number < kStretches; ++number) {
    const uint64_t begin = number * (bytes / kStretches);
    std::string text(stretch, ' ');
    file.clear();
    file.seekg(static_cast<std::streamoff>(begin));
    file.read(text.data(), static_cast<std::streamsize>(text.size()));
    if (file.bad()) {
      return Error{ErrorCode::kIo, fmt::format("{}: cannot read at byte {}", path, begin)};
    }
    text.resize(static_cast<size_t>(file.gcount()));
    const auto owner = std::make_shared<const std::string>(std::move(text));
    std::string_view rest = *owner;
    // The first line of a stretch begins before it, and its last line may end after it.
    if (number > 0) rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
    for (size_t lines = 0; lines < lines_max; ++lines) {
      const size_t end = rest.find('\n');
      if (end == std::string_view::npos) break;
      Message message;
      message.position = {0, static_cast<int64_t>(messages.size())};
      message.value = rest.substr(0, end);
      message.owner = owner;
      messages.push_back(std::move(message));
      rest.remove_prefix(end + 1);
    }
  }
  return messages;
}

Result<uint64_t> CountLines(const std::string& path) {
  constexpr size_t kBlock = size_t{1} << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return uint64_t{0};
  NEARDUP_ASSIGN(const std::unique_ptr<FileBytes> file, FileBytes::Open(path));
  uint64_t lines = 0;
  char last = '\n';
  std::string block;
  // An error shows again where the records are read.
  while (!file->at_end() && file->Read(kBlock, 0, block).ok()) {
    lines += static_cast<uint64_t>(std::ranges::count(block, '\n'));
    if (!block.empty()) last = block.back();
    block.clear();
  }
  return lines + (last == '\n' ? 0 : 1);
}

namespace {

constexpr int kPollTimeoutMs = 200;

}  // namespace

Result<std::span<const Message>> SampledSource::ReadAhead(size_t records_max, size_t bytes_max,
                                                          size_t records_enough) {
  size_t bytes = 0;
  while (ahead_.size() < records_max && bytes < bytes_max && !read_all()) {
    const size_t before = ahead_.size();
    const size_t source = reading_;
    NEARDUP_TRY(PollNext(records_max - before, kPollTimeoutMs, ahead_));
    source_of_.resize(ahead_.size(), source);
    for (size_t i = before; i < ahead_.size(); ++i) bytes += BytesOf(ahead_[i]);
    const bool pauses = ahead_.size() == before && reading_ == source;
    if (pauses && before >= records_enough) break;
  }
  return std::span<const Message>(ahead_);
}

Result<void> SampledSource::PollNext(size_t records_max, int timeout_ms,
                                     std::vector<Message>& out) {
  if (read_all()) return {};
  NEARDUP_TRY(sources_[reading_]->Poll(records_max, timeout_ms, out));
  if (sources_[reading_]->exhausted()) ++reading_;
  return {};
}

int64_t SampledSource::AheadOf(size_t source) const {
  return std::count(source_of_.begin() + static_cast<std::ptrdiff_t>(polled_), source_of_.end(),
                    source);
}

Result<FoundInputs> SampledSource::Find() {
  FoundInputs all;
  for (const auto& source : sources_) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
    all.partitions.push_back(partitions.at(0));
  }
  std::ranges::sort(all.partitions);
  return all;
}

Result<OffsetBounds> SampledSource::Bounds(const InputPartition& partition) {
  for (const auto& source : sources_) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source->Partitions());
    if (partitions.at(0) == partition) return source->Bounds(partition);
  }
  return OffsetBounds{};
}

Result<void> SampledSource::Assign(std::span<const InputAssignment> inputs) {
  for (size_t source = 0; source < sources_.size(); ++source) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, sources_[source]->Partitions());
    const auto input = std::ranges::find(inputs, partitions.at(0), &InputAssignment::partition);
    if (input == inputs.end()) continue;
    InputAssignment assigned = *input;
    assigned.next_offset += AheadOf(source);
    for (size_t i = polled_; i < ahead_.size(); ++i) {
      if (source_of_[i] == source) ahead_[i].position.input = assigned.input;
    }
    NEARDUP_TRY(sources_[source]->Assign({&assigned, 1}));
  }
  return {};
}

Result<void> SampledSource::Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) {
  if (polled_ == ahead_.size()) {
    ahead_.clear();
    source_of_.clear();
    polled_ = 0;
    return PollNext(records_max, timeout_ms, out);
  }
  const size_t end = polled_ + std::min(records_max, ahead_.size() - polled_);
  for (; polled_ < end; ++polled_) out.push_back(std::move(ahead_[polled_]));
  return {};
}

std::vector<InputStatus> SampledSource::Status() {
  std::vector<InputStatus> status;
  for (size_t source = 0; source < sources_.size(); ++source) {
    for (InputStatus& input : sources_[source]->Status()) {
      const int64_t ahead = AheadOf(source);
      input.next_offset -= ahead;
      input.at_end = input.at_end && ahead == 0;
      status.push_back(input);
    }
  }
  return status;
}

}  // namespace neardup
