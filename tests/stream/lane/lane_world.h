// The options, inputs and final checks that the simulations of lanes share.
#pragma once

#include <cstddef>
#include <random>
#include <vector>

#include "stream/lane/lane_options.h"
#include "stream/lane/memory_ports.h"
#include "stream/lane/promises.h"

namespace neardup {

LaneOptions TestOptions(int distance_max);

/// Appends families of texts that differ by a word or two, exact copies, and records that are not
/// JSON, with control records between them and at the end.
void FillInputs(MemoryBroker& broker, std::mt19937_64& random, size_t records);

/// All records of the inputs, by MemoryRecord::id.
std::vector<WrittenRecord> WrittenRecords(const MemoryBroker& broker);

size_t CommittedRecords(const MemoryBroker& broker);
size_t InputRecords(const MemoryBroker& broker);

/// Whether the position of each input, as the group has it, is its end.
bool AllPositionsAreAtTheEnd(MemoryBroker& broker);

void ExpectEachOffsetOnce(const MemoryBroker& broker);

}  // namespace neardup
