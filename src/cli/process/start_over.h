// Starts the process over when the clock of the host was set back.
#pragma once

namespace neardup {

/// Watches the clock in a thread of its own, as long as the process runs. The client library of
/// Kafka waits by the clock of the host: after a step back, its threads wait that much longer,
/// neither its time-outs nor the end of a client come, and no call mends it. So the process then
/// executes its program anew, with the same arguments and the same process id. What was not
/// committed is decided again, as after a kill.
void StartOverWhenClockIsSetBack();

}  // namespace neardup
