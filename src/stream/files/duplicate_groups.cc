#include "stream/files/duplicate_groups.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace neardup {

std::string JsonText(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

void DuplicateGroups::Add(const Match& match, const std::string& original_id,
                          const std::string& id) {
  Group& group = groups_[match.original];
  if (group.duplicates.empty()) group.original_id = original_id;
  group.duplicates.push_back({id, match.distance, match.kind});
}

Result<void> DuplicateGroups::Write(PackedFile& file) const {
  for (const auto& [original, group] : groups_) {
    std::string line = fmt::format(R"({{"size":{},)", group.duplicates.size() + 1);
    if (!group.newest_id.empty()) {
      line += fmt::format(R"("newest":{},)", JsonText(group.newest_id));
    }
    line += fmt::format(R"("members":[{{"id":{}}})", JsonText(group.original_id));
    for (const Member& member : group.duplicates) {
      line += fmt::format(R"(,{{"id":{},"kind":"{}","distance":{}}})", JsonText(member.id),
                          Name(member.kind), member.distance);
    }
    line += "]}\n";
    NEARDUP_TRY(file.Write(line));
  }
  return {};
}

void ExactRepeats::Saw(const Verdict& verdict, uint64_t exact) {
  if (verdict.decision != Decision::kDuplicate || verdict.match.kind != MatchKind::kNear) return;
  if (!known_.insert(exact).second) {
    ++count_;
    return;
  }
  in_order_.push_back(exact);
  if (in_order_.size() <= remembered_max_) return;
  known_.erase(in_order_.front());
  in_order_.pop_front();
}

}  // namespace neardup
