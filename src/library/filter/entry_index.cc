#include "filter/entry_index.h"

#include <utility>

#include "filter/near_entries.h"
#include "filter/sketch_entries.h"

namespace neardup {

std::unique_ptr<EntryIndex> EntryIndex::New(const FilterOptions& options,
                                            std::shared_ptr<const Scheme> scheme) {
  if (scheme) return std::make_unique<SketchEntries>(options.window, std::move(scheme));
  return std::make_unique<NearEntries>(options);
}

}  // namespace neardup
