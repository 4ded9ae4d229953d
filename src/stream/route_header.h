// Percent-encoding (RFC 3986, section 2.1) of text inside route headers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/fingerprint.h"
#include "neardup/result.h"
#include "neardup/verdict.h"
#include "state/input.h"
#include "stream/lane_options.h"
#include "stream/message.h"

namespace neardup {

/// Appends `text`; every byte but ASCII letters, digits and -._~/:,()' becomes %XX.
void AppendPercentEncoded(std::string& out, std::string_view text);
/// nullopt when a byte stands unencoded that must not, or a '%' has no two hex digits behind it.
std::optional<std::string> PercentDecoded(std::string_view text);

// What an output record tells of its verdict, in headers of ours appended after its own.
//
// FORMAT. HeaderStyle::kPacked is one header `neardup`, text, fields parted by ';', in this order:
//
//   seq=81                    the lane's count of decided records
//   origin=news/3/5512        input topic, partition, offset; the last two '/' part them
//   original=news/1/771       duplicates only, as the next two: the record it repeats
//   distance=2                of the simhashes; of another scheme, what that says
//   kind=near                 exact|near
//   reason=parse              dead letters only, as the next: a Reason's name
//   error=...                 for a person; cut to kRouteErrorBytesMax, left out when empty
//   late, clamped, passed     flags without a value, only where they hold
//   simhash=%016x;order=%016x;exact=%016x   kFull only, and only where there is a fingerprint
//
// In topics and errors every byte but ASCII letters, digits and -._~/:,()' is percent-encoded, so
// Kafka's topic names stand as they are. HeaderStyle::kSeparate writes one header per field,
// `neardup-seq`, `neardup-origin`, ..., with the same text; flags have the value `true`.
// HeaderStyle::kNone writes nothing.

/// Bytes kept of a dead letter's error before encoding, cut at the border of a UTF-8 character.
inline constexpr size_t kRouteErrorBytesMax = 300;

/// Builds the headers in memory of its own, which is reused: no allocation once warm.
/// One owner thread.
class RouteHeaderWriter {
 public:
  explicit RouteHeaderWriter(HeaderStyle style) : style_(style) {}

  /// `original`: input partition of verdict.match.original; set for duplicates, unused otherwise.
  /// The result is valid until the next call. Empty for HeaderStyle::kNone.
  const std::vector<HeaderView>& Write(uint64_t seq, const InputPartition& origin,
                                       int64_t origin_offset, const Verdict& verdict,
                                       const InputPartition* original,
                                       const Fingerprint& fingerprint);

 private:
  void WriteVerdict(const Verdict& verdict, const InputPartition* original);
  void WriteFingerprint(const Fingerprint& fingerprint);
  /// Starts a field; its value is what is appended to `text_` until the next one.
  void StartField(std::string_view header_name);
  void StartFlag(std::string_view header_name);
  void AppendPosition(const InputPartition& partition, int64_t offset);

  struct Field {
    std::string_view header_name;
    size_t begin;  ///< of the value in text_
  };

  HeaderStyle style_;
  std::string text_;
  std::vector<Field> fields_;
  std::vector<HeaderView> headers_;
};

struct ParsedOriginal {
  InputPartition partition;
  int64_t offset = 0;
  int distance = 0;
  MatchKind kind = MatchKind::kExact;

  bool operator==(const ParsedOriginal&) const = default;
};

struct ParsedHeader {
  uint64_t seq = 0;
  InputPartition origin;
  int64_t origin_offset = 0;
  std::optional<ParsedOriginal> original;
  Reason reason = Reason::kNone;
  std::string error;
  bool late = false;
  bool clamped = false;
  bool passed = false;
  std::optional<Fingerprint> fingerprint;
  /// Where our headers stand among all: `count` of them from `first` on. The others are the
  /// record's own.
  size_t first = 0;
  size_t count = 0;

  Decision decision() const {
    if (original.has_value()) return Decision::kDuplicate;
    return reason == Reason::kNone ? Decision::kUnique : Decision::kDeadLetter;
  }
  bool operator==(const ParsedHeader&) const = default;
};

/// Reads our headers of any style out of all headers of an output record. A record may carry those
/// of an earlier lane too, as headers of its own: the last ones count. kNotFound: there are none;
/// kCorrupt: they do not have the form above, the text says where.
Result<ParsedHeader> ParseRouteHeader(const std::vector<HeaderView>& headers);

}  // namespace neardup
