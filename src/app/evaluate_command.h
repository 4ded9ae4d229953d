// `neardup evaluate`: schemes over labelled streams.
#pragma once

#include <string>
#include <vector>

#include "app/config_command.h"

namespace neardup {

struct EvaluateArguments {
  ConfigArguments config;
  /// Folders with records.jsonl.gz (or .jsonl), labels.tsv and, if there is one, set.json.
  std::vector<std::string> data;
  /// One set as two files instead.
  std::string records;
  std::string labels;
  /// Field that names a record in the labels.
  std::string id_field = "id";
  /// "all" stands for all there are.
  std::vector<std::string> schemes;
  bool json = false;
  std::string html;  ///< write a page here; empty: none
};

/// Prints the report on standard output; returns the exit code.
int EvaluateCommand(const EvaluateArguments& arguments);

}  // namespace neardup
