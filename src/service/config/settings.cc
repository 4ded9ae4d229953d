#include "service/config/settings.h"

#include <fmt/format.h>

#include "detect/base/hash.h"
#include "stream/state/pipeline.h"

namespace neardup {
namespace {

// Limit for the names of the topics, in bytes. If a list is cut, one topic stays whole.
constexpr size_t kOneMax = 190;
constexpr size_t kSeveralMax = 64;
constexpr size_t kCutMax = 40;

std::string Lower(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

}  // namespace

std::string DefaultApp(const std::vector<std::string>& topics) {
  const std::vector<std::string> sorted = SortedTopics(topics);
  if (sorted.empty()) return kPlainApp;
  std::string names;
  std::string all;
  for (const std::string& topic : sorted) {
    names += "-" + topic;
    all += topic + "\n";
  }
  const size_t names_max = sorted.size() == 1 ? kOneMax : kSeveralMax;
  if (names.size() <= names_max && Lower(names) == names) return kPlainApp + names;
  return fmt::format("{}-{}-{:08x}", kPlainApp, Lower(sorted.front()).substr(0, kCutMax),
                     static_cast<uint32_t>(Hash64(all)));
}

}  // namespace neardup
