#include "service/metrics/exposition.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string_view>

namespace neardup {
namespace {

using Labels = std::map<std::string, std::string>;

Error Broken(size_t line, const std::string& text) {
  return {ErrorCode::kCorrupt, fmt::format("line {}: {}", line, text)};
}

std::optional<double> ReadNumber(const std::string& text) {
  if (text == "NaN" || text == "Nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "+Inf") return std::numeric_limits<double>::infinity();
  static const std::regex number(R"(-?[0-9]+(\.[0-9]+)?(e[+-]?[0-9]+)?)");
  if (!std::regex_match(text, number)) return std::nullopt;
  return std::strtod(text.c_str(), nullptr);
}

/// Reads `name="value",...}` from `at` on, and moves `at` past the brace.
std::optional<Labels> ReadLabels(const std::string& line, size_t& at) {
  static const std::regex name_form("[a-zA-Z_][a-zA-Z0-9_]*");
  Labels labels;
  while (true) {
    const size_t equals = line.find("=\"", at);
    if (equals == std::string::npos) return std::nullopt;
    const std::string name = line.substr(at, equals - at);
    if (!std::regex_match(name, name_form) || labels.contains(name)) return std::nullopt;
    std::string value;
    for (at = equals + 2; at < line.size() && line[at] != '"'; ++at) {
      if (line[at] != '\\') {
        value += line[at];
        continue;
      }
      if (++at == line.size()) return std::nullopt;
      if (std::string_view("\\\"n").find(line[at]) == std::string_view::npos) return std::nullopt;
      value += line[at] == 'n' ? '\n' : line[at];
    }
    labels[name] = value;
    if (++at >= line.size()) return std::nullopt;
    if (line[at++] == '}') return labels;
    if (line[at - 1] != ',') return std::nullopt;
  }
}

std::optional<Sample> ReadSample(const std::string& line) {
  static const std::regex name_form("[a-zA-Z_:][a-zA-Z0-9_:]*");
  Sample sample;
  size_t at = line.find_first_of("{ ");
  if (at == std::string::npos) return std::nullopt;
  sample.name = line.substr(0, at);
  if (!std::regex_match(sample.name, name_form)) return std::nullopt;
  if (line[at] == '{') {
    const std::optional<Labels> labels = ReadLabels(line, ++at);
    if (!labels) return std::nullopt;
    sample.labels = *labels;
  }
  if (at >= line.size() || line[at] != ' ') return std::nullopt;
  const std::optional<double> value = ReadNumber(line.substr(at + 1));
  if (!value) return std::nullopt;
  sample.value = *value;
  return sample;
}

bool Belongs(const SampleFamily& family, const std::string& sample) {
  if (family.type.empty()) return false;
  if (family.type != "histogram") return sample == family.name;
  return sample == family.name + "_bucket" || sample == family.name + "_sum" ||
         sample == family.name + "_count";
}

/// The first fault of a complete family; empty if it has none.
std::string FaultOf(const SampleFamily& family) {
  std::map<Labels, std::pair<double, double>> last;  // le, count
  for (const Sample& sample : family.samples) {
    if (family.type != "gauge" && !(sample.value >= 0)) return "not a count: " + sample.name;
    if (sample.name == family.name + "_bucket") {
      Labels rest = sample.labels;
      if (!rest.contains("le")) return "a bucket without le";
      const std::optional<double> bound = ReadNumber(rest["le"]);
      rest.erase("le");
      const auto [before, is_first] = last.try_emplace(rest, -1, 0);
      auto& [le, count] = before->second;
      if (!bound || (!is_first && *bound <= le)) return "le does not rise";
      if (sample.value < count) return "bucket counts fall";
      le = *bound;
      count = sample.value;
    }
  }
  for (const Sample& sample : family.samples) {
    if (sample.name != family.name + "_count") continue;
    const auto found = last.find(sample.labels);
    if (found == last.end() || !std::isinf(found->second.first)) return "no +Inf bucket";
    if (found->second.second != sample.value) return "+Inf differs from _count";
  }
  return "";
}

}  // namespace

Result<std::vector<SampleFamily>> ParseExposition(const std::string& text) {
  static const std::set<std::string> types = {"counter", "gauge", "histogram"};
  if (!text.ends_with('\n')) return Broken(0, "no line feed at the end");
  std::vector<SampleFamily> families;
  std::set<std::string> names;
  std::set<std::pair<std::string, Labels>> seen;
  std::istringstream lines(text);
  size_t number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line);
    std::string hash, keyword, name, rest;
    words >> hash >> keyword >> name;
    std::getline(words >> std::ws, rest);
    if (hash == "#" && keyword == "HELP") {
      if (rest.empty()) return Broken(number, "no help text");
      if (!families.empty() && families.back().type.empty()) return Broken(number, "no TYPE");
      if (!names.insert(name).second) return Broken(number, name + " appears twice");
      families.push_back({name, rest, "", {}});
    } else if (hash == "#" && keyword == "TYPE") {
      const bool fits = !families.empty() && families.back().name == name &&
                        families.back().type.empty() && types.contains(rest);
      if (!fits) return Broken(number, "TYPE does not follow its HELP, or is unknown: " + line);
      families.back().type = rest;
    } else {
      const std::optional<Sample> sample = ReadSample(line);
      if (!sample) return Broken(number, "not a sample: " + line);
      if (families.empty() || !Belongs(families.back(), sample->name)) {
        return Broken(number, sample->name + " stands outside its family");
      }
      if (!seen.insert({sample->name, sample->labels}).second) {
        return Broken(number, "series appears twice: " + line);
      }
      families.back().samples.push_back(*sample);
    }
  }
  for (const SampleFamily& family : families) {
    const std::string fault = FaultOf(family);
    if (!fault.empty()) return Broken(number, family.name + ": " + fault);
  }
  return families;
}

bool HasSeries(const std::vector<SampleFamily>& families, const std::string& name,
               const Labels& labels) {
  for (const SampleFamily& family : families) {
    for (const Sample& sample : family.samples) {
      if (sample.name == name && sample.labels == labels) return true;
    }
  }
  return false;
}

double ValueOf(const std::vector<SampleFamily>& families, const std::string& name,
               const Labels& labels) {
  assert(HasSeries(families, name, labels));
  for (const SampleFamily& family : families) {
    for (const Sample& sample : family.samples) {
      if (sample.name == name && sample.labels == labels) return sample.value;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

size_t CountSeries(const std::vector<SampleFamily>& families) {
  size_t count = 0;
  for (const SampleFamily& family : families) count += family.samples.size();
  return count;
}

}  // namespace neardup
