// Starts the process over when the clock of the host was set back.
#pragma once

namespace neardup {

/// Watches the clock in a thread of its own, as long as the process runs. The client library of
/// Kafka computes its time-outs from the clock of the host. After a step back, its threads wait for
/// as long as the step, a client cannot end, and no call of the library mends it. So the process
/// then executes its program again, with the same arguments and the same process id. What was not
/// committed is decided again, as after a kill.
void StartOverWhenClockIsSetBack();

}  // namespace neardup
