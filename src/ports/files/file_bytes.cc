#include "files/file_bytes.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

namespace neardup {

namespace {

constexpr size_t kReadBytes = size_t{1} << 18;
constexpr std::string_view kGzipMagic = "\x1f\x8b";
/// Window bits for zlib: the largest window, and gzip only.
constexpr int kGzipOnly = 16 + MAX_WBITS;

Error Failed(std::string text) { return Fatal(ErrorCode::kIo, std::move(text)); }

Error CannotRead() { return Failed(fmt::format("cannot be read: {}", std::strerror(errno))); }

}  // namespace

struct FileBytes::Parts {
  enum class State { kUnknown, kPlain, kMember, kBetween };

  int descriptor = -1;
  State state = State::kUnknown;
  std::string pending;  ///< read, but not passed on
  size_t begin = 0;     ///< where the bytes in `pending` begin that are not handed out yet
  bool end_of_file = false;
  z_stream zlib = {};
  bool zlib_ready = false;

  std::string_view rest() const { return std::string_view(pending).substr(begin); }
  ~Parts() {
    if (zlib_ready) inflateEnd(&zlib);
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
  return std::unique_ptr<FileBytes>(new FileBytes(std::move(parts)));
}

FileBytes::FileBytes(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

FileBytes::~FileBytes() = default;

bool FileBytes::at_end() const {
  const bool may_end = parts_->state != Parts::State::kMember;
  return parts_->end_of_file && parts_->rest().empty() && may_end;
}

Result<void> FileBytes::Read(size_t bytes_max, int timeout_ms, std::string& out) {
  Parts& parts = *parts_;
  const bool beginning =
      parts.state == Parts::State::kUnknown || parts.state == Parts::State::kBetween;
  const size_t wanted = beginning ? kGzipMagic.size() : 1;
  // zlib may still hold bytes that it read before.
  const bool inflated_all = parts.state != Parts::State::kMember || parts.zlib.avail_out > 0;
  if (parts.rest().size() < wanted && !parts.end_of_file && inflated_all) {
    NEARDUP_TRY(Fill(timeout_ms));
    if (parts.rest().size() < wanted && !parts.end_of_file) return {};
  }
  if (parts.state == Parts::State::kUnknown) {
    const bool gzip = parts.rest().starts_with(kGzipMagic);
    parts.state = gzip ? Parts::State::kBetween : Parts::State::kPlain;
  }
  if (parts.state == Parts::State::kPlain) {
    const std::string_view bytes = parts.rest().substr(0, bytes_max);
    out += bytes;
    parts.begin += bytes.size();
    return {};
  }
  if (parts.state == Parts::State::kBetween) NEARDUP_TRY(BetweenMembers());
  if (parts.state == Parts::State::kMember) NEARDUP_TRY(Inflate(bytes_max, out));
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
  const size_t padding = std::min(parts.rest().find_first_not_of('\0'), parts.rest().size());
  const bool first = !parts.zlib_ready;
  if (!first) parts.begin += padding;
  if (parts.rest().empty()) return {};
  if (parts.rest().size() < kGzipMagic.size() && !parts.end_of_file) return {};
  if (!parts.rest().starts_with(kGzipMagic)) {
    return Failed(
        "found other bytes behind the end of the gzip data, expected the end of the file or more "
        "gzip data; was something appended to the file without compression?");
  }
  const int ready = first ? inflateInit2(&parts.zlib, kGzipOnly) : inflateReset(&parts.zlib);
  if (ready != Z_OK) return Failed("zlib cannot start");
  parts.zlib_ready = true;
  parts.state = Parts::State::kMember;
  return {};
}

Result<void> FileBytes::Inflate(size_t bytes_max, std::string& out) {
  Parts& parts = *parts_;
  const size_t before = out.size();
  out.resize(before + bytes_max);
  parts.zlib.next_in = reinterpret_cast<Bytef*>(parts.pending.data() + parts.begin);
  parts.zlib.avail_in = static_cast<uInt>(parts.rest().size());
  parts.zlib.next_out = reinterpret_cast<Bytef*>(out.data() + before);
  parts.zlib.avail_out = static_cast<uInt>(bytes_max);
  const int code = inflate(&parts.zlib, Z_NO_FLUSH);
  parts.begin = parts.pending.size() - parts.zlib.avail_in;
  out.resize(out.size() - parts.zlib.avail_out);
  if (code == Z_STREAM_END) {
    parts.state = Parts::State::kBetween;
    return {};
  }
  if (code == Z_OK || code == Z_BUF_ERROR) {
    const bool stuck = out.size() == before && parts.rest().empty() && parts.end_of_file;
    return stuck ? Failed("ends in the middle of the gzip data") : Result<void>();
  }
  return Failed(
      fmt::format("damaged gzip data ({}); earlier lines may be wrong too; check it with "
                  "gzip -t",
                  parts.zlib.msg == nullptr ? "out of memory" : parts.zlib.msg));
}

}  // namespace neardup
