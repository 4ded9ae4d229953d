#include "stream/files/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace neardup {
namespace {

constexpr std::string_view kGzipMagic = "\x1f\x8b";
constexpr std::string_view kZstdMagic = "\x28\xb5\x2f\xfd";
// A frame to be skipped, which parallel compressors write first: 0x184D2A50 to 0x184D2A5F.
constexpr std::string_view kSkippedMagicEnd = "\x2a\x4d\x18";
/// Window bits for zlib: the largest window, and gzip only.
constexpr int kGzipOnly = 16 + MAX_WBITS;

Error Damaged(std::string_view name, std::string_view why) {
  return Fatal(
      ErrorCode::kIo,
      fmt::format("damaged {0} data ({1}); earlier lines may be wrong too; check it with {0} -t",
                  name, why));
}

bool BeginsGzip(std::string_view bytes) { return bytes.starts_with(kGzipMagic); }

bool BeginsZstd(std::string_view bytes) {
  const bool skipped = !bytes.empty() && (static_cast<unsigned char>(bytes[0]) & 0xF0) == 0x50 &&
                       bytes.substr(1).starts_with(kSkippedMagicEnd);
  return skipped || bytes.starts_with(kZstdMagic);
}

class GzipDecompressor : public Decompressor {
 public:
  ~GzipDecompressor() override {
    if (ready_) inflateEnd(&zlib_);
  }
  const char* name() const override { return "gzip"; }
  bool Begins(std::string_view bytes) const override { return BeginsGzip(bytes); }
  size_t beginning_bytes() const override { return kGzipMagic.size(); }
  size_t Padding(std::string_view bytes) const override {
    return std::min(bytes.find_first_not_of('\0'), bytes.size());
  }
  Result<void> Start() override {
    const int code = ready_ ? inflateReset(&zlib_) : inflateInit2(&zlib_, kGzipOnly);
    if (code != Z_OK) return Fatal(ErrorCode::kIo, "zlib cannot start");
    ready_ = true;
    return {};
  }
  Result<bool> Run(std::string_view& in, size_t bytes_max, std::string& out) override {
    const size_t before = out.size();
    out.resize(before + bytes_max);
    zlib_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(in.data()));
    zlib_.avail_in = static_cast<uInt>(in.size());
    zlib_.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    zlib_.avail_out = static_cast<uInt>(bytes_max);
    const int code = inflate(&zlib_, Z_NO_FLUSH);
    in.remove_prefix(in.size() - zlib_.avail_in);
    out.resize(out.size() - zlib_.avail_out);
    if (code == Z_STREAM_END || code == Z_OK || code == Z_BUF_ERROR) return code == Z_STREAM_END;
    return Damaged(name(), zlib_.msg == nullptr ? "out of memory" : zlib_.msg);
  }
  bool holds_more() const override { return ready_ && zlib_.avail_out == 0; }

 private:
  z_stream zlib_ = {};
  bool ready_ = false;
};

class ZstdDecompressor : public Decompressor {
 public:
  ~ZstdDecompressor() override { ZSTD_freeDStream(zstd_); }
  const char* name() const override { return "zstd"; }
  bool Begins(std::string_view bytes) const override { return BeginsZstd(bytes); }
  size_t beginning_bytes() const override { return kZstdMagic.size(); }
  size_t Padding(std::string_view) const override { return 0; }
  Result<void> Start() override {
    if (zstd_ == nullptr) zstd_ = ZSTD_createDStream();
    if (zstd_ == nullptr || ZSTD_isError(ZSTD_initDStream(zstd_)) != 0) {
      return Fatal(ErrorCode::kIo, "zstd cannot start");
    }
    return {};
  }
  Result<bool> Run(std::string_view& in, size_t bytes_max, std::string& out) override {
    const size_t before = out.size();
    out.resize(before + bytes_max);
    ZSTD_inBuffer from = {in.data(), in.size(), 0};
    ZSTD_outBuffer to = {out.data() + before, bytes_max, 0};
    const size_t code = ZSTD_decompressStream(zstd_, &to, &from);
    in.remove_prefix(from.pos);
    out.resize(before + to.pos);
    full_ = to.pos == to.size;
    if (ZSTD_isError(code) == 0) return code == 0;
    if (ZSTD_getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge) {
      return Fatal(
          ErrorCode::kIo,
          "needs more than 128 MiB to decompress, expected a smaller window of zstd; decompress it "
          "first, for instance with zstd -dc --long=31");
    }
    return Damaged(name(), ZSTD_getErrorName(code));
  }
  bool holds_more() const override { return full_; }

 private:
  ZSTD_DStream* zstd_ = nullptr;
  bool full_ = false;
};

/// Whether a longer text could begin with `magic`.
bool IsBeginningOf(std::string_view bytes, std::string_view magic) {
  return bytes.size() < magic.size() && magic.starts_with(bytes);
}

}  // namespace

std::unique_ptr<Decompressor> Decompressor::For(std::string_view beginning) {
  if (BeginsGzip(beginning)) return std::make_unique<GzipDecompressor>();
  if (BeginsZstd(beginning)) return std::make_unique<ZstdDecompressor>();
  return nullptr;
}

bool Decompressor::IsUndecided(std::string_view beginning) {
  if (IsBeginningOf(beginning, kGzipMagic) || IsBeginningOf(beginning, kZstdMagic)) return true;
  const bool skipped = (static_cast<unsigned char>(beginning[0]) & 0xF0) == 0x50;
  return skipped && IsBeginningOf(beginning.substr(1), kSkippedMagicEnd);
}

namespace {

constexpr size_t kReadBytes = size_t{1} << 18;

Error Failed(std::string text) { return Fatal(ErrorCode::kIo, std::move(text)); }

Error CannotRead() { return Failed(fmt::format("cannot be read: {}", std::strerror(errno))); }

}  // namespace

Result<std::unique_ptr<FileBytes>> FileBytes::Open(const std::string& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, "found a folder, expected a file"};
  }
  Descriptor descriptor(path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                    : open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (descriptor.get() < 0) {
    return Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 fmt::format("cannot be opened: {}", std::strerror(errno))};
  }
  std::unique_ptr<FileBytes> file(new FileBytes(std::move(descriptor)));
  struct stat status = {};
  if (fstat(file->descriptor_.get(), &status) == 0 && S_ISREG(status.st_mode)) {
    const off_t begin = lseek(file->descriptor_.get(), 0, SEEK_CUR);
    if (begin >= 0 && status.st_size > begin) file->bytes_at_open_ = status.st_size - begin;
  }
  return file;
}

std::optional<uint64_t> FileBytes::bytes_at_open() const {
  return state_ == State::kPlain ? bytes_at_open_ : std::nullopt;
}

bool FileBytes::at_end() const {
  const bool may_end = state_ != State::kMember;
  return end_of_file_ && rest().empty() && may_end;
}

bool FileBytes::NeedsBytes() const {
  switch (state_) {
    case State::kUnknown:
      return Decompressor::IsUndecided(rest());
    case State::kPlain:
      return rest().empty();
    case State::kMember:
      return rest().empty() && !decompressor_->holds_more();
    case State::kBetween:
      return rest().size() < decompressor_->beginning_bytes();
  }
  return false;
}

Result<void> FileBytes::Read(size_t bytes_max, int timeout_ms, std::string& out) {
  if (NeedsBytes() && !end_of_file_) {
    NEARDUP_TRY(Fill(timeout_ms));
    if (NeedsBytes() && !end_of_file_) return {};
  }
  if (state_ == State::kUnknown) {
    decompressor_ = Decompressor::For(rest());
    state_ = decompressor_ ? State::kBetween : State::kPlain;
  }
  if (state_ == State::kPlain) {
    const std::string_view bytes = rest().substr(0, bytes_max);
    out += bytes;
    begin_ += bytes.size();
    return {};
  }
  if (state_ == State::kBetween) NEARDUP_TRY(BetweenMembers());
  if (state_ == State::kMember) NEARDUP_TRY(Decompress(bytes_max, out));
  return {};
}

Result<void> FileBytes::Fill(int timeout_ms) {
  pollfd polled = {descriptor_.get(), POLLIN, 0};
  const int ready = poll(&polled, 1, timeout_ms);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return {};
  pending_.erase(0, begin_);
  begin_ = 0;
  const size_t before = pending_.size();
  pending_.resize(before + kReadBytes);
  const ssize_t got = read(descriptor_.get(), pending_.data() + before, kReadBytes);
  pending_.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0 && errno != EINTR && errno != EAGAIN) return CannotRead();
  end_of_file_ = got == 0;
  return {};
}

Result<void> FileBytes::BetweenMembers() {
  if (members_ > 0) begin_ += decompressor_->Padding(rest());
  if (rest().empty()) return {};
  if (NeedsBytes() && !end_of_file_) return {};
  if (!decompressor_->Begins(rest())) {
    return Failed(
        fmt::format("found other bytes after the end of the {0} data, expected the end of the "
                    "file or more {0} data; was something appended to the file without "
                    "compression?",
                    decompressor_->name()));
  }
  NEARDUP_TRY(decompressor_->Start());
  ++members_;
  state_ = State::kMember;
  return {};
}

Result<void> FileBytes::Decompress(size_t bytes_max, std::string& out) {
  const size_t before = out.size();
  std::string_view in = rest();
  NEARDUP_ASSIGN(const bool ended, decompressor_->Run(in, bytes_max, out));
  begin_ = pending_.size() - in.size();
  if (ended) {
    state_ = State::kBetween;
    return {};
  }
  const bool stuck = out.size() == before && in.empty() && end_of_file_;
  if (!stuck) return {};
  return Failed(fmt::format("ends in the middle of the {} data", decompressor_->name()));
}

}  // namespace neardup
