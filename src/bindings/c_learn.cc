// Settings from a sample of records.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cstdlib>
#include <memory>
#include <vector>

#include "bindings/c_edge.h"
#include "bindings/filter_settings.h"
#include "learn/learned_options.h"
#include "neardup/neardup.h"

namespace neardup {
namespace {

/// As auto.records_min of the service by default.
constexpr size_t kRecordsMin = 200;

struct FreeText {
  void operator()(char* text) const { neardup_free(text); }
};
using OwnedText = std::unique_ptr<char, FreeText>;

LearnedOptions Learn(const FilterSettings& settings, const CallerRecords& records) {
  if (!settings.learn) {
    LearnedOptions learned;
    learned.options = settings.options;
    learned.reasons = {
        "nothing was learned, because the settings give match.mode near or exact, or a model"};
    return learned;
  }
  std::vector<RecordView> views;
  views.reserve(records.count());
  for (size_t i = 0; i < records.count(); ++i) views.push_back(records.at(i));
  return LearnOptions(views, settings.options, settings.given, kRecordsMin);
}

}  // namespace
}  // namespace neardup

void neardup_free(char* text) noexcept { std::free(text); }

neardup_status neardup_learn(const char* settings, const neardup_record* records, size_t count,
                             char** learned, char** reasons, char** error) noexcept {
  using namespace neardup;
  if (learned != nullptr) *learned = nullptr;
  if (reasons != nullptr) *reasons = nullptr;
  return Guarded(error, [&]() -> Outcome {
    if (settings == nullptr)
      return InvalidArgument("settings is NULL; expected a JSON object, such as {}");
    if (learned == nullptr)
      return InvalidArgument("learned is NULL; expected the place for the settings");
    CallerRecords taken;
    NEARDUP_TRY(taken.Take(records, count));
    NEARDUP_ASSIGN(const FilterSettings parsed, ParseFilterSettings(settings));
    const LearnedOptions found = Learn(parsed, taken);
    OwnedText text(TextForCaller(FilterSettingsText(found.options)));
    if (reasons != nullptr)
      *reasons = TextForCaller(fmt::format("{}\n", fmt::join(found.reasons, "\n")));
    *learned = text.release();
    return {};
  });
}
