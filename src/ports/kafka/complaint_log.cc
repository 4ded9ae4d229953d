#include "kafka/complaint_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace neardup {
namespace {

constexpr int kDebugLevel = 7;
constexpr int64_t kReportPeriodMs = 30'000;
// Bounds the memory if every complaint is new.
constexpr size_t kComplaintsMax = 256;

constexpr const char* kConnection = "connection";

// Words of the library that begin a line about a connection.
constexpr std::array<std::string_view, 5> kConnectionWords = {"FAIL", "_TRANSPORT", "_RESOLVE",
                                                              "_ALL_BROKERS_DOWN", "BROKERFAIL"};

/// `FAIL: [thrd:main]: text` is {"FAIL", "text"}.
std::pair<std::string_view, std::string_view> Split(std::string_view line) {
  const size_t colon = line.find(": ");
  if (colon == std::string_view::npos) return {"", line};
  const std::string_view word = line.substr(0, colon);
  std::string_view text = line.substr(colon + 2);
  if (text.starts_with("[thrd:")) {
    if (const size_t end = text.find("]: "); end != std::string_view::npos) {
      text.remove_prefix(end + 3);
    }
  }
  return {word, text};
}

/// What complaints of one kind have in common.
std::string KindOf(std::string_view word, std::string_view text) {
  if (std::find(kConnectionWords.begin(), kConnectionWords.end(), word) != kConnectionWords.end()) {
    return kConnection;
  }
  std::string kind;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) {
      kind += c;
    } else if (kind.empty() || kind.back() != '#') {
      kind += '#';
    }
  }
  return kind;
}

}  // namespace

ComplaintLog::ComplaintLog(KafkaLog log, std::function<int64_t()> now_ms)
    : log_(std::move(log)), now_ms_(std::move(now_ms)), state_(std::make_shared<State>()) {}

int64_t ComplaintLog::SteadyMs() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void ComplaintLog::operator()(int level, std::string_view text) const {
  if (level >= kDebugLevel) return log_(level, text);
  const auto [word, detail] = Split(text);
  const std::string kind = KindOf(word, detail);
  const int64_t now_ms = now_ms_();
  const std::lock_guard<std::mutex> lock(state_->mutex);
  auto& heard = state_->heard;
  const auto known = heard.find(kind);
  if (known != heard.end() && now_ms - known->second.reported_ms < kReportPeriodMs) {
    ++known->second.repeats;
    return;
  }
  std::string repeats;
  // Without a repeat in the last period, this complaint is a new one.
  if (known != heard.end() && known->second.repeats > 0) {
    repeats = fmt::format(" ({} more like this in {} s)", known->second.repeats,
                          (now_ms - known->second.reported_ms) / 1000);
  }
  if (heard.size() >= kComplaintsMax) heard.clear();
  heard[kind] = {now_ms, 0};
  if (kind == kConnection) {
    log_(level, fmt::format("{}: {}{}",
                            repeats.empty() ? "a connection failed, trying again"
                                            : "connections still fail",
                            detail, repeats));
  } else {
    log_(level, fmt::format("{}{}", detail, repeats));
  }
}

}  // namespace neardup
