// A segment of a snapshot. The target states the right size and checksum, so that the deltas are
// reached.
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "detect/base/hash.h"
#include "fuzz/fuzz_target.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

/// A folder in memory where there is one.
const std::filesystem::path& Folder() {
  static const std::filesystem::path folder = [] {
    const bool shm = std::filesystem::is_directory("/dev/shm");
    const auto base = shm ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string pattern = (base / "neardup-fuzz-XXXXXX").string();
    Require(mkdtemp(pattern.data()) != nullptr, "the temporary folder cannot be made");
    static const struct Remover {
      std::filesystem::path path;
      ~Remover() { std::filesystem::remove_all(path); }
    } remover{pattern};
    return std::filesystem::path(pattern);
  }();
  return folder;
}

std::string Bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  SnapshotSegment row;
  row.number = 1;
  Result<SegmentWriter> writer = SegmentWriter::Start(Folder(), 0, row);
  Require(writer.ok(), "a segment cannot be written");
  seeds.push_back(Bytes(SegmentPath(Folder(), 1)));
  for (uint64_t seq = 1; seq < 4; ++seq) {
    Delta delta;
    delta.seq_first = delta.seq_last = seq;
    delta.inputs = {{{"news", 0}, static_cast<int64_t>(seq), 1}};
    Require(writer->Append(delta, static_cast<int64_t>(seq)).ok() && writer->Sync().ok(),
            "a delta cannot be appended");
    seeds.push_back(Bytes(SegmentPath(Folder(), 1)));
  }
  return seeds;
}

void Run(std::string_view text) {
  SnapshotSegment row;
  row.number = 2;
  row.bytes = text.size();
  row.checksum = Hash64(text);
  std::ofstream(SegmentPath(Folder(), 2), std::ios::binary) << text;
  uint64_t deltas = 0;
  const Result<void> read = ReadSegment(Folder(), 0, row, [&](Delta&&) -> Result<void> {
    ++deltas;
    return {};
  });
  Require(deltas <= text.size(), "more deltas than bytes");
  if (!read.ok()) Require(!read.error().text.empty(), "a refusal has no text");
}

}  // namespace

extern const FuzzTarget kSegmentTarget{"segment", Seeds, Run};

}  // namespace neardup
