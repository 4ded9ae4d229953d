#include "program/exit_code_rows.h"

namespace neardup {
namespace {

constexpr ExitCodeRow kExitCodes[] = {
    {"0", "success"},
    {"1",
     "the answer is no: `verify` found a violation, `snapshot` found damage, `explain` found no "
     "duplicate, `test` found another verdict than expected, `healthcheck` got another answer than "
     "200, `tune --compare` found settings that "
     "no longer fit"},
    {"64", "wrong arguments"},
    {"65", "the input is of another format, or none of its records can be compared"},
    {"66", "a named file or topic does not exist"},
    {"69", "a broker or server does not answer"},
    {"70", "internal error, or a stop that took too long"},
    {"74", "reading or writing failed, or bytes do not have the documented form"},
    {"77", "credentials or permissions refused"},
    {"78", "the configuration is wrong, or the state belongs to another configuration"},
    {"129, 130, 143",
     "SIGHUP, SIGINT or SIGTERM stopped a command that reads and writes files before its end; "
     "`run` and `demo` exit with 0 after the last two, and SIGHUP makes `run` read its "
     "configuration again"},
};

}  // namespace

std::span<const ExitCodeRow> ExitCodeRows() { return kExitCodes; }

}  // namespace neardup
