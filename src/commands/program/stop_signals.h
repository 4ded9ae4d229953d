// How signals end a command: one that reads and writes files, or one that runs a service.
#pragma once

#include <atomic>
#include <string>

namespace neardup {

// SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGXCPU end a command that reads and writes files.

/// From now on, such a signal ends the process at once: the output files keep what they held
/// before, one line on standard error says what the command was doing and which files were not
/// written, and the exit code is 128 and the number of the signal. A signal that is ignored stays
/// ignored. A reader that closes its pipe is an error of the write. Call it before other threads
/// start.
void EndOnSignals();

/// What the command does now, for that line: "measuring minhash".
void NowDoing(std::string text);

struct StopSignal {
  std::atomic<bool> came = false;
  std::atomic<int> number = 0;
};

/// From now on, the first signal is only noted, and the command must end by itself. Call this
/// function after EndOnSignals.
const StopSignal& StopOnSignals();

/// Such as "SIGINT".
std::string SignalName(int number);

// SIGTERM and SIGINT end the service and the demo.

/// Becomes true with the first SIGTERM or SIGINT after this call, and so does `also`. A second
/// signal ends the process at once.
const std::atomic<bool>& CatchStopSignals(std::atomic<bool>* also = nullptr);

// Starts the process over when the clock of the host was set back.

/// Watches the clock in a thread of its own, as long as the process runs. The client library of
/// Kafka computes its time-outs from the clock of the host. After a step back, its threads wait for
/// as long as the step, a client cannot end, and no call of the library mends it. So the process
/// then executes its program again, with the same arguments and the same process id. What was not
/// committed is decided again, as after a kill.
void StartOverWhenClockIsSetBack();

}  // namespace neardup
