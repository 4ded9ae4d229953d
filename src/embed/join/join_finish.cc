#include "join/join_finish.h"

#include <algorithm>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

namespace neardup {
namespace {

/// A group, and how far its rows are added.
struct Reader {
  std::unique_ptr<JoinGroup> group;
  size_t next = 0;
};

}  // namespace

JoinFinish::JoinFinish(const FilterOptions& options, JoinState state, const JoinLimits& limits)
    : state_(std::move(state)), keys_(options), rule_(options, state_), limits_(limits) {}

std::vector<uint8_t> JoinFinish::Decide(const JoinRows& rows, std::span<const int64_t> undecided) {
  std::unordered_map<int64_t, Reader> groups;
  std::vector<std::pair<int64_t, size_t>> by_number;  // of the undecided records
  for (size_t i = 0; i < rows.size(); ++i) {
    const JoinRow& row = rows.rows[i];
    if (const auto [at, added] = groups.try_emplace(row.key); added) {
      at->second = {std::make_unique<JoinGroup>(rule_, keys_, limits_, row.key, true), i};
    }
    if (rule_.IsUndecided(row.number)) by_number.emplace_back(row.number, i);
  }
  std::sort(by_number.begin(), by_number.end());

  std::vector<uint8_t> decisions;
  auto next = by_number.begin();
  for (const int64_t number : undecided) {
    bool duplicate = false;
    int64_t time_ms = INT64_MIN;
    for (; next != by_number.end() && next->first == number; ++next) {
      const size_t index = next->second;
      const JoinRow& row = rows.rows[index];
      time_ms = row.time_ms;
      Reader& reader = groups.at(row.key);
      for (; reader.next < index; ++reader.next) {
        const JoinRow& earlier = rows.rows[reader.next];
        if (!rule_.IsUnique(earlier.number)) continue;
        reader.group->Add({&earlier, rows.keys_of(reader.next), reader.next});
      }
      if (duplicate) continue;
      reader.group->ForEachMatch(
          {&row, rows.keys_of(index), index}, [&](const JoinMember& member, const EntryMatch&) {
            // kOpen depended on first_unique, which SetDecided has brought up to date.
            duplicate = rule_.IsRemembered(*member.row, row) == Remembered::kYes;
            return !duplicate;
          });
    }
    decisions.push_back(duplicate ? 1 : 0);
    SetDecided(number, time_ms, duplicate);
  }
  return decisions;
}

void JoinFinish::SetDecided(int64_t number, int64_t time_ms, bool duplicate) {
  std::string& bits = duplicate ? state_.duplicate : state_.unique;
  char& byte = bits[static_cast<size_t>(number / 8)];
  byte = static_cast<char>(byte | (1 << (number % 8)));
  if (duplicate || state_.first_unique.empty()) return;
  // Neither horizons nor first records ever decrease from one interval to the next.
  const auto later =
      std::upper_bound(state_.horizons_ms.begin(), state_.horizons_ms.end(), time_ms);
  auto interval = later - state_.horizons_ms.begin();
  while (--interval >= 0 && state_.first_unique[static_cast<size_t>(interval)] > number) {
    state_.first_unique[static_cast<size_t>(interval)] = number;
  }
}

}  // namespace neardup
