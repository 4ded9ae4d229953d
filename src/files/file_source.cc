#include "files/file_source.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace neardup {

namespace {
constexpr unsigned kReadBytes = 1U << 20;
}  // namespace

struct FileSource::Input {
  gzFile file = nullptr;
  ~Input() {
    if (file != nullptr) gzclose(file);
  }
};

Result<std::unique_ptr<FileSource>> FileSource::Open(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, fmt::format("{}: found a folder, expected a file", path)};
  }
  auto input = std::make_unique<Input>();
  errno = 0;
  input->file = path == "-" ? gzdopen(dup(STDIN_FILENO), "rb") : gzopen(path.c_str(), "rb");
  if (input->file == nullptr) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, fmt::format("{}: cannot be opened: {}", path, std::strerror(errno))};
  }
  gzbuffer(input->file, kReadBytes);
  return std::unique_ptr<FileSource>(new FileSource(path, std::move(input)));
}

FileSource::FileSource(std::string path, std::unique_ptr<Input> input)
    : path_(std::move(path)), input_(std::move(input)) {}

FileSource::~FileSource() = default;

Result<std::vector<InputPartition>> FileSource::Partitions() {
  return std::vector<InputPartition>{{path_, 0}};
}

Result<int64_t> FileSource::StartOffset(const InputPartition&, StartAt) { return int64_t{0}; }

Result<void> FileSource::Assign(std::span<const InputAssignment> inputs) {
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

Result<void> FileSource::Poll(size_t records_max, int /*timeout_ms*/, std::vector<Message>& out) {
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
    NEARDUP_TRY(Fill());
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

Result<void> FileSource::Fill() {
  const size_t before = pending_.size();
  pending_.resize(before + kReadBytes);
  const int got = gzread(input_->file, pending_.data() + before, kReadBytes);
  pending_.resize(before + static_cast<size_t>(std::max(got, 0)));
  int code = Z_OK;
  const char* text = gzerror(input_->file, &code);
  if (got < 0 || (got == 0 && code != Z_OK && code != Z_STREAM_END)) {
    return CannotRead(code, code == Z_ERRNO ? std::strerror(errno) : text);
  }
  exhausted_ = got == 0;
  return {};
}

Error FileSource::CannotRead(int zlib_code, std::string_view why) const {
  if (zlib_code == Z_BUF_ERROR) {
    return Fatal(
        ErrorCode::kIo,
        fmt::format("{}: ends in the middle of the gzip data, after line {}", path_, next_line_));
  }
  if (zlib_code != Z_DATA_ERROR) {
    return Fatal(ErrorCode::kIo,
                 fmt::format("{}: after line {}: cannot be read: {}", path_, next_line_, why));
  }
  // zlib puts its own name of the file before the reason.
  const size_t name_end = why.rfind(": ");
  if (name_end != std::string_view::npos) why.remove_prefix(name_end + 2);
  return Fatal(ErrorCode::kIo,
               fmt::format("{}: damaged gzip data ({}), found after line {}; earlier lines may be "
                           "wrong too; check it with gzip -t",
                           path_, why, next_line_));
}

std::vector<InputStatus> FileSource::Status() {
  return {{.input = number_, .next_offset = next_line_, .at_end = exhausted(), .lag_records = 0}};
}

}  // namespace neardup
