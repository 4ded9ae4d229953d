// A stream of somebody's own records, with copies planted in it whose originals are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "evaluate/edits.h"
#include "evaluate/labels.h"
#include "neardup/result.h"

namespace neardup {

struct PlantingOptions {
  /// Compared, and so edited: top-level names or JSON Pointers. At least one.
  std::vector<std::string> fields;
  /// Names a record; records without it get it. Not one of `fields`.
  std::string id_field = "id";
  /// Taken in turn. At least one.
  std::vector<Edit> edits;
  size_t copies = 0;
  uint64_t seed = 1;
};

struct PlantedStream {
  /// Each copy stands behind its original, any distance equally likely. A record that had an id is
  /// as it was, byte for byte.
  std::vector<std::string> payloads;
  /// One for each payload. Records whose fields are equal already share a cluster, with the kind
  /// natural-exact; records that are only alike are not known to be copies.
  std::vector<Label> labels;
  /// Lines left out because they are dead letters, and what is wrong with the first.
  uint64_t left_out = 0;
  std::string first_left_out;
  /// By name of the edit: copies made, and copies for which no record was found that the edit could
  /// be made of (one sentence only, one field only, ...).
  std::map<std::string, uint64_t> planted;
  std::map<std::string, uint64_t> not_planted;
};

/// Every copy is checked with the filter's own exact hash: an exact one is equal to its original,
/// every other differs by more than letter case and punctuation. Equal arguments give equal streams
/// on every machine.
Result<PlantedStream> PlantCopies(const std::vector<std::string>& payloads,
                                  const PlantingOptions& options);

}  // namespace neardup
