#include "repair/replay_positions.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string_view>

namespace neardup {
namespace {

std::optional<Reason> ReasonNamed(std::string_view name) {
  for (int i = 1; i < kReasonCount; ++i) {
    if (name == Name(static_cast<Reason>(i))) return static_cast<Reason>(i);
  }
  return std::nullopt;
}

bool ParseOffset(std::string_view text, int64_t& offset) {
  const char* end = text.data() + text.size();
  return !text.empty() && std::from_chars(text.data(), end, offset).ptr == end;
}

Error UnknownNote(const std::string& note) {
  return {ErrorCode::kCorrupt,
          fmt::format("the replay group has the note '{}' with its offset; expected reasons with "
                      "offsets, such as parse=80; somebody else has committed it. Delete the group "
                      "to replay from the beginning of the topic",
                      note)};
}

}  // namespace

Result<ReplayPositions> ReplayPositions::Parse(const GroupOffset& committed, int64_t begin) {
  ReplayPositions positions;
  positions.next_.fill(std::max(begin, committed.offset));
  std::string_view rest = committed.note;
  while (!rest.empty()) {
    const std::string_view item = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), item.size() + 1));
    const size_t equals = item.find('=');
    const auto reason = ReasonNamed(item.substr(0, equals));
    int64_t offset = 0;
    const bool named = reason && equals != item.npos;
    if (!named || !ParseOffset(item.substr(equals + 1), offset)) return UnknownNote(committed.note);
    int64_t& next = positions.next_[static_cast<size_t>(*reason)];
    next = std::max(next, offset);
  }
  return positions;
}

bool ReplayPositions::IsDue(Reason reason, int64_t offset) const {
  return offset >= next_[static_cast<size_t>(reason)];
}

void ReplayPositions::MoveTo(std::span<const Reason> reasons, int64_t offset) {
  for (const Reason reason : reasons) {
    int64_t& next = next_[static_cast<size_t>(reason)];
    next = std::max(next, offset);
  }
}

int64_t ReplayPositions::First(std::span<const Reason> reasons) const {
  int64_t first = INT64_MAX;
  for (const Reason reason : reasons) first = std::min(first, next_[static_cast<size_t>(reason)]);
  return first;
}

GroupOffset ReplayPositions::ToCommit() const {
  GroupOffset commit;
  commit.offset = *std::min_element(next_.begin() + 1, next_.end());
  for (int i = 1; i < kReasonCount; ++i) {
    if (next_[static_cast<size_t>(i)] == commit.offset) continue;
    if (!commit.note.empty()) commit.note += ' ';
    commit.note +=
        fmt::format("{}={}", Name(static_cast<Reason>(i)), next_[static_cast<size_t>(i)]);
  }
  return commit;
}

}  // namespace neardup
