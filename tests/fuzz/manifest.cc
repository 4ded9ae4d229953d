// The manifest of a snapshot.
#include "fuzz/fuzz_target.h"
#include "stream/state/snapshot.h"

namespace neardup {
namespace {

std::vector<std::string> Seeds() {
  SnapshotManifest manifest;
  manifest.number = 4;
  manifest.lane = 1;
  manifest.spec = "{\"fields\":[]}";
  manifest.written_ms = 1'700'000'000'000;
  manifest.changelog = "news-changelog";
  manifest.end = {77, 123456789};
  manifest.seq = 99;
  manifest.segments = {{1, 100, 5, 2, 1, 0, 1'699'999'999'000}, {2, 50, 6, 0, 50, 60, INT64_MIN}};
  return {Encode(manifest)};
}

void Run(std::string_view text) {
  const Result<SnapshotManifest> manifest = DecodeSnapshotManifest(text);
  if (manifest.ok()) Require(Encode(*manifest) == text, "accepts what Encode does not write");
}

}  // namespace

extern const FuzzTarget kManifestTarget{"manifest", Seeds, Run};

}  // namespace neardup
