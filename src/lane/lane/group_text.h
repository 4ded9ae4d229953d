// What the lane says of a group of records that repeat one another, as the groups topic holds it.
#pragma once

#include <span>
#include <string>

#include "state/groups.h"
#include "state/input.h"

namespace neardup {

/// One JSON object in one line:
///
///   {"original":{"topic":"news","partition":1,"offset":771},"copies":3,"first_time_ms":...,
///    "last_time_ms":...,"last":{...},"newest":{...}}
///
/// `first_time_ms` is the event time of the original, `last_time_ms` the latest of the group.
/// `last` is the copy that was decided last, and `newest` the record that the unique topic
/// keeps of the group (Keep).
std::string GroupText(const Group& group, std::span<const InputProgress> inputs);

}  // namespace neardup
