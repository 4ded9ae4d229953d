// A delta of the changelog. The target writes the right checksum, so that the fields are reached.
#include "stream/state/delta.h"

#include "detect/base/hash.h"
#include "fuzz/fuzz_target.h"

namespace neardup {
namespace {

constexpr size_t kChecksumBytes = 8;

std::string WithChecksum(std::string_view body) {
  std::string bytes(body);
  const uint64_t checksum = Hash64(body);
  for (size_t i = 0; i < kChecksumBytes; ++i) {
    bytes += static_cast<char>(checksum >> 8 * i & 0xff);
  }
  return bytes;
}

Delta Sample() {
  Delta delta;
  delta.lane = 3;
  delta.epoch = 7;
  delta.seq_first = 12;
  delta.seq_last = 14;
  delta.watermark_ms = 1'700'000'000'000;
  delta.entries_live = 2;
  delta.spec = "{}";
  delta.inputs = {{{"news", 0}, 20, 1'700'000'000'000}, {{"news", 1}, 5, INT64_MIN}};
  Entry entry;
  entry.fingerprint = {1, 2, 3};
  entry.origin = {1, 4};
  entry.time_ms = 1'699'999'999'000;
  entry.text_keys.Add(99);
  delta.entries = {entry, entry};
  return delta;
}

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  Delta fresh = Sample();
  fresh.fresh = true;
  fresh.settings_seq = 12;
  Delta named = Sample();
  named.log_id = named.writer = 8;
  named.writer_before = 9;
  named.pipeline = {{"blog", "news"}, "{topic}.unique", "duplicate", "dead"};
  Delta numbered = named;
  numbered.endpoint = "a:1";
  numbered.entries[0].fingerprint.numbers = 3;
  for (const Delta& delta : {Delta(), Sample(), fresh, named, numbered}) {
    std::string bytes = Encode(delta);
    bytes.resize(bytes.size() - kChecksumBytes);
    seeds.push_back(bytes);
  }
  return seeds;
}

void Run(std::string_view text) {
  const std::string bytes = WithChecksum(text);
  const Result<Delta> delta = DecodeDelta(bytes);
  if (!delta.ok()) {
    Require(delta.error().code == ErrorCode::kCorrupt && !delta.error().text.empty(),
            "a refusal has another code, or no text");
    return;
  }
  const Result<Delta> again = DecodeDelta(Encode(*delta));
  Require(again.ok() && *again == *delta, "a delta differs after it was encoded and decoded");
}

}  // namespace

extern const FuzzTarget kDeltaTarget{"delta", Seeds, Run};

}  // namespace neardup
