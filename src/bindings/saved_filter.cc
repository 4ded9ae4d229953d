#include "bindings/saved_filter.h"

#include <fmt/format.h>

#include <utility>

#include "bindings/filter_settings.h"
#include "detect/base/file.h"
#include "detect/base/hash.h"
#include "detect/base/message_text.h"
#include "stream/state/byte_stream.h"
#include "stream/state/delta.h"
#include "stream/state/durable_file.h"

namespace neardup {
namespace {

constexpr std::string_view kMagic = "NDSF";
constexpr uint16_t kVersion = 1;
constexpr size_t kChecksumBytes = 8;

}  // namespace

void EntryLog::Add(const Delta& delta) {
  Part part{Encode(delta), delta.entries.size()};
  bytes_ += part.bytes.size();
  entries_ += part.entries;
  parts_.push_back(std::move(part));
}

void EntryLog::DropForgotten(uint64_t entries) {
  while (parts_.size() > 1 && entries_ - parts_.front().entries >= entries) {
    bytes_ -= parts_.front().bytes.size();
    entries_ -= parts_.front().entries;
    parts_.pop_front();
  }
}

Result<std::unique_ptr<SavedFilter>> SavedFilter::New(const BatchOptions& options) {
  NEARDUP_ASSIGN(std::unique_ptr<BatchFilter> filter, BatchFilter::New(options));
  return std::unique_ptr<SavedFilter>(new SavedFilter(options, std::move(filter)));
}

SavedFilter::SavedFilter(const BatchOptions& options, std::unique_ptr<BatchFilter> filter)
    : options_(options), filter_(std::move(filter)) {
  filter_->SetSink([this](const Delta& delta) {
    log_.DropForgotten(filter_->filter().entries() - filter_->filter().uncommitted().size());
    log_.Add(delta);
  });
}

Result<void> SavedFilter::Save(const std::filesystem::path& path) {
  filter_->Commit();
  log_.DropForgotten(filter_->filter().entries());
  ByteWriter writer;
  writer.Raw(kMagic);
  writer.U16(kVersion);
  writer.Text(FilterSettingsText(options_.filter));
  writer.Varint(options_.commit_records);
  writer.Varint(log_.parts().size());
  for (const EntryLog::Part& part : log_.parts()) writer.Text(part.bytes);
  writer.U64(Hash64(writer.bytes()));
  return WriteFileDurably(std::filesystem::absolute(path), writer.bytes());
}

Result<std::unique_ptr<SavedFilter>> SavedFilter::Load(const std::filesystem::path& path,
                                                       uint32_t threads) {
  const Result<std::string> bytes = ReadFile(path);
  if (!bytes.ok()) return Named(path.string(), bytes.error());
  Result<std::unique_ptr<SavedFilter>> loaded = Decode(*bytes, threads);
  if (!loaded.ok()) return Named(path.string(), loaded.error());
  return loaded;
}

Result<std::unique_ptr<SavedFilter>> SavedFilter::Decode(std::string_view bytes, uint32_t threads) {
  ByteReader reader(bytes);
  if (reader.Raw(kMagic.size(), "the magic number") != kMagic) {
    return Error{ErrorCode::kCorrupt,
                 "this is no saved filter; expected a file that begins with "
                 "NDSF"};
  }
  const uint16_t version = reader.U16("the version");
  if (reader.ok() && version != kVersion) {
    return Error{ErrorCode::kMismatch,
                 fmt::format("this is a saved filter of version {}, and this program reads version "
                             "{}; save it again with this version of neardup",
                             version, kVersion)};
  }
  if (bytes.size() < kChecksumBytes) return reader.error();
  const std::string_view body = bytes.substr(0, bytes.size() - kChecksumBytes);
  if (ByteReader(bytes.substr(body.size())).U64("the checksum") != Hash64(body)) {
    return Error{ErrorCode::kCorrupt,
                 "the file is damaged: its checksum does not fit its content; "
                 "take a copy of it, or begin with a new filter"};
  }
  const std::string_view settings = reader.Text("the settings");
  BatchOptions options;
  options.threads = threads;
  options.commit_records = reader.Varint("the records of a commit");
  const size_t deltas = reader.Count(1, "the number of deltas");
  if (!reader.ok()) return reader.error();
  NEARDUP_ASSIGN(const FilterSettings parsed, ParseFilterSettings(settings));
  options.filter = parsed.options;
  NEARDUP_ASSIGN(std::unique_ptr<SavedFilter> saved, New(options));
  for (size_t i = 0; i < deltas; ++i) {
    NEARDUP_ASSIGN(Delta delta, DecodeDelta(reader.Text("a delta")));
    saved->log_.Add(delta);
    NEARDUP_TRY(saved->filter_->Restore(std::move(delta)));
  }
  if (!reader.ok()) return reader.error();
  return saved;
}

}  // namespace neardup
