// The filter as a handle.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bindings/c_edge.h"
#include "bindings/filter_settings.h"
#include "bindings/saved_filter.h"
#include "neardup/neardup.h"

struct neardup_filter {
  std::unique_ptr<neardup::SavedFilter> saved;
  /// Why rows are dead letters, of the last call that decided or checked.
  std::vector<std::pair<size_t, std::string>> errors;
  std::atomic_flag busy;
  /// A call that changes what is remembered was begun and not ended.
  bool broken = false;
};

namespace neardup {
namespace {

constexpr uint64_t kThreadsMax = 1024;

Outcome ReadOptions(const neardup_options* from, BatchOptions& to) {
  if (from == nullptr) return {};
  neardup_options options{};
  NEARDUP_TRY(ReadStruct(from, sizeof(size_t), sizeof options, "options", &options));
  if (options.threads > kThreadsMax) {
    return InvalidArgument(
        fmt::format("options.threads is {}; expected at most {}", options.threads, kThreadsMax));
  }
  to.threads = static_cast<uint32_t>(options.threads);
  if (options.commit_records != 0) to.commit_records = options.commit_records;
  return {};
}

/// Makes a filter from what `make` returns.
template <class Make>
neardup_status NewFilter(neardup_filter** filter, char** error, Make make) noexcept {
  if (filter != nullptr) *filter = nullptr;
  return Guarded(error, [&]() -> Outcome {
    if (filter == nullptr)
      return InvalidArgument("filter is NULL; expected the place for the new filter");
    auto made = std::make_unique<neardup_filter>();
    NEARDUP_TRY(make(made->saved));
    *filter = made.release();
    return {};
  });
}

/// Runs a call on a filter, unless another thread is in one.
template <class Body>
neardup_status OnFilter(neardup_filter* filter, char** error, Body body) noexcept {
  return Guarded(error, [&]() -> Outcome {
    if (filter == nullptr) return InvalidArgument("filter is NULL");
    if (filter->busy.test_and_set(std::memory_order_acquire)) {
      return {NEARDUP_BUSY, "another thread uses this filter; expected one thread at a time"};
    }
    struct Release {
      std::atomic_flag& busy;
      ~Release() { busy.clear(std::memory_order_release); }
    } release{filter->busy};
    if (filter->broken) {
      return {NEARDUP_BROKEN,
              "an earlier call failed halfway, so this filter does not know what it remembers; "
              "free it, "
              "and load or make another"};
    }
    return body(*filter);
  });
}

/// Calls `change`. If it throws, the filter is broken.
template <class Change>
void Changing(neardup_filter& filter, Change change) {
  filter.broken = true;
  change();
  filter.broken = false;
}

/// The caller's array of verdicts.
struct CallerVerdicts {
  unsigned char* first = nullptr;
  size_t size = 0;

  Outcome Take(neardup_verdict* verdicts) {
    if (verdicts == nullptr) return InvalidArgument("verdicts is NULL, and count is not 0");
    first = reinterpret_cast<unsigned char*>(verdicts);
    std::memcpy(&size, first, sizeof size);
    return CheckSize(size, "verdict");
  }

  void Write(size_t index, const neardup_verdict& verdict) const {
    WriteStruct(&verdict, sizeof verdict, size, first + index * size);
  }
};

neardup_verdict VerdictAt(const VerdictColumns& columns, size_t row, int64_t number) {
  static_assert(VerdictColumns::kNoKind == NEARDUP_NO_KIND);
  return {sizeof(neardup_verdict), number,
          columns.original[row],   columns.distance[row],
          columns.decision[row],   columns.kind[row],
          columns.reason[row],     columns.late[row]};
}

/// Decides or checks, as `give` says, which gets the batch and the columns to fill.
template <class Give>
Outcome GiveVerdicts(neardup_filter& filter, const neardup_record* records, size_t count,
                     neardup_verdict* verdicts, bool numbered, Give give) {
  CallerRecords taken;
  NEARDUP_TRY(taken.Take(records, count));
  CallerVerdicts places;
  if (count > 0) NEARDUP_TRY(places.Take(verdicts));
  filter.errors.clear();
  VerdictColumns columns;
  columns.Reserve(count);
  const int64_t first = filter.saved->filter().decided();
  give(taken.batch(), columns);
  for (size_t i = 0; i < count; ++i) {
    const int64_t number = numbered ? first + static_cast<int64_t>(i) : -1;
    places.Write(i, VerdictAt(columns, i, number));
  }
  filter.errors = std::move(columns.errors);
  return {};
}

}  // namespace
}  // namespace neardup

using neardup::GiveVerdicts;
using neardup::InvalidArgument;
using neardup::OnFilter;
using neardup::Outcome;

neardup_status neardup_filter_new(const char* settings, const neardup_options* options,
                                  neardup_filter** filter, char** error) noexcept {
  return neardup::NewFilter(
      filter, error, [&](std::unique_ptr<neardup::SavedFilter>& made) -> Outcome {
        if (settings == nullptr) return InvalidArgument("settings is NULL; expected a JSON object");
        neardup::BatchOptions batch;
        NEARDUP_TRY(neardup::ReadOptions(options, batch));
        NEARDUP_ASSIGN(const neardup::FilterSettings parsed,
                       neardup::ParseFilterSettings(settings));
        if (parsed.learn) {
          return {NEARDUP_CONFIG,
                  "match.mode: expected near or exact, found auto, the default, which learns from "
                  "records; give the mode, or take the settings that neardup_learn returns"};
        }
        batch.filter = parsed.options;
        NEARDUP_ASSIGN(made, neardup::SavedFilter::New(batch));
        return {};
      });
}

neardup_status neardup_filter_load(const char* path, const neardup_options* options,
                                   neardup_filter** filter, char** error) noexcept {
  return neardup::NewFilter(
      filter, error, [&](std::unique_ptr<neardup::SavedFilter>& made) -> Outcome {
        if (path == nullptr)
          return InvalidArgument("path is NULL; expected the file of a saved filter");
        neardup::BatchOptions batch;
        NEARDUP_TRY(neardup::ReadOptions(options, batch));
        NEARDUP_ASSIGN(made, neardup::SavedFilter::Load(path, batch.threads));
        return {};
      });
}

void neardup_filter_free(neardup_filter* filter) noexcept { delete filter; }

neardup_status neardup_filter_decide(neardup_filter* filter, const neardup_record* records,
                                     size_t count, neardup_verdict* verdicts,
                                     char** error) noexcept {
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    return GiveVerdicts(
        held, records, count, verdicts, true, [&](const auto& batch, auto& columns) {
          neardup::Changing(held, [&] { held.saved->filter().Decide(batch, columns); });
        });
  });
}

neardup_status neardup_filter_check(neardup_filter* filter, const neardup_record* records,
                                    size_t count, neardup_verdict* verdicts,
                                    char** error) noexcept {
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    return GiveVerdicts(
        held, records, count, verdicts, false,
        [&](const auto& batch, auto& columns) { held.saved->filter().Check(batch, columns); });
  });
}

const char* neardup_filter_dead_letter_text(const neardup_filter* filter, size_t index) noexcept {
  if (filter == nullptr) return "";
  const auto& errors = filter->errors;
  const auto found =
      std::lower_bound(errors.begin(), errors.end(), index,
                       [](const auto& error, size_t row) { return error.first < row; });
  return found != errors.end() && found->first == index ? found->second.c_str() : "";
}

neardup_status neardup_filter_set_clock(neardup_filter* filter, int64_t now_ms,
                                        char** error) noexcept {
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    held.saved->filter().SetClock(now_ms);
    return {};
  });
}

neardup_status neardup_filter_commit(neardup_filter* filter, char** error) noexcept {
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    neardup::Changing(held, [&] { held.saved->filter().Commit(); });
    return {};
  });
}

neardup_status neardup_filter_save(neardup_filter* filter, const char* path,
                                   char** error) noexcept {
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    if (path == nullptr) return InvalidArgument("path is NULL; expected the file to write");
    neardup::Result<void> saved;
    neardup::Changing(held, [&] { saved = held.saved->Save(path); });
    NEARDUP_TRY(saved);
    return {};
  });
}

neardup_status neardup_filter_statistics(neardup_filter* filter, neardup_statistics* statistics,
                                         char** error) noexcept {
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    if (statistics == nullptr)
      return InvalidArgument("statistics is NULL; expected a struct with its struct_size");
    const size_t size = statistics->struct_size;
    NEARDUP_TRY(neardup::CheckSize(size, "statistics"));
    const neardup::Filter& inner = held.saved->filter().filter();
    const neardup_statistics found = {sizeof(neardup_statistics),
                                      inner.entries(),
                                      inner.bytes() + held.saved->log_bytes(),
                                      static_cast<uint64_t>(held.saved->filter().decided()),
                                      inner.entries_evicted(),
                                      inner.entries_expired()};
    neardup::WriteStruct(&found, sizeof found, size, statistics);
    return {};
  });
}

neardup_status neardup_filter_settings(neardup_filter* filter, char** settings,
                                       char** error) noexcept {
  if (settings != nullptr) *settings = nullptr;
  return OnFilter(filter, error, [&](neardup_filter& held) -> Outcome {
    if (settings == nullptr)
      return InvalidArgument("settings is NULL; expected the place for the text");
    *settings = neardup::TextForCaller(neardup::FilterSettingsText(held.saved->filter().options()));
    return {};
  });
}
