// What `neardup explain` says about two records, as a page.
#pragma once

#include <string>

#include "explain/explain_text.h"

namespace neardup {

/// The HTML page: the same as ExplainText, with the words that differ marked in the texts.
std::string ExplainPage(const ExplainReport& report);

}  // namespace neardup
