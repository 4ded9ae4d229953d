// What a lane works with.
#pragma once

#include "lane/ports.h"
#include "lane/probe.h"

namespace neardup {

/// All of them must outlive the lane.
struct LanePorts {
  Source& source;
  Changelog& changelog;
  Transaction& transaction;
  Lease& lease;
  Clock& clock;
  Probe& probe;
};

}  // namespace neardup
