// Which fields copies of a record agree in, from records of a sample that share their text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "learn/field_study.h"
#include "neardup/options.h"
#include "neardup/record.h"

namespace neardup {

/// How two values of a field compare.
enum class Agreement : uint8_t {
  kNone,      ///< neither record has the field
  kMissing,   ///< only one of the records has the field
  kEqual,     ///< equal but for case, white space and punctuation
  kSimilar,   ///< most words of the shorter one are in the other, perhaps abbreviated
  kReworded,  ///< the same, but another word stands in the place of some: enable and disable
  kDiffers,   ///< anything else
};
/// `a` and `b` are normalised texts: tokens, each followed by a space.
Agreement CompareValues(std::string_view a, std::string_view b);

/// Two records that share most of their text.
struct TextPair {
  size_t earlier = 0;  ///< index into the sample
  size_t later = 0;
  /// Records that share the text with these, and this pair is one of as many. A text of many
  /// records says little.
  size_t group = 2;
  std::vector<Agreement> fields;  ///< by studied field
};

/// A text that this number of records share, or more, may be a standing text.
inline constexpr size_t kCrowd = 5;

/// Whether the records are messages of programs, which say how serious they are. The same message
/// comes again and again there, and its identifiers name the delivery.
bool AreLogs(std::span<const StudiedField> fields);

struct TextPairs {
  std::vector<TextPair> pairs;
  /// Different records share their text, and their title if they have one. So the pairs are no
  /// evidence.
  bool standing = false;
};

/// Pairs of records that share at least 65 % of the phrases of the shorter text, with no numbers
/// that conflict. Times, UUIDs and addresses of memory in the texts count for nothing. `texts` are
/// numbers of studied fields; the longest text of a record counts. Each record is paired with the
/// earlier one of its group that agrees with it in most fields. If many records have standing
/// texts, the records of a pair also share the `titles`. Deterministic; takes about kTextPairsMax
/// pairs.
TextPairs FindTextPairs(std::span<const RecordView> records, std::span<const StudiedField> fields,
                        std::span<const size_t> texts, std::span<const size_t> titles);
inline constexpr size_t kTextPairsMax = 3000;

/// Calls `visit(text)` for each text that is compared by likeness, in `count` of the records.
void VisitTexts(std::span<const RecordView> records, const RecordOptions& record, size_t count,
                const std::function<void(std::string_view)>& visit);

/// Whether some of the texts hold the time at which they were written, a UUID, or an address of
/// memory: kCircumstanceMasks.
bool HoldCircumstances(std::span<const RecordView> records, const RecordOptions& record);

}  // namespace neardup
