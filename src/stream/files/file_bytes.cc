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
#include <utility>

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

struct FileBytes::Parts {
  enum class State { kUnknown, kPlain, kMember, kBetween };

  int descriptor = -1;
  std::optional<uint64_t> bytes_at_open;
  State state = State::kUnknown;
  std::string pending;  ///< read, but not passed on
  size_t begin = 0;     ///< where the bytes in `pending` begin that are not handed out yet
  bool end_of_file = false;
  uint64_t members = 0;                        ///< that have begun
  std::unique_ptr<Decompressor> decompressor;  ///< nullptr: the bytes are not compressed

  std::string_view rest() const { return std::string_view(pending).substr(begin); }
  ~Parts() {
    if (descriptor >= 0) close(descriptor);
  }
};

Result<std::unique_ptr<FileBytes>> FileBytes::Open(const std::string& path) {
  std::error_code ignored;
  if (path != "-" && std::filesystem::is_directory(path, ignored)) {
    return Error{ErrorCode::kIo, "found a folder, expected a file"};
  }
  auto parts = std::make_unique<Parts>();
  parts->descriptor = path == "-" ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                  : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (parts->descriptor < 0) {
    return Error{errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo,
                 fmt::format("cannot be opened: {}", std::strerror(errno))};
  }
  struct stat status = {};
  if (fstat(parts->descriptor, &status) == 0 && S_ISREG(status.st_mode)) {
    const off_t begin = lseek(parts->descriptor, 0, SEEK_CUR);
    if (begin >= 0 && status.st_size > begin) parts->bytes_at_open = status.st_size - begin;
  }
  return std::unique_ptr<FileBytes>(new FileBytes(std::move(parts)));
}

FileBytes::FileBytes(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

FileBytes::~FileBytes() = default;

std::optional<uint64_t> FileBytes::bytes_at_open() const {
  return parts_->state == Parts::State::kPlain ? parts_->bytes_at_open : std::nullopt;
}

bool FileBytes::at_end() const {
  const bool may_end = parts_->state != Parts::State::kMember;
  return parts_->end_of_file && parts_->rest().empty() && may_end;
}

bool FileBytes::NeedsBytes() const {
  const Parts& parts = *parts_;
  const std::string_view rest = parts.rest();
  switch (parts.state) {
    case Parts::State::kUnknown:
      return Decompressor::IsUndecided(rest);
    case Parts::State::kPlain:
      return rest.empty();
    case Parts::State::kMember:
      return rest.empty() && !parts.decompressor->holds_more();
    case Parts::State::kBetween:
      return rest.size() < parts.decompressor->beginning_bytes();
  }
  return false;
}

Result<void> FileBytes::Read(size_t bytes_max, int timeout_ms, std::string& out) {
  Parts& parts = *parts_;
  if (NeedsBytes() && !parts.end_of_file) {
    NEARDUP_TRY(Fill(timeout_ms));
    if (NeedsBytes() && !parts.end_of_file) return {};
  }
  if (parts.state == Parts::State::kUnknown) {
    parts.decompressor = Decompressor::For(parts.rest());
    parts.state = parts.decompressor ? Parts::State::kBetween : Parts::State::kPlain;
  }
  if (parts.state == Parts::State::kPlain) {
    const std::string_view bytes = parts.rest().substr(0, bytes_max);
    out += bytes;
    parts.begin += bytes.size();
    return {};
  }
  if (parts.state == Parts::State::kBetween) NEARDUP_TRY(BetweenMembers());
  if (parts.state == Parts::State::kMember) NEARDUP_TRY(Decompress(bytes_max, out));
  return {};
}

Result<void> FileBytes::Fill(int timeout_ms) {
  Parts& parts = *parts_;
  pollfd polled = {parts.descriptor, POLLIN, 0};
  const int ready = poll(&polled, 1, timeout_ms);
  if (ready == 0 || (ready < 0 && errno == EINTR)) return {};
  parts.pending.erase(0, parts.begin);
  parts.begin = 0;
  const size_t before = parts.pending.size();
  parts.pending.resize(before + kReadBytes);
  const ssize_t got = read(parts.descriptor, parts.pending.data() + before, kReadBytes);
  parts.pending.resize(before + static_cast<size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0 && errno != EINTR && errno != EAGAIN) return CannotRead();
  parts.end_of_file = got == 0;
  return {};
}

Result<void> FileBytes::BetweenMembers() {
  Parts& parts = *parts_;
  Decompressor& decompressor = *parts.decompressor;
  if (parts.members > 0) parts.begin += decompressor.Padding(parts.rest());
  if (parts.rest().empty()) return {};
  if (NeedsBytes() && !parts.end_of_file) return {};
  if (!decompressor.Begins(parts.rest())) {
    return Failed(
        fmt::format("found other bytes after the end of the {0} data, expected the end of the "
                    "file or more {0} data; was something appended to the file without "
                    "compression?",
                    decompressor.name()));
  }
  NEARDUP_TRY(decompressor.Start());
  ++parts.members;
  parts.state = Parts::State::kMember;
  return {};
}

Result<void> FileBytes::Decompress(size_t bytes_max, std::string& out) {
  Parts& parts = *parts_;
  const size_t before = out.size();
  std::string_view in = parts.rest();
  NEARDUP_ASSIGN(const bool ended, parts.decompressor->Run(in, bytes_max, out));
  parts.begin = parts.pending.size() - in.size();
  if (ended) {
    parts.state = Parts::State::kBetween;
    return {};
  }
  const bool stuck = out.size() == before && in.empty() && parts.end_of_file;
  if (!stuck) return {};
  return Failed(fmt::format("ends in the middle of the {} data", parts.decompressor->name()));
}

}  // namespace neardup
