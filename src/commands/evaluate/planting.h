// Plants edited copies in a stream of records, and labels each record, so that the true duplicates
// are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "commands/evaluate/labelled_set.h"
#include "learn/edits.h"
#include "neardup/result.h"

namespace neardup {

struct PlantingOptions {
  /// Fields that are compared, and therefore edited: top-level names or JSON Pointers; at least
  /// one.
  std::vector<std::string> fields;
  /// Field that names a record; records without it get one. It must not be one of `fields`.
  std::string id_field = "id";
  /// Edits, taken in turn; at least one. An edit that is listed twice gives twice as many copies.
  std::vector<Edit> edits;
  size_t copies = 0;
  uint64_t seed = 1;
};

struct PlantedStream {
  /// The originals in their order, and the copies. Each copy comes after its original, at any
  /// distance with equal probability. Records that had an id are unchanged, byte for byte.
  std::vector<std::string> payloads;
  /// One label for each payload. Records that were equal before share a cluster and have the kind
  /// natural-exact. Records that were only similar are in different clusters, because nobody knows
  /// whether they are copies.
  std::vector<Label> labels;
  /// Number of payloads left out because they are dead letters, and the error of the first.
  uint64_t left_out = 0;
  std::string first_left_out;
  /// Numbers of copies by name of the edit: those made, and those for which 20 randomly chosen
  /// records did not allow the edit (only one sentence, only one field, ...).
  std::map<std::string, uint64_t> planted;
  std::map<std::string, uint64_t> not_planted;
};

/// Plants copies in `payloads`. Checks every copy with the exact hash of the filter: copies of the
/// kinds kExact and kFormat are equal to their original, and all others differ in more than letter
/// case and punctuation. Equal arguments give equal streams on every machine.
///
///     PlantingOptions options;
///     options.fields = {"title", "body"};
///     options.edits = {{EditKind::kExact}, {EditKind::kReplaced, 10}};
///     options.copies = 200;
///     NEARDUP_ASSIGN(const PlantedStream stream, PlantCopies(payloads, options));
Result<PlantedStream> PlantCopies(const std::vector<std::string>& payloads,
                                  const PlantingOptions& options);

}  // namespace neardup
