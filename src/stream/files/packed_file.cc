#include "stream/files/packed_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

namespace neardup {
namespace {

constexpr int kGzip = 16 + MAX_WBITS;
constexpr int kMemoryLevel = 8;
constexpr size_t kBlockBytes = size_t{64} << 10;

}  // namespace

class PackedFile::Deflater {
 public:
  Deflater() {
    ready_ = deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemoryLevel,
                          Z_DEFAULT_STRATEGY) == Z_OK;
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  bool ready() const { return ready_; }

  Result<void> Put(std::string_view bytes, OutputFile& file) {
    while (!bytes.empty()) {
      const size_t taken =
          std::min<size_t>(bytes.size(), std::numeric_limits<decltype(stream_.avail_in)>::max());
      stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data()));
      stream_.avail_in = static_cast<decltype(stream_.avail_in)>(taken);
      NEARDUP_TRY(Run(Z_NO_FLUSH, file));
      bytes.remove_prefix(taken);
    }
    return {};
  }
  Result<void> End(OutputFile& file) {
    stream_.avail_in = 0;
    return Run(Z_FINISH, file);
  }

 private:
  Result<void> Run(int flush, OutputFile& file) {
    do {
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<decltype(stream_.avail_out)>(block_.size());
      deflate(&stream_, flush);
      const size_t bytes = block_.size() - stream_.avail_out;
      NEARDUP_TRY(file.Write({reinterpret_cast<const char*>(block_.data()), bytes}));
    } while (stream_.avail_out == 0);
    return {};
  }

  z_stream stream_{};
  bool ready_ = false;
  std::array<Bytef, kBlockBytes> block_{};
};

PackedFile::PackedFile(OutputFile file, std::unique_ptr<Deflater> deflater)
    : file_(std::move(file)), deflater_(std::move(deflater)) {}
PackedFile::PackedFile(PackedFile&&) noexcept = default;
PackedFile& PackedFile::operator=(PackedFile&&) noexcept = default;
PackedFile::~PackedFile() = default;

Result<PackedFile> PackedFile::Open(const std::string& path) {
  if (path.ends_with(".zst")) {
    return Error{ErrorCode::kConfig,
                 path +
                     ": cannot be written, because outputs are not compressed with zstd; end its "
                     "name with .gz, or write to - and pipe that through zstd"};
  }
  NEARDUP_ASSIGN(OutputFile file, OutputFile::Open(path));
  std::unique_ptr<Deflater> deflater;
  if (path.ends_with(".gz")) {
    deflater = std::make_unique<Deflater>();
    if (!deflater->ready()) {
      return Error{ErrorCode::kIo, path + ": there is not enough memory to compress it"};
    }
  }
  return PackedFile(std::move(file), std::move(deflater));
}

Result<void> PackedFile::Write(std::string_view bytes) {
  return deflater_ ? deflater_->Put(bytes, file_) : file_.Write(bytes);
}

Result<void> PackedFile::Flush() { return file_.Flush(); }

Result<void> PackedFile::Finish(std::span<PackedFile* const> files) {
  std::vector<OutputFile*> ended;
  for (PackedFile* file : files) {
    if (file->deflater_) NEARDUP_TRY(file->deflater_->End(file->file_));
    ended.push_back(&file->file_);
  }
  return OutputFile::Finish(ended);
}

}  // namespace neardup
