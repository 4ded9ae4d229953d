// References in the values of a configuration file.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "neardup/result.h"

namespace neardup {

/// Configuration files and secrets are small; anything larger is another kind of file.
inline constexpr size_t kSmallFileBytesMax = size_t{1} << 20;

// A reference is one of ${VAR}, ${VAR:-default}, ${VAR:?message}, ${file:/path}; $$ is one $.
// They are replaced in values that are parsed already, so what they bring in cannot change the
// structure of the document.

using Environment = std::map<std::string, std::string>;

struct Interpolated {
  std::string text;
  bool replaced = false;
  /// Something came out of a ${file:...}.
  bool secret = false;
};

/// The error's text names the reference and never what stands behind it.
Result<Interpolated> Interpolate(std::string_view text, const Environment& environment);

}  // namespace neardup
