#include "lane/dead_letter_causes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>

#include "base/nearest_name.h"
#include "record/field_names.h"

namespace neardup {
namespace {

constexpr size_t kStudiedBytesMax = size_t{1} << 20;
constexpr size_t kNamesMax = 200;
constexpr size_t kNamesShown = 8;
constexpr size_t kNameBytesShown = 60;

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kNamesShown); ++i) {
    if (!text.empty()) text += ", ";
    text +=
        names[i].size() > kNameBytesShown ? names[i].substr(0, kNameBytesShown) + "..." : names[i];
  }
  if (names.size() > kNamesShown) text += ", ...";
  return text;
}

bool NamesFields(Reason reason) {
  return reason == Reason::kMissingField || reason == Reason::kEventTime;
}

bool EqualButForCase(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

std::string_view LastPart(std::string_view name) {
  return name.substr(name.rfind('/') + 1);  // the whole name if there is no '/'
}

}  // namespace

void DeadLetterCauses::Saw(const Message& message, const ReadOutcome& outcome,
                           const std::function<std::string()>& place) {
  std::optional<Cause>& cause = causes_[static_cast<size_t>(outcome.reason)];
  if (!cause) {
    cause.emplace();
    cause->place = place();
    cause->error = outcome.error;
  }
  if (NamesFields(outcome.reason) && cause->studied < kStudiedMax) cause->Study(message);
}

void DeadLetterCauses::Cause::Study(const Message& message) {
  if (!message.value || message.value->size() > kStudiedBytesMax) return;
  ++studied;
  for (std::string& name : FieldNames(*message.value, kNamesMax)) {
    const auto known = in.find(name);
    if (known != in.end()) {
      ++known->second;
    } else if (names.size() < kNamesMax) {
      in.emplace(name, 1);
      names.push_back(std::move(name));
    }
  }
}

std::optional<std::string> DeadLetterCauses::Cause::Meant(const std::string& name) const {
  const auto find = [this](const auto& fits) -> std::optional<std::string> {
    const auto found = std::find_if(names.begin(), names.end(), fits);
    return found == names.end() ? std::nullopt : std::optional(*found);
  };
  if (auto same = find([&](const std::string& each) { return EqualButForCase(each, name); })) {
    return same;
  }
  if (auto near = NearestName(name, names)) return near;
  // A field of this name in another object.
  return find([&](const std::string& each) { return LastPart(each) == LastPart(name); });
}

std::string DeadLetterCauses::Cause::FieldsText(const std::vector<std::string>& wanted) const {
  std::string text;
  for (const std::string& selector : wanted) {
    const std::string name(PlainFieldName(selector));
    if (in.contains(name)) continue;
    const std::optional<std::string> meant = Meant(name);
    if (!meant) continue;
    const double percent = 100 * static_cast<double>(in.at(*meant)) / static_cast<double>(studied);
    text += fmt::format("; expected field `{}`, found `{}` in {:.3g} % of records", selector,
                        *meant, percent);
  }
  return text + fmt::format("; these records have the fields {}", Joined(names));
}

std::string DeadLetterCauses::Explain(Reason reason, const RecordOptions& record) const {
  const std::optional<Cause>& cause = causes_[static_cast<size_t>(reason)];
  if (!cause) return "";
  const std::string text = fmt::format(", such as {}: {}", cause->place, cause->error);
  std::vector<std::string> wanted;
  if (reason == Reason::kMissingField) {
    for (const FieldSelector& field : record.fields) wanted.push_back(field.path);
  } else if (reason == Reason::kEventTime) {
    wanted.push_back(record.time_field);
  }
  return wanted.empty() || cause->names.empty() ? text : text + cause->FieldsText(wanted);
}

}  // namespace neardup
