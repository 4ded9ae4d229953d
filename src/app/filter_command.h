// `neardup filter`: JSON Lines in, verdicts and routed lines out. No Kafka.
#pragma once

#include <string>

#include "app/config_command.h"
#include "files/file_transaction.h"

namespace neardup {

struct FilterArguments {
  ConfigArguments config;
  std::string input;
  FileOutputs outputs;
  /// Field that names a record in the verdicts; empty: the line number, from 1.
  std::string id_field;
  /// The summary as one JSON object.
  bool json = false;
};

/// Runs the same lane as the service over files; returns the exit code.
int FilterCommand(const FilterArguments& arguments);

}  // namespace neardup
