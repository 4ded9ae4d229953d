#include "commands/repair/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "kafka/kafka_ports.h"
#include "kafka/topic_producer.h"
#include "kafka/topics.h"
#include "service/topics/topic_reading.h"
#include "stream/lane/route_header.h"

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

namespace {

constexpr size_t kTransactionRecordsMax = 1000;
constexpr size_t kTransactionBytesMax = size_t{8} << 20;
// A dead letter by reference takes a quarter of a second to read, and transactions time out.
constexpr std::chrono::seconds kTransactionTime{5};

std::vector<Reason> AllReasons() {
  std::vector<Reason> all;
  for (int i = 1; i < kReasonCount; ++i) all.push_back(static_cast<Reason>(i));
  return all;
}

/// Only dead letters with these reasons can lack their payload.
bool IsByReference(const Message& message, Reason reason) {
  return !message.key && !message.value &&
         (reason == Reason::kTooLarge || reason == Reason::kUndeliverable);
}

class Replayer {
 public:
  Replayer(const Settings& settings, const ReplayOrder& order, const KafkaLog& log)
      : settings_(settings),
        order_(order),
        log_(log),
        group_(settings.kafka.app + "-replay"),
        reasons_(order.reasons.empty() ? AllReasons() : order.reasons) {}

  Result<ReplayCounts> Run() {
    // First the transactional id: an interrupted run is aborted, so that its offsets are final.
    if (order_.execute) {
      NEARDUP_ASSIGN(transaction_, TopicTransaction::New(settings_.kafka, group_, log_));
    }
    NEARDUP_ASSIGN(originals_, NewKafkaSource(settings_.kafka, log_));
    KafkaOptions of_topic = settings_.kafka;
    of_topic.topics = {order_.topic};
    NEARDUP_ASSIGN(const std::unique_ptr<Source> source, NewKafkaSource(of_topic, log_));
    NEARDUP_TRY(Cut(*source));
    NEARDUP_TRY(
        ReadRanges(*source, ranges_, [this](const Message& message) { return Visit(message); }));
    for (size_t i = 0; i < ranges_.size(); ++i) positions_[i].MoveTo(reasons_, ranges_[i].end);
    if (order_.execute) NEARDUP_TRY(Commit());
    return std::move(counts_);
  }

 private:
  Result<void> Cut(Source& source) {
    NEARDUP_ASSIGN(const std::vector<InputPartition> partitions, source.Partitions());
    NEARDUP_ASSIGN(const std::vector<GroupOffset> committed,
                   GroupOffsets(settings_.kafka, group_, partitions, log_));
    for (size_t i = 0; i < partitions.size(); ++i) {
      NEARDUP_ASSIGN(const int64_t begin, source.StartOffset(partitions[i], StartAt::kEarliest));
      NEARDUP_ASSIGN(const int64_t end, source.StartOffset(partitions[i], StartAt::kLatest));
      NEARDUP_ASSIGN(ReplayPositions positions, ReplayPositions::Parse(committed[i], begin));
      ranges_.push_back({partitions[i], positions.First(reasons_), end});
      positions_.push_back(std::move(positions));
    }
    return {};
  }

  Result<void> Visit(const Message& message) {
    const uint32_t range = message.position.input;
    const int64_t offset = message.position.offset;
    if (offset >= ranges_[range].end) return {};
    NEARDUP_TRY(Send(message, positions_[range]));
    positions_[range].MoveTo(reasons_, offset + 1);
    const bool full = records_ >= kTransactionRecordsMax || bytes_ >= kTransactionBytesMax;
    const bool due = open_ && std::chrono::steady_clock::now() - begun_at_ > kTransactionTime;
    return full || due ? Commit() : Result<void>();
  }

  Result<void> Send(const Message& letter, const ReplayPositions& positions) {
    const Result<ParsedHeader> header = ParseRouteHeader(letter.headers);
    const std::vector<std::string>& topics = settings_.kafka.topics;
    if (!header.ok() || header->decision() != Decision::kDeadLetter ||
        std::find(topics.begin(), topics.end(), header->origin.topic) == topics.end()) {
      ++counts_.foreign;
      return {};
    }
    const Reason reason = header->reason;
    const bool wanted = std::find(reasons_.begin(), reasons_.end(), reason) != reasons_.end();
    if (!wanted || !positions.IsDue(reason, letter.position.offset)) return {};
    if (!IsByReference(letter, reason)) {
      return Write(*header, letter, header->first, header->count);
    }
    NEARDUP_ASSIGN(const std::optional<Message> original, ReadOriginal(*header));
    if (original) return Write(*header, *original, 0, 0);
    counts_.gone.push_back(TextOf(header->origin, header->origin_offset));
    return {};
  }

  Result<void> Write(const ParsedHeader& header, const Message& message, size_t first,
                     size_t count) {
    ++counts_.replayed[header.origin.topic][static_cast<size_t>(header.reason)];
    std::vector<HeaderView> others = message.headers;
    const auto ours = others.begin() + static_cast<std::ptrdiff_t>(first);
    others.erase(ours, ours + static_cast<std::ptrdiff_t>(count));
    if (ParseRouteHeader(others).ok()) counts_.outputs.insert(header.origin.topic);
    if (!order_.execute) return {};
    NEARDUP_TRY(Begin());
    ++records_;
    bytes_ += BytesOf(message);
    return transaction_->Write(header.origin, message, first, count);
  }

  /// nullopt if the record is gone from its input.
  Result<std::optional<Message>> ReadOriginal(const ParsedHeader& header) {
    std::vector<InputPartition> partitions = {header.origin};
    NEARDUP_ASSIGN(const std::vector<OffsetBounds> bounds,
                   ListOffsetBounds(settings_.kafka, partitions, log_));
    return ReadOne(*originals_, {header.origin, header.origin_offset}, bounds[0]);
  }

  Result<void> Begin() {
    if (open_) return {};
    if (transaction_->is_spent()) NEARDUP_TRY(TakeAgain());
    NEARDUP_TRY(transaction_->Begin());
    open_ = true;
    begun_at_ = std::chrono::steady_clock::now();
    return {};
  }

  /// What this run has committed still stands, unless another run took the transactional id.
  Result<void> TakeAgain() {
    transaction_.reset();
    NEARDUP_ASSIGN(transaction_, TopicTransaction::New(settings_.kafka, group_, log_));
    std::vector<InputPartition> partitions;
    for (const ReadRange& range : ranges_) partitions.push_back(range.partition);
    NEARDUP_ASSIGN(const std::vector<GroupOffset> found,
                   GroupOffsets(settings_.kafka, group_, partitions, log_));
    if (found == committed_) return {};
    return Error{ErrorCode::kFenced,
                 fmt::format("group {} has other offsets than this run has committed: another "
                             "replay of topic {} is running; let it end, then run this one again",
                             group_, order_.topic)};
  }

  Result<void> Commit() {
    NEARDUP_TRY(Begin());
    std::vector<GroupProgress> progress;
    for (size_t i = 0; i < ranges_.size(); ++i) {
      progress.push_back({ranges_[i].partition, positions_[i].ToCommit()});
    }
    NEARDUP_TRY(transaction_->Commit(group_, progress));
    committed_.clear();
    for (GroupProgress& row : progress) committed_.push_back(std::move(row.next));
    open_ = false;
    records_ = 0;
    bytes_ = 0;
    return {};
  }

  const Settings& settings_;
  const ReplayOrder& order_;
  const KafkaLog& log_;
  std::string group_;
  std::vector<Reason> reasons_;
  std::unique_ptr<TopicTransaction> transaction_;  ///< null unless the order is to execute
  std::unique_ptr<Source> originals_;
  std::vector<ReadRange> ranges_;
  std::vector<ReplayPositions> positions_;  ///< by range
  std::vector<GroupOffset> committed_;      ///< by range, in the last transaction
  ReplayCounts counts_;
  bool open_ = false;
  std::chrono::steady_clock::time_point begun_at_{};
  size_t records_ = 0;
  size_t bytes_ = 0;
};

}  // namespace

uint64_t ReplayCounts::total() const {
  uint64_t sum = 0;
  for (const auto& [topic, by_reason] : replayed) {
    for (const uint64_t count : by_reason) sum += count;
  }
  return sum;
}

Result<ReplayCounts> Replay(const Settings& settings, const ReplayOrder& order,
                            const KafkaLog& log) {
  return Replayer(settings, order, log).Run();
}

}  // namespace neardup
