// The verdict on an output record, in headers that follow the record's own.
//
// FORMAT. HeaderStyle::kPacked is one header `neardup`, text, fields separated by ';', in this
// order:
//
//   seq=81                    the number of the decision in the lane, from 1
//   lane=2                    the lane, if the app has several; seq counts in each lane by itself
//   origin=news/3/5512        input topic, partition, offset; the last two '/' separate them
//   original=news/1/771       duplicates and suspects only, like the next two: the record that it
//                             repeats, or seems to repeat
//   distance=2                of the simhashes, 0 to 64
//   kind=near                 exact|near
//   reason=parse              dead letters only, like the next: the name of a Reason
//   error=...                 text for a person; cut to kRouteErrorBytesMax, absent when empty
//   late, clamped, passed     flags without a value, present only when they hold
//   suspect                   flag: unique, though it seems to repeat the original
//   released                  flag: a duplicate on the unique topic, one of many
//                             (RoutingOptions::release_exact_one_of)
//   replaces=news/1/771       duplicates on the unique topic only: the record of its group whose
//                             place it takes, because its event time is later (Keep::kNewest)
//   newest=news/3/5512        other duplicates of a lane that keeps the newest: the newest record
//                             of its group
//   keyed                     flag: the key is the key of the group (UniqueKey::kGroup); the
//                             record's own key is the value of the header `neardup-key` right
//                             before ours, null if the record has none
//   observed                  flag: a duplicate or a dead letter on the unique topic, because the
//                             lane observes (RoutingMode::kObserve)
//   simhash=%016x;order=%016x;exact=%016x;numbers=%016x   kFull only, and only where there is a
//                             fingerprint. The first headers had no `numbers`: they count as 0
//
// In topics and errors every byte except ASCII letters, digits and -._~/:,()' is percent-encoded,
// so that Kafka's topic names stay readable. HeaderStyle::kSeparate writes one header per field,
// `neardup-seq`, `neardup-origin`, ..., with the same text; flags have the value `true`.
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
#include "stream/lane/lane_options.h"
#include "stream/lane/ports.h"
#include "stream/state/route.h"

namespace neardup {

/// Percent-encoding (RFC 3986, section 2.1): appends `text`; every byte except ASCII letters,
/// digits and -._~/:,()' becomes %XX.
void AppendPercentEncoded(std::string& out, std::string_view text);
/// nullopt when a byte is not encoded that must be, or when two hex digits do not follow a '%'.
std::optional<std::string> PercentDecoded(std::string_view text);

/// How many bytes of a dead letter's error are kept, before encoding. Cut between two UTF-8
/// characters.
inline constexpr size_t kRouteErrorBytesMax = 300;

/// The key of a group (UniqueKey::kGroup): topic/partition/offset of its original, encoded as in
/// the header.
std::string GroupKey(const InputPartition& original, int64_t offset);

/// Builds the headers in memory of its own, which it reuses: it soon allocates nothing more.
/// One owner thread.
class RouteHeaderWriter {
 public:
  /// `lane`: nullopt if the app has only one.
  explicit RouteHeaderWriter(HeaderStyle style, std::optional<uint16_t> lane = std::nullopt)
      : style_(style), lane_(lane) {}

  /// RoutedRecord::headers of this record, valid until the next call.
  const std::vector<HeaderView>& Write(const RoutedRecord& record);

 private:
  void WriteVerdict(const RoutedRecord& record);
  void WriteFingerprint(const Fingerprint& fingerprint);
  /// Starts a field. Its value is what is appended to `text_` until the next one starts.
  void StartField(std::string_view header_name);
  void StartFlag(std::string_view header_name);
  void WriteGroup(const RoutedRecord& record);
  void AppendPosition(const InputPartition& partition, int64_t offset);

  struct Field {
    std::string_view header_name;
    size_t begin;  ///< of the value in text_
  };

  HeaderStyle style_;
  std::optional<uint16_t> lane_;
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

struct ParsedPosition {
  InputPartition partition;
  int64_t offset = 0;

  bool operator==(const ParsedPosition&) const = default;
};

struct ParsedHeader {
  uint64_t seq = 0;
  uint16_t lane = 0;
  InputPartition origin;
  int64_t origin_offset = 0;
  std::optional<ParsedOriginal> original;
  Reason reason = Reason::kNone;
  std::string error;
  bool late = false;
  bool clamped = false;
  bool passed = false;
  bool suspect = false;
  bool released = false;
  bool observed = false;
  bool keyed = false;
  std::optional<ParsedPosition> replaces;
  std::optional<ParsedPosition> newest;
  /// With `keyed`: the record's own key. Borrowed from the headers that were parsed.
  std::optional<std::string_view> own_key;
  std::optional<Fingerprint> fingerprint;
  /// Our headers are the `count` headers from index `first` on. The others are the record's own.
  size_t first = 0;
  size_t count = 0;

  Decision decision() const {
    if (original.has_value() && !suspect) return Decision::kDuplicate;
    return reason == Reason::kNone ? Decision::kUnique : Decision::kDeadLetter;
  }
  Route route() const {
    return observed || released || replaces ? Route::kUnique : RouteOf(decision());
  }
  bool operator==(const ParsedHeader&) const = default;
};

/// Finds and reads our headers, of any style, among the headers of an output record. The record may
/// also carry headers of an earlier lane, as headers of its own: the last ones count. kNotFound:
/// there are none. kCorrupt: they do not have the form above; the text says where.
Result<ParsedHeader> ParseRouteHeader(const std::vector<HeaderView>& headers);

}  // namespace neardup
