// `neardup generate`: a labelled set out of somebody's own records.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "evaluate/edits.h"
#include "neardup/result.h"

namespace neardup {

struct GenerateArguments {
  std::string input;  ///< JSON Lines, also .gz; - is standard input
  std::vector<std::string> fields;
  std::string output;
  std::string labels;
  std::string id_field = "id";
  /// A number, or a share of the records: 500, 0.2, 20%.
  std::string copies = "0.2";
  /// Names of EditKind; empty: all.
  std::vector<std::string> kinds;
  /// Shares of the words, for the kinds that have a strength.
  std::vector<double> strengths = {0.05, 0.1, 0.2};
  uint64_t seed = 1;
};

/// Writes the stream and its labels, and what was planted on standard error; returns the exit code.
int GenerateCommand(const GenerateArguments& arguments);

/// How many copies `text` means for so many records.
Result<size_t> ParseCopies(const std::string& text, size_t records);

/// Each kind, those with a strength once for each strength.
Result<std::vector<Edit>> ListEdits(const std::vector<std::string>& kinds,
                                    const std::vector<double>& strengths);

}  // namespace neardup
