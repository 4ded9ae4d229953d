#include "e2e/history_folder.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "bindings/batch_filter.h"
#include "detect/base/hash.h"
#include "stream/state/byte_stream.h"

namespace neardup {
namespace {

using Json = nlohmann::json;
namespace fs = std::filesystem;

/// One lane of a history.
class LaneWriter {
 public:
  LaneWriter(fs::path folder, int32_t lane, SegmentedFilter& filter, Json& parts)
      : folder_(std::move(folder)), lane_(lane), filter_(filter), parts_(parts) {}

  void Write(std::span<const HistoryRecord> records, bool is_last) {
    VerdictColumns verdicts;
    filter_.filter().Decide({records.size(),
                             [&](size_t i, RecordBuffer&) {
                               return RecordView{{}, records[i].timestamp_ms, records[i].value};
                             }},
                            verdicts);
    if (is_last) filter_.filter().Commit();
    Json part = {{"lane", lane_}, {"begin", begin_}, {"rows", records.size()}};
    part["entries"] = filter_.segment_entries();
    part["segment"] = File("segment", filter_.TakeSegment());
    part["positions"] = File("positions", PositionsOf(records, verdicts));
    part["positions"]["held"] = HeldOf(records);
    part["live"] = filter_.filter().filter().entries();
    parts_.push_back(std::move(part));
    begin_ += static_cast<int64_t>(records.size());
    ++number_;
  }

 private:
  Json File(const char* ending, const std::string& bytes) const {
    const std::string name = fmt::format("decided/lane-{}/part-{:05}.{}", lane_, number_, ending);
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
    return {{"name", name}, {"checksum", fmt::format("{:016x}", Hash64(bytes))}};
  }

  std::string PositionsOf(std::span<const HistoryRecord> records,
                          const VerdictColumns& verdicts) const {
    std::vector<std::string> topics;
    std::vector<size_t> uniques;
    for (size_t i = 0; i < records.size(); ++i) {
      if (verdicts.decision[i] != static_cast<uint8_t>(Decision::kUnique)) continue;
      uniques.push_back(i);
      topics.push_back(records[i].partition.topic);
    }
    std::sort(topics.begin(), topics.end());
    topics.erase(std::unique(topics.begin(), topics.end()), topics.end());
    ByteWriter out;
    out.Raw("NDPS");
    out.U16(1);
    out.U32(static_cast<uint32_t>(topics.size()));
    for (const std::string& topic : topics) {
      out.U32(static_cast<uint32_t>(topic.size()));
      out.Raw(topic);
    }
    out.U64(uniques.size());
    for (const size_t i : uniques) out.I64(begin_ + static_cast<int64_t>(i));
    for (const size_t i : uniques) {
      const auto topic = std::find(topics.begin(), topics.end(), records[i].partition.topic);
      out.U32(static_cast<uint32_t>(topic - topics.begin()));
    }
    for (const size_t i : uniques) {
      out.U32(static_cast<uint32_t>(records[i].partition.partition));
    }
    for (const size_t i : uniques) out.I64(records[i].offset);
    return out.Take();
  }

  static Json HeldOf(std::span<const HistoryRecord> records) {
    std::map<InputPartition, std::set<int64_t>> held;
    for (const HistoryRecord& record : records) held[record.partition].insert(record.offset);
    Json rows = Json::array();
    for (const auto& [partition, offsets] : held) {
      Json ranges = Json::array();
      for (const int64_t offset : offsets) {
        if (!ranges.empty() && ranges.back()[1] == offset) {
          ranges.back()[1] = offset + 1;
        } else {
          ranges.push_back({offset, offset + 1});
        }
      }
      rows.push_back({partition.topic, partition.partition, std::move(ranges)});
    }
    return rows;
  }

  fs::path folder_;
  int32_t lane_;
  SegmentedFilter& filter_;
  Json& parts_;
  int64_t begin_ = 0;
  int number_ = 0;
};

}  // namespace

Result<void> WriteHistory(const FilterOptions& filter, int32_t lanes, size_t part_records,
                          std::vector<HistoryRecord> records, const fs::path& folder) {
  std::sort(records.begin(), records.end(), [](const HistoryRecord& a, const HistoryRecord& b) {
    return std::tie(a.timestamp_ms, a.partition, a.offset) <
           std::tie(b.timestamp_ms, b.partition, b.offset);
  });
  Json parts = Json::array();
  for (int32_t lane = 0; lane < lanes; ++lane) {
    std::vector<HistoryRecord> of_lane;
    for (const HistoryRecord& record : records) {
      if (record.partition.partition % lanes == lane) of_lane.push_back(record);
    }
    NEARDUP_ASSIGN(const std::unique_ptr<SegmentedFilter> deciding,
                   SegmentedFilter::New({filter, 1, 2000}));
    LaneWriter writer(folder, lane, *deciding, parts);
    std::span<const HistoryRecord> left(of_lane);
    while (!left.empty()) {
      const size_t count = std::min(left.size(), part_records);
      writer.Write(left.first(count), count == left.size());
      left = left.subspan(count);
    }
  }
  fs::create_directories(folder / "decided");
  std::ofstream(folder / "run.json")
      << Json{{"neardup_spark", 3}, {"plan", "ordered"}, {"lanes", lanes}};
  std::ofstream(folder / "decided" / "done.json") << Json{{"parts", parts}};
  return {};
}

}  // namespace neardup
