// The time this thread has had a processor, which other programs do not add to.
#pragma once

namespace neardup {

double ThreadNs();

}  // namespace neardup
