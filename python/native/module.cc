// The native part of the Python package: rows in, columns out. python/neardup gives it its face.
#include <nanobind/nanobind.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/set.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "arrow_abi.h"
#include "bindings/batch_filter.h"
#include "bindings/filter_settings.h"
#include "bindings/join_pass.h"
#include "bindings/saved_filter.h"
#include "detect/base/hash.h"
#include "detect/filter/watermark.h"
#include "explain/explain_text.h"
#include "explain/pages.h"
#include "explain/tune_summary.h"
#include "fingerprint_table.h"
#include "join_table.h"
#include "learn/learned_options.h"
#include "learn/model_file.h"
#include "learn/tuning.h"
#include "rows.h"
#include "verdict_arrays.h"

namespace nb = nanobind;
using namespace nb::literals;

namespace neardup {
namespace {

/// Records that are learned from at most, and their bytes: as auto.records_max and the command
/// filter have it.
constexpr size_t kLearnedRecordsMax = 50'000;
constexpr size_t kLearnedBytes = size_t{64} << 20;

PyObject* g_error = nullptr;  ///< neardup.Error

/// Raises neardup.Error with the code as an attribute.
[[noreturn]] void Raise(const Error& error) {
  const nb::object made = nb::borrow(g_error)(error.text);
  nb::setattr(made, "code", nb::str(Name(error.code)));
  PyErr_SetObject(g_error, made.ptr());
  throw nb::python_error();
}

template <class T>
T Take(Result<T> result) {
  if (!result.ok()) Raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

/// Records, and whatever keeps them alive.
struct PyRows {
  std::unique_ptr<Rows> rows;
  nb::object owner;

  RecordBatch Batch(size_t begin, size_t end) const {
    return {end - begin, [this, begin](size_t i, RecordBuffer& buffer) {
              return rows->At(begin + i, buffer.json);
            }};
  }
};

ArrowArrayStream& StreamOf(const nb::object& capsule) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream");
  if (pointer == nullptr) throw nb::python_error();
  return *static_cast<ArrowArrayStream*>(pointer);
}

PyRows RowsOfStream(const nb::object& capsule, std::vector<std::string> fields, std::string json,
                    std::string time) {
  PyRows rows;
  rows.rows = Take(
      TableRows::New(StreamOf(capsule), {std::move(fields), std::move(json), std::move(time)}));
  return rows;
}

PyRows RowsOfList(const nb::list& payloads) {
  std::vector<std::optional<std::string_view>> values;
  values.reserve(nb::len(payloads));
  for (const nb::handle item : payloads) {
    if (item.is_none()) {
      values.emplace_back(std::nullopt);
    } else if (nb::isinstance<nb::bytes>(item)) {
      const auto bytes = nb::borrow<nb::bytes>(item);
      values.emplace_back(std::string_view(static_cast<const char*>(bytes.data()), bytes.size()));
    } else {
      throw nb::type_error("expected a list of bytes");
    }
  }
  // The list may change; a tuple of its items keeps all of them.
  return {std::make_unique<BytesRows>(std::move(values)), nb::tuple(payloads)};
}

PyRows RowsOfLines(const nb::bytes& text) {
  const std::string_view view(static_cast<const char*>(text.data()), text.size());
  return {std::make_unique<BytesRows>(BytesRows::OfLines(view)), text};
}

/// The pair of capsules of the Arrow PyCapsule protocol.
nb::tuple Capsules(ArrayExport&& exported) {
  auto* schema = new ArrowSchema{};
  auto* array = new ArrowArray{};
  std::move(exported).Export(*schema, *array);
  const auto free_schema = [](PyObject* capsule) {
    auto* held = static_cast<ArrowSchema*>(PyCapsule_GetPointer(capsule, "arrow_schema"));
    if (held->release != nullptr) held->release(held);
    delete held;
  };
  const auto free_array = [](PyObject* capsule) {
    auto* held = static_cast<ArrowArray*>(PyCapsule_GetPointer(capsule, "arrow_array"));
    if (held->release != nullptr) held->release(held);
    delete held;
  };
  const nb::object first =
      nb::steal<nb::object>(PyCapsule_New(schema, "arrow_schema", free_schema));
  const nb::object second = nb::steal<nb::object>(PyCapsule_New(array, "arrow_array", free_array));
  return nb::make_tuple(first, second);
}

const std::vector<std::string>& ReasonNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (int reason = 0; reason < kReasonCount; ++reason) {
      all.emplace_back(Name(static_cast<Reason>(reason)));
    }
    return all;
  }();
  return names;
}

/// Reasons as AddNames takes them: a record that can be compared has none.
std::vector<uint8_t> ReasonsOrNull(std::vector<uint8_t> reasons) {
  std::replace(reasons.begin(), reasons.end(), uint8_t{0}, uint8_t{255});
  return reasons;
}

nb::tuple VerdictCapsules(VerdictColumns&& verdicts) {
  ArrayExport exported(verdicts.size());
  exported.AddNames(
      "verdict", std::move(verdicts.decision),
      {Name(Decision::kUnique), Name(Decision::kDuplicate), Name(Decision::kDeadLetter)});
  exported.AddNumbers("original", std::move(verdicts.original), VerdictColumns::kNoOriginal);
  exported.AddNumbers("distance", std::move(verdicts.distance), VerdictColumns::kNoDistance);
  exported.AddNames("kind", std::move(verdicts.kind),
                    {Name(MatchKind::kExact), Name(MatchKind::kNear)});
  exported.AddNames("reason", ReasonsOrNull(std::move(verdicts.reason)), ReasonNames());
  exported.AddFlags("late", verdicts.late);
  return Capsules(std::move(exported));
}

std::vector<uint32_t> Flat(const std::vector<std::array<uint32_t, ProbedKeys::kMax>>& keys) {
  std::vector<uint32_t> flat;
  flat.reserve(keys.size() * ProbedKeys::kMax);
  for (const auto& each : keys) flat.insert(flat.end(), each.begin(), each.end());
  return flat;
}

nb::tuple FingerprintCapsules(FingerprintColumns&& columns) {
  ArrayExport exported(columns.size());
  exported.AddNumbers("simhash", std::move(columns.simhash));
  exported.AddNumbers("order", std::move(columns.order));
  exported.AddNumbers("exact", std::move(columns.exact));
  exported.AddNumbers("numbers", std::move(columns.numbers));
  exported.AddNumbers("features", std::move(columns.features));
  exported.AddNumbers("time_ms", std::move(columns.time_ms));
  exported.AddLists("text_keys", Flat(columns.text_keys), ProbedKeys::kMax);
  exported.AddNames("reason", ReasonsOrNull(std::move(columns.reason)), ReasonNames());
  exported.AddFlags("passed", columns.passed);
  return Capsules(std::move(exported));
}

/// Settings for a filter that decides now. kConfig if something is left to be learned.
FilterOptions DecidedOptions(const std::string& settings) {
  const FilterSettings parsed = Take(ParseFilterSettings(settings));
  if (parsed.learn) {
    Raise({ErrorCode::kConfig,
           "match.mode is auto, so the settings are still to be learned from records; call "
           "neardup.tune(...) and use what it finds, or set match.mode to near or exact"});
  }
  return parsed.options;
}

int64_t NowMs() {
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<milliseconds>(now).count();
}

/// Lets one thread at a time do something without Python's lock. The other threads of Python go on.
class OneAtATime {
 public:
  template <class Work>
  auto Do(const Work& work) {
    const nb::gil_scoped_release release;  // before the mutex: its owner may wait for Python's lock
    const std::lock_guard lock(mutex_);
    return work();
  }

 private:
  std::mutex mutex_;
};

/// Decides a whole input, keeps its fingerprints, and decides them again under other settings.
class PyRun {
 public:
  PyRun(const std::string& settings, uint32_t threads, bool keeps)
      : threads_(threads), keeps_(keeps) {
    options_ = DecidedOptions(settings);
    // Kept fingerprints may be decided again at any distance.
    filter_ =
        Take(BatchFilter::New({.filter = options_, .threads = threads, .near_features = keeps}));
    filter_->SetClock(NowMs());
  }

  void Decide(const PyRows& rows, size_t begin, size_t end) {
    one_.Do([&] {
      filter_->Decide(rows.Batch(begin, end), verdicts_, keeps_ ? kept_.get() : nullptr);
    });
  }
  /// Decides the kept fingerprints again with another distance.
  std::unique_ptr<PyRun> Rethreshold(int distance_max) {
    if (!keeps_) Raise({ErrorCode::kConfig, "the fingerprints were not kept"});
    FilterOptions options = options_;
    options.match.distance_max = distance_max;
    auto run = std::make_unique<PyRun>(FilterSettingsText(options), threads_, true);
    run->kept_ = kept_;
    one_.Do([&] {
      run->filter_->Decide(*kept_, 0, kept_->size(), run->verdicts_);
      run->verdicts_.errors = kept_->errors;
    });
    return run;
  }
  nb::tuple Verdicts() {
    return VerdictCapsules(one_.Do([&] { return VerdictColumns(verdicts_); }));
  }
  std::vector<std::pair<size_t, std::string>> Errors() {
    return one_.Do([&] { return verdicts_.errors; });
  }
  std::string Settings() const { return FilterSettingsText(options_); }

 private:
  FilterOptions options_;
  uint32_t threads_;
  bool keeps_;
  std::unique_ptr<BatchFilter> filter_;
  OneAtATime one_;
  VerdictColumns verdicts_;
  std::shared_ptr<FingerprintColumns> kept_ = std::make_shared<FingerprintColumns>();
};

/// A filter that lives on.
class PyFilter {
 public:
  explicit PyFilter(std::unique_ptr<SavedFilter> saved) : saved_(std::move(saved)) {}
  static std::unique_ptr<PyFilter> New(const std::string& settings, uint32_t threads) {
    return std::make_unique<PyFilter>(Take(SavedFilter::New({DecidedOptions(settings), threads})));
  }
  static std::unique_ptr<PyFilter> Load(const std::string& path, uint32_t threads) {
    return std::make_unique<PyFilter>(Take(SavedFilter::Load(path, threads)));
  }

  /// The verdicts, why records are dead letters by their rows in this batch, and the number of the
  /// first record.
  std::tuple<nb::tuple, std::vector<std::pair<size_t, std::string>>, int64_t> Decide(
      const PyRows& rows, bool remember) {
    int64_t first = 0;
    VerdictColumns verdicts = one_.Do([&] {
      VerdictColumns decided;
      BatchFilter& filter = saved_->filter();
      filter.SetClock(NowMs());
      first = filter.decided();
      const RecordBatch batch = rows.Batch(0, rows.rows->size());
      if (remember) {
        filter.Decide(batch, decided);
      } else {
        filter.Check(batch, decided);
      }
      return decided;
    });
    auto errors = std::move(verdicts.errors);
    return {VerdictCapsules(std::move(verdicts)), std::move(errors), first};
  }
  void Save(const std::string& path) {
    Take(one_.Do([&] { return saved_->Save(path); }));
  }
  std::string Settings() const { return FilterSettingsText(saved_->filter().options()); }
  int64_t Decided() {
    return one_.Do([&] { return saved_->filter().decided(); });
  }
  uint64_t Entries() {
    return one_.Do([&] { return saved_->filter().filter().entries(); });
  }
  uint64_t Bytes() {
    return one_.Do([&] { return saved_->filter().filter().bytes() + saved_->log_bytes(); });
  }

 private:
  OneAtATime one_;
  std::unique_ptr<SavedFilter> saved_;
};

/// The records that something is learned from: evenly distributed ones, at most as many as the
/// command filter takes. They are copies, since a row may borrow from scratch memory.
class LearnedSample {
 public:
  explicit LearnedSample(const Rows& rows) {
    size_t count = std::min(rows.size(), kLearnedRecordsMax);
    std::string scratch;
    for (size_t i = 0; i < count; ++i) {
      const RecordView record = rows.At(i * rows.size() / count, scratch);
      values_.emplace_back(record.value ? std::optional<std::string>(*record.value) : std::nullopt);
      times_.push_back(record.time_ms);
      bytes_ += record.value ? record.value->size() : 0;
      if (bytes_ > kLearnedBytes && i + 1 < count) {  // fewer records from the whole length
        count = i + 1;
        values_.clear();
        times_.clear();
        bytes_ = 0;
        i = static_cast<size_t>(-1);
      }
    }
  }

  std::vector<RecordView> views() const {
    std::vector<RecordView> views;
    for (size_t i = 0; i < values_.size(); ++i) {
      RecordView view{{0, static_cast<int64_t>(i)}, times_[i], std::nullopt};
      if (values_[i]) view.value = *values_[i];
      views.push_back(view);
    }
    return views;
  }

 private:
  std::vector<std::optional<std::string>> values_;
  std::vector<int64_t> times_;
  size_t bytes_ = 0;
};

/// The window of a file holds all of it, unless a person says otherwise.
void HoldAll(FilterSettings& settings, size_t rows) {
  if (settings.given.contains("window.entries_max")) return;
  uint64_t& entries_max = settings.options.window.entries_max;
  entries_max = std::clamp<uint64_t>(rows, WindowOptions::kEntriesMaxRange.min,
                                     WindowOptions::kEntriesMaxRange.max);
}

/// What `filter` does before its first record. Returns the settings as JSON, the mode, and the
/// reasons.
nb::tuple Learn(const PyRows& rows, const std::string& given, size_t records_min) {
  FilterSettings settings = Take(ParseFilterSettings(given));
  const bool window_given = settings.given.contains("window.entries_max");
  HoldAll(settings, rows.rows->size());
  if (!settings.learn) {
    return nb::make_tuple(FilterSettingsText(settings.options), "given", nb::list());
  }
  LearnedOptions learned;
  {
    const nb::gil_scoped_release release;
    const LearnedSample sample(*rows.rows);
    std::set<std::string> kept = settings.given;
    kept.insert("window.entries_max");
    learned = LearnOptions(sample.views(), settings.options, kept, records_min);
    if (!window_given) {
      learned.options.window.entries_max =
          std::max(learned.options.window.entries_max, FilterOptions().window.entries_max);
    }
  }
  return nb::make_tuple(FilterSettingsText(learned.options), learned.mode, learned.reasons);
}

/// `pairs` holds the earlier and the later record of each labelled pair, one after the other.
nb::dict TuneRows(const PyRows& rows, const std::string& given, const std::string& name,
                  uint64_t window_entries, const PyRows& pairs, const std::vector<bool>& copies) {
  const FilterSettings settings = Take(ParseFilterSettings(given));
  TuneFiles files;
  files.sample = name;
  Result<Tuning> tuned = Error{};
  std::string page;
  std::string model;
  {
    const nb::gil_scoped_release release;
    const LearnedSample sample(*rows.rows);
    const std::vector<RecordView> views = sample.views();
    TuneOptions options;
    options.filter = settings.options;
    if (window_entries > 0) {
      options.calibration.window_entries = window_entries;
    } else {
      options.calibration.window_entries_min = kTunedWindowMin;
    }
    std::deque<std::string> scratch;
    const auto value = [&](size_t row) {
      return pairs.rows->At(row, scratch.emplace_back()).value.value_or("");
    };
    std::vector<LabelledPair> labels;
    for (size_t i = 0; i < copies.size(); ++i) {
      labels.push_back({value(2 * i), value(2 * i + 1), copies[i]});
    }
    options.labels = labels;
    tuned = Tune(views, options);
    if (tuned.ok()) {
      page = TunePage(*tuned, files, views);
      model = ModelText(tuned->proposed.model, ProfileOf(views, tuned->proposed));
    }
  }
  if (!tuned.ok()) Raise({tuned.error().code, name + " " + tuned.error().text});
  nb::dict found;
  found["settings"] = FilterSettingsText(tuned->proposed);
  found["model"] = model;
  found["text"] = TuneText(*tuned, files);
  found["json"] = TuneJson(*tuned, files);
  found["page"] = page;
  return found;
}

/// Computes fingerprints, batch after batch.
class PyFingerprinter {
 public:
  PyFingerprinter(const std::string& settings, uint32_t threads)
      : pool_(Take(ParseFilterSettings(settings)).options, threads) {}

  nb::tuple Compute(const PyRows& rows) {
    FingerprintColumns columns;
    {
      const nb::gil_scoped_release release;
      columns.Reserve(rows.rows->size());
      ComputeFingerprints(pool_, rows.Batch(0, rows.rows->size()), columns);
    }
    return FingerprintCapsules(std::move(columns));
  }

 private:
  FingerprintPool pool_;
};

nb::tuple FingerprintRows(const PyRows& rows, const std::string& settings, uint32_t threads) {
  return PyFingerprinter(settings, threads).Compute(rows);
}

/// Decides one lane from fingerprints, and gives out what it remembers as segments.
class PyLane {
 public:
  PyLane(const std::string& settings, uint32_t threads, uint64_t commit_records, int64_t now_ms)
      : lane_(Take(SegmentedFilter::New({DecidedOptions(settings), threads, commit_records}))) {
    lane_->filter().SetClock(now_ms);
  }

  nb::tuple Decide(const nb::object& capsule) {
    const FingerprintColumns columns = Take(ReadFingerprints(StreamOf(capsule)));
    VerdictColumns verdicts;
    {
      const nb::gil_scoped_release release;
      verdicts.Reserve(columns.size());
      lane_->filter().Decide(columns, 0, columns.size(), verdicts);
    }
    return VerdictCapsules(std::move(verdicts));
  }
  nb::bytes TakeSegment() {
    const std::string segment = lane_->TakeSegment();
    return nb::bytes(segment.data(), segment.size());
  }
  void Restore(const nb::bytes& segment) {
    Take(lane_->Restore({static_cast<const char*>(segment.data()), segment.size()}));
  }
  void Commit() { lane_->filter().Commit(); }
  uint64_t SegmentEntries() const { return lane_->segment_entries(); }
  int64_t Decided() { return lane_->filter().decided(); }
  uint64_t Entries() { return lane_->filter().filter().entries(); }
  uint64_t Evicted() { return lane_->filter().filter().entries_evicted(); }
  uint64_t Bytes() { return lane_->filter().filter().bytes(); }

 private:
  std::unique_ptr<SegmentedFilter> lane_;
};

/// The rows of records, of which the first has the number `first`.
nb::tuple JoinRowsOf(const std::string& settings, int64_t now_ms, int64_t first,
                     const nb::object& capsule) {
  const FilterOptions options = DecidedOptions(settings);
  const FingerprintColumns columns = Take(ReadFingerprints(StreamOf(capsule)));
  JoinRows rows;
  {
    const nb::gil_scoped_release release;
    JoinKeys(options).AddRows(columns, first, LatestTime(now_ms, options.window), rows);
  }
  return Capsules(JoinRowColumns(rows));
}

std::vector<int64_t> NumbersOf(const nb::bytes& bytes) {
  std::vector<int64_t> numbers(bytes.size() / sizeof(int64_t));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(int64_t));
  return numbers;
}

std::string TextOf(const nb::bytes& bytes) {
  return {static_cast<const char*>(bytes.data()), bytes.size()};
}

/// Does something without Python's lock.
auto Released(const auto& work) {
  const nb::gil_scoped_release release;
  return work();
}

/// The passes of a join over one part and what the parts before it hold of its first group.
class PyJoinPass {
 public:
  PyJoinPass(const std::string& settings, int64_t commit_records, int stretch_bits,
             const nb::bytes& horizons_ms, const nb::bytes& unique, const nb::bytes& duplicate,
             const nb::bytes& first_unique, const nb::bytes& first_possible)
      : options_(DecidedOptions(settings)),
        state_{commit_records,    NumbersOf(horizons_ms),  TextOf(unique),
               TextOf(duplicate), NumbersOf(first_unique), NumbersOf(first_possible)},
        limits_{.stretch_bits = stretch_bits},
        pass_(options_, state_, limits_) {}

  std::tuple<nb::tuple, nb::tuple> Match(const nb::object& part) {
    const JoinRows rows = RowsOf(part);
    JoinRows kept;
    JoinMatches found = Released([&] { return pass_.Match(rows, kept); });
    return {Capsules(JoinRowColumns(kept)), Exported(std::move(found))};
  }
  nb::tuple Witnesses(const nb::object& part, const nb::object& before, bool complete) {
    const JoinRows rows = RowsOf(part);
    const JoinTail tail{RowsOf(before), complete};
    return Exported(Released([&] { return pass_.FindWitnesses(rows, tail); }));
  }
  nb::tuple Left(const nb::object& part, const nb::object& before) {
    const JoinRows rows = RowsOf(part);
    const JoinTail tail{RowsOf(before), true};
    return Capsules(JoinRowColumns(Released([&] { return pass_.RowsLeft(rows, tail); })));
  }
  nb::bytes Finish(const nb::object& left, const nb::bytes& undecided) {
    const JoinRows rows = RowsOf(left);
    const std::vector<int64_t> numbers = NumbersOf(undecided);
    const std::vector<uint8_t> duplicate =
        Released([&] { return JoinFinish(options_, state_, limits_).Decide(rows, numbers); });
    return nb::bytes(duplicate.data(), duplicate.size());
  }
  nb::tuple Best(const nb::object& part, const nb::object& before) {
    const JoinRows rows = RowsOf(part);
    const JoinTail tail{RowsOf(before), true};
    return Exported(Released([&] { return pass_.FindBest(rows, tail); }));
  }
  std::tuple<nb::tuple, bool> Tail(const nb::object& part, bool all) {
    const JoinRows rows = RowsOf(part);
    const JoinTail tail = Released([&] { return pass_.TailOf(rows, all); });
    return {Capsules(JoinRowColumns(tail.rows)), tail.complete};
  }

 private:
  static JoinRows RowsOf(const nb::object& capsule) {
    return Take(ReadJoinRows(StreamOf(capsule)));
  }
  static nb::tuple Exported(JoinMatches&& found) {
    ArrayExport exported(found.number.size());
    exported.AddNumbers("number", std::move(found.number));
    exported.AddNumbers("earlier", std::move(found.earlier));
    return Capsules(std::move(exported));
  }
  static nb::tuple Exported(JoinBest&& found) {
    ArrayExport exported(found.number.size());
    exported.AddNumbers("number", std::move(found.number));
    exported.AddNumbers("original", std::move(found.original));
    exported.AddNumbers("kind", std::move(found.kind));
    exported.AddNumbers("distance", std::move(found.distance));
    exported.AddNumbers("sum", std::move(found.sum));
    return Capsules(std::move(exported));
  }

  const FilterOptions options_;
  const JoinState state_;
  const JoinLimits limits_;
  const JoinPass pass_;
};

nb::tuple ExplainRows(const PyRows& rows, const std::string& settings) {
  FilterSettings parsed = Take(ParseFilterSettings(settings));
  std::string scratch[2];
  ExplainReport report;
  report.a = "a";
  report.b = "b";
  report.options = parsed.options;
  const RecordView a = rows.rows->At(0, scratch[0]);
  report.explained = Take(ExplainPair(parsed.options, a, rows.rows->At(1, scratch[1])));
  return nb::make_tuple(ExplainText(report), ExplainJson(report), ExplainPage(report));
}

}  // namespace
}  // namespace neardup

NB_MODULE(_native, module) {
  using namespace neardup;
  module.doc() = "The native part of neardup. Use the package neardup instead.";

  nb::class_<PyRows>(module, "Rows", "Records by number.")
      .def_static("of_stream", &RowsOfStream, "capsule"_a, "fields"_a, "json"_a, "time"_a,
                  "The rows of an Arrow stream.")
      .def_static("of_list", &RowsOfList, "payloads"_a, "Records of JSON, as bytes or None.")
      .def_static("of_lines", &RowsOfLines, "text"_a, "The lines of JSON Lines.")
      .def("__len__", [](const PyRows& rows) { return rows.rows->size(); })
      .def(
          "json",
          [](const PyRows& rows, size_t row) -> std::optional<nb::bytes> {
            if (row >= rows.rows->size()) throw nb::index_error("there is no such row");
            std::string scratch;
            const RecordView record = rows.rows->At(row, scratch);
            if (!record.value) return std::nullopt;
            return nb::bytes(record.value->data(), record.value->size());
          },
          "row"_a, "One record as JSON.");

  nb::class_<PyRun>(module, "Run", "Decides a whole input.")
      .def(nb::init<const std::string&, uint32_t, bool>(), "settings"_a, "threads"_a, "keep"_a)
      .def("decide", &PyRun::Decide, "rows"_a, "begin"_a, "end"_a)
      .def("rethreshold", &PyRun::Rethreshold, "distance_max"_a)
      .def("verdicts", &PyRun::Verdicts)
      .def("errors", &PyRun::Errors)
      .def("settings", &PyRun::Settings);

  nb::class_<PyFilter>(module, "Filter", "Decides batch after batch.")
      .def_static("new", &PyFilter::New, "settings"_a, "threads"_a)
      .def_static("load", &PyFilter::Load, "path"_a, "threads"_a)
      .def("decide", &PyFilter::Decide, "rows"_a, "remember"_a)
      .def("save", &PyFilter::Save, "path"_a)
      .def("settings", &PyFilter::Settings)
      .def("decided", &PyFilter::Decided)
      .def("entries", &PyFilter::Entries)
      .def("bytes", &PyFilter::Bytes);

  nb::class_<PyFingerprinter>(module, "Fingerprinter", "Computes fingerprints, batch after batch.")
      .def(nb::init<const std::string&, uint32_t>(), "settings"_a, "threads"_a)
      .def("compute", &PyFingerprinter::Compute, nb::lock_self(), "rows"_a);

  nb::class_<PyLane>(module, "Lane", "Decides one lane from fingerprints.")
      .def(nb::init<const std::string&, uint32_t, uint64_t, int64_t>(), "settings"_a, "threads"_a,
           "commit_records"_a, "now_ms"_a)
      .def("decide", &PyLane::Decide, nb::lock_self(), "capsule"_a)
      .def("commit", &PyLane::Commit, nb::lock_self())
      .def("take_segment", &PyLane::TakeSegment, nb::lock_self())
      .def("restore", &PyLane::Restore, nb::lock_self(), "segment"_a)
      .def("segment_entries", &PyLane::SegmentEntries, nb::lock_self())
      .def("decided", &PyLane::Decided, nb::lock_self())
      .def("entries", &PyLane::Entries, nb::lock_self())
      .def("evicted", &PyLane::Evicted, nb::lock_self())
      .def("bytes", &PyLane::Bytes, nb::lock_self());

  nb::class_<PyJoinPass>(module, "JoinPass", "Decides records by groups that share a key.")
      .def(nb::init<const std::string&, int64_t, int, const nb::bytes&, const nb::bytes&,
                    const nb::bytes&, const nb::bytes&, const nb::bytes&>(),
           "settings"_a, "commit_records"_a, "stretch_bits"_a, "horizons_ms"_a, "unique"_a,
           "duplicate"_a, "first_unique"_a, "first_possible"_a)
      .def("match", &PyJoinPass::Match, "part"_a)
      .def("witnesses", &PyJoinPass::Witnesses, "part"_a, "before"_a, "complete"_a)
      .def("left", &PyJoinPass::Left, "part"_a, "before"_a)
      .def("finish", &PyJoinPass::Finish, "left"_a, "undecided"_a)
      .def("best", &PyJoinPass::Best, "part"_a, "before"_a)
      .def("tail", &PyJoinPass::Tail, "part"_a, "all"_a);

  module.def("join_rows", &JoinRowsOf, "settings"_a, "now_ms"_a, "first"_a, "capsule"_a,
             "The rows of records under the keys that bring near ones together.");
  module.def("learn", &Learn, "rows"_a, "settings"_a, "records_min"_a);
  module.def("tune", &TuneRows, "rows"_a, "settings"_a, "name"_a, "window_entries"_a, "pairs"_a,
             "copies"_a);
  module.def("fingerprint", &FingerprintRows, "rows"_a, "settings"_a, "threads"_a);
  module.def("explain", &ExplainRows, "rows"_a, "settings"_a);
  module.def(
      "settings",
      [](const std::string& settings) { return FilterSettingsText(DecidedOptions(settings)); },
      "settings"_a, "All settings of a filter that decides now.");
  module.def(
      "filter_bytes_max",
      [](const std::string& settings, uint64_t commit_records) {
        return FilterBytesMax(DecidedOptions(settings), commit_records);
      },
      "settings"_a, "commit_records"_a, "The most memory that a filter takes, in bytes.");
  module.def(
      "checksum",
      [](const nb::bytes& bytes) {
        return Hash64({static_cast<const char*>(bytes.data()), bytes.size()});
      },
      "bytes"_a, "XXH3-64.");
  module.def("reasons", &ReasonNames, "The names of the reasons 0, 1, 2 and so on.");
  module.def(
      "set_error_class", [](nb::handle error) { g_error = error.inc_ref().ptr(); }, "error"_a,
      "The exception class that errors are raised as.");
  module.attr("version") = NEARDUP_VERSION;
}
