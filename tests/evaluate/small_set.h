// A labelled set small enough to be judged by eye.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "evaluate/labelled_set.h"
#include "neardup/options.h"

namespace neardup {

/// Five records: two unlike, an exact copy of each, and one that no scheme takes for a copy though
/// its label says so. The last payload is a dead letter without a label.
inline LabelledSet SmallSet() {
  const std::string bridge =
      "The council of the harbour town approved the budget of the new bridge on Monday after a "
      "long debate about noise, cost and the old ferry";
  const std::string falcon =
      "A pair of falcons has raised four chicks on the chimney of a closed paper mill, which "
      "delights the neighbours and delays its demolition";
  const auto payload = [](const char* id, const std::string& text) {
    return std::string(R"({"id":")") + id + R"(","text":")" + text + R"("})";
  };
  std::vector<std::string> payloads = {payload("a", bridge),         payload("b", falcon),
                                       payload("c", bridge),         payload("d", falcon),
                                       payload("e", "Nobody knows"), "{"};
  std::vector<Label> labels = {{"a", "A", "original", ""},
                               {"b", "B", "original", ""},
                               {"c", "A", "exact", "a"},
                               {"d", "B", "exact", "b"},
                               {"e", "B", "rewritten", "b"}};
  return JoinLabels("small", std::move(payloads), std::move(labels), "id").value();
}

inline FilterOptions SmallSetOptions() {
  FilterOptions options;
  options.record.fields = {{"text", 1.0}};
  return options;
}

}  // namespace neardup
