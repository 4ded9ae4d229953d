// `neardup snapshot`: what the snapshots of an instance hold, and whether they are whole.
#pragma once

#include <string>

namespace neardup {

struct SnapshotArguments {
  /// The state.dir of the instance.
  std::string state_dir;
  /// Read every byte and every delta.
  bool verify = false;
  /// As one JSON object.
  bool json = false;
};

/// Prints the snapshots of all lanes, newest first. kExitNo when one of them is not whole, as far
/// as was looked at; kExitNoInput when there is none; kExitIo when a lane's folder cannot be
/// listed.
int SnapshotCommand(const SnapshotArguments& arguments);

}  // namespace neardup
