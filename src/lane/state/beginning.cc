#include "state/beginning.h"

#include <fmt/format.h>

#include <cassert>
#include <string>

namespace neardup {

Error BeginningIsUnfinished(const Beginning& beginning, int lanes, std::string_view changelog) {
  assert(beginning.unfinished);
  const std::string command =
      beginning.with == BeganWith::kHistory
          ? "neardup import --history FOLDER --execute"
          : fmt::format("neardup lanes migrate --lanes {} --execute", lanes);
  return Fatal(
      ErrorCode::kMismatch,
      fmt::format("changelog {} holds only a part of the entries that it was being given: "
                  "`{}` was interrupted. Nothing is lost. Run the same command again, with "
                  "the configuration that it had",
                  changelog, command));
}

}  // namespace neardup
