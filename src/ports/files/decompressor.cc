#include "files/decompressor.h"

#include <fmt/format.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>

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

}  // namespace neardup
