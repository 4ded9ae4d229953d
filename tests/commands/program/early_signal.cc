// Sends SIGHUP to the process into which it is loaded (LD_PRELOAD), before any library or the
// program is initialised, except by .preinit_array.
#include <csignal>

namespace {

[[gnu::constructor]] void Send() { raise(SIGHUP); }

}  // namespace
