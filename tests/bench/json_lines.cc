#include "bench/json_lines.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <string_view>

#include "neardup/options.h"
#include "neardup/record.h"
#include "record/field_extractor.h"
#include "record/field_selection.h"

namespace neardup {
namespace {

constexpr unsigned kReadBytes = 1U << 20;

struct Close {
  void operator()(gzFile_s* file) const { gzclose(file); }
};

Result<std::string> ReadFile(const std::string& path) {
  errno = 0;
  const std::unique_ptr<gzFile_s, Close> file(gzopen(path.c_str(), "rb"));
  if (file == nullptr) {
    const ErrorCode code = errno == ENOENT ? ErrorCode::kNotFound : ErrorCode::kIo;
    return Error{code, path + ": cannot be opened: " + std::strerror(errno)};
  }
  std::string content;
  for (;;) {
    const size_t before = content.size();
    content.resize(before + kReadBytes);
    const int got = gzread(file.get(), content.data() + before, kReadBytes);
    content.resize(before + static_cast<size_t>(std::max(got, 0)));
    if (got > 0) continue;
    int code = Z_OK;
    const char* text = gzerror(file.get(), &code);
    if (got == 0 && (code == Z_OK || code == Z_STREAM_END)) return content;
    return Error{ErrorCode::kIo,
                 path + ": cannot be read: " + (code == Z_ERRNO ? std::strerror(errno) : text)};
  }
}

std::string Joined(const std::vector<TextPiece>& pieces, size_t field_count) {
  std::string joined;
  for (size_t field = 0; field < std::max<size_t>(field_count, 1); ++field) {
    for (const TextPiece& piece : pieces) {
      if (piece.field != field) continue;
      if (!joined.empty()) joined += '\n';
      joined += piece.text;
    }
  }
  return joined;
}

}  // namespace

Result<RecordTexts> ReadTexts(const std::string& path, const std::vector<std::string>& fields) {
  RecordOptions options;
  for (const std::string& field : fields) {
    if (const auto parsed = ParseFieldPath(field); !parsed.ok()) return parsed.error();
    options.fields.push_back({field});
  }
  NEARDUP_ASSIGN(const std::string content, ReadFile(path));

  FieldExtractor extractor(options);
  RecordTexts read;
  std::string_view rest = content;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const ExtractedRecord& record = extractor.Extract({{}, 0, rest.substr(0, end)});
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (record.outcome.reason != Reason::kNone) {
      ++read.refused;
    } else {
      read.texts.push_back(Joined(record.pieces, fields.size()));
    }
  }
  return read;
}

}  // namespace neardup
