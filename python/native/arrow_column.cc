#include "arrow_column.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

namespace neardup {
namespace {

template <class T>
const T* BufferOf(const ArrowArray& array, int64_t index) {
  return static_cast<const T*>(array.buffers[index]);
}

bool BitAt(const uint8_t* bits, size_t index) {
  return ((bits[index / 8] >> (index % 8)) & 1) != 0;
}

template <class T>
class NumberColumn : public ArrowColumn {
 public:
  explicit NumberColumn(const ArrowArray& array)
      : ArrowColumn(array), values_(BufferOf<T>(array, 1)) {}

  void Append(size_t row, std::string& json) const override {
    const T value = values_[offset_ + row];
    if constexpr (std::is_floating_point_v<T>) {
      if (!std::isfinite(value)) {  // JSON has no such number
        json += "null";
        return;
      }
    }
    fmt::format_to(std::back_inserter(json), "{}", value);
  }
  std::optional<int64_t> TimeMs(size_t row) const override {
    if constexpr (std::is_integral_v<T>) return static_cast<int64_t>(values_[offset_ + row]);
    return std::nullopt;
  }

 private:
  const T* values_;
};

class FlagColumn : public ArrowColumn {
 public:
  explicit FlagColumn(const ArrowArray& array)
      : ArrowColumn(array), bits_(BufferOf<uint8_t>(array, 1)) {}
  void Append(size_t row, std::string& json) const override {
    json += BitAt(bits_, offset_ + row) ? "true" : "false";
  }

 private:
  const uint8_t* bits_;
};

class TextColumn : public ArrowColumn {
 public:
  using ArrowColumn::ArrowColumn;
  void Append(size_t row, std::string& json) const override { AppendJsonText(At(row), json); }
  std::optional<std::string_view> Bytes(size_t row) const override { return At(row); }

 protected:
  virtual std::string_view At(size_t row) const = 0;
};

template <class Offset>
class OffsetTextColumn : public TextColumn {
 public:
  explicit OffsetTextColumn(const ArrowArray& array)
      : TextColumn(array), offsets_(BufferOf<Offset>(array, 1)), bytes_(BufferOf<char>(array, 2)) {}

 private:
  std::string_view At(size_t row) const override {
    const Offset begin = offsets_[offset_ + row];
    return {bytes_ + begin, static_cast<size_t>(offsets_[offset_ + row + 1] - begin)};
  }

  const Offset* offsets_;
  const char* bytes_;
};

/// string_view and binary_view: 16 bytes a value, with the text in them if it is short.
class ViewTextColumn : public TextColumn {
 public:
  explicit ViewTextColumn(const ArrowArray& array)
      : TextColumn(array), views_(BufferOf<char>(array, 1)), buffers_(array.buffers + 2) {}

 private:
  static constexpr size_t kViewBytes = 16;
  static constexpr int32_t kInlineMax = 12;

  std::string_view At(size_t row) const override {
    const char* view = views_ + (offset_ + row) * kViewBytes;
    std::array<int32_t, 4> parts{};  // length, beginning of the text, buffer, offset
    std::memcpy(parts.data(), view, kViewBytes);
    const auto length = static_cast<size_t>(parts[0]);
    if (parts[0] <= kInlineMax) return {view + sizeof(int32_t), length};
    return {static_cast<const char*>(buffers_[parts[2]]) + parts[3], length};
  }

  const char* views_;
  const void* const* buffers_;
};

class FixedBytesColumn : public TextColumn {
 public:
  FixedBytesColumn(const ArrowArray& array, size_t bytes)
      : TextColumn(array), values_(BufferOf<char>(array, 1)), bytes_(bytes) {}

 private:
  std::string_view At(size_t row) const override {
    return {values_ + (offset_ + row) * bytes_, bytes_};
  }

  const char* values_;
  size_t bytes_;
};

/// Times as RFC 3339, in UTC; dates as YYYY-MM-DD. `T` counts units since 1970.
template <class T>
class TimeColumn : public ArrowColumn {
 public:
  TimeColumn(const ArrowArray& array, int64_t units_per_s, bool is_date)
      : ArrowColumn(array),
        values_(BufferOf<T>(array, 1)),
        units_per_s_(units_per_s),
        is_date_(is_date) {}

  void Append(size_t row, std::string& json) const override {
    using std::chrono::sys_days;
    const auto [seconds, units] = Seconds(row);
    const sys_days day{std::chrono::floor<std::chrono::days>(
        std::chrono::sys_seconds(std::chrono::seconds(seconds)))};
    const std::chrono::year_month_day date{day};
    fmt::format_to(std::back_inserter(json), "\"{:04}-{:02}-{:02}", int(date.year()),
                   unsigned(date.month()), unsigned(date.day()));
    if (!is_date_) {
      const int64_t in_day = seconds - day.time_since_epoch().count() * int64_t{86'400};
      fmt::format_to(std::back_inserter(json), "T{:02}:{:02}:{:02}", in_day / 3600,
                     in_day / 60 % 60, in_day % 60);
      if (units != 0) {
        const int digits = units_per_s_ == 1000 ? 3 : units_per_s_ == 1'000'000 ? 6 : 9;
        fmt::format_to(std::back_inserter(json), ".{:0{}}", units, digits);
      }
      json += 'Z';
    }
    json += '"';
  }
  std::optional<int64_t> TimeMs(size_t row) const override {
    const auto [seconds, units] = Seconds(row);
    return seconds * 1000 + (units_per_s_ == 0 ? 0 : units * 1000 / units_per_s_);
  }

 private:
  /// Whole seconds since 1970, rounded down, and the units above them. Days are whole seconds.
  std::pair<int64_t, int64_t> Seconds(size_t row) const {
    const auto value = static_cast<int64_t>(values_[offset_ + row]);
    if (units_per_s_ == 0) return {value * 86'400, 0};
    int64_t seconds = value / units_per_s_;
    if (value % units_per_s_ < 0) --seconds;
    return {seconds, value - seconds * units_per_s_};
  }

  const T* values_;
  int64_t units_per_s_;  ///< 0: the values are days
  bool is_date_;
};

/// A decimal of 128 bits, as a number with its digits.
class DecimalColumn : public ArrowColumn {
 public:
  DecimalColumn(const ArrowArray& array, int scale)
      : ArrowColumn(array), values_(BufferOf<char>(array, 1)), scale_(scale) {}

  void Append(size_t row, std::string& json) const override {
    __int128 value = 0;
    std::memcpy(&value, values_ + (offset_ + row) * sizeof value, sizeof value);
    const bool negative = value < 0;
    unsigned __int128 rest =
        negative ? -static_cast<unsigned __int128>(value) : static_cast<unsigned __int128>(value);
    std::string digits;
    do {
      digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(rest % 10)));
      rest /= 10;
    } while (rest != 0);
    if (scale_ > 0) {
      const auto places = static_cast<size_t>(scale_);
      if (digits.size() <= places) digits.insert(0, places + 1 - digits.size(), '0');
      digits.insert(digits.size() - places, ".");
    }
    if (scale_ < 0) digits.append(static_cast<size_t>(-scale_), '0');
    json += (negative ? "-" : "") + digits;
  }

 private:
  const char* values_;
  int scale_;
};

void AppendOrNull(const ArrowColumn& column, size_t row, std::string& json) {
  if (column.IsNull(row)) {
    json += "null";
  } else {
    column.Append(row, json);
  }
}

class StructColumn : public ArrowColumn {
 public:
  StructColumn(const ArrowArray& array, std::vector<std::string> names,
               std::vector<std::unique_ptr<ArrowColumn>> columns)
      : ArrowColumn(array), names_(std::move(names)), columns_(std::move(columns)) {}

  void Append(size_t row, std::string& json) const override {
    json += '{';
    for (size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) json += ',';
      json += names_[i];
      AppendOrNull(*columns_[i], offset_ + row, json);
    }
    json += '}';
  }

 private:
  std::vector<std::string> names_;  ///< as JSON, with the colon
  std::vector<std::unique_ptr<ArrowColumn>> columns_;
};

template <class Offset>
class ListColumn : public ArrowColumn {
 public:
  ListColumn(const ArrowArray& array, std::unique_ptr<ArrowColumn> items)
      : ArrowColumn(array), offsets_(BufferOf<Offset>(array, 1)), items_(std::move(items)) {}

  void Append(size_t row, std::string& json) const override {
    json += '[';
    const Offset begin = offsets_[offset_ + row];
    for (Offset i = begin; i < offsets_[offset_ + row + 1]; ++i) {
      if (i > begin) json += ',';
      AppendOrNull(*items_, static_cast<size_t>(i), json);
    }
    json += ']';
  }

 private:
  const Offset* offsets_;
  std::unique_ptr<ArrowColumn> items_;
};

class FixedListColumn : public ArrowColumn {
 public:
  FixedListColumn(const ArrowArray& array, std::unique_ptr<ArrowColumn> items, size_t length)
      : ArrowColumn(array), items_(std::move(items)), length_(length) {}

  void Append(size_t row, std::string& json) const override {
    json += '[';
    for (size_t i = 0; i < length_; ++i) {
      if (i > 0) json += ',';
      AppendOrNull(*items_, (offset_ + row) * length_ + i, json);
    }
    json += ']';
  }

 private:
  std::unique_ptr<ArrowColumn> items_;
  size_t length_;
};

/// Such as a pandas category: numbers that lead to a column of distinct values.
template <class Index>
class DictionaryColumn : public ArrowColumn {
 public:
  DictionaryColumn(const ArrowArray& array, std::unique_ptr<ArrowColumn> values)
      : ArrowColumn(array), indices_(BufferOf<Index>(array, 1)), values_(std::move(values)) {}

  void Append(size_t row, std::string& json) const override {
    AppendOrNull(*values_, At(row), json);
  }
  std::optional<std::string_view> Bytes(size_t row) const override {
    return values_->IsNull(At(row)) ? std::nullopt : values_->Bytes(At(row));
  }
  std::optional<int64_t> TimeMs(size_t row) const override {
    return values_->IsNull(At(row)) ? std::nullopt : values_->TimeMs(At(row));
  }

 private:
  size_t At(size_t row) const { return static_cast<size_t>(indices_[offset_ + row]); }

  const Index* indices_;
  std::unique_ptr<ArrowColumn> values_;
};

class NullColumn : public ArrowColumn {
 public:
  explicit NullColumn(const ArrowArray& array) : ArrowColumn(array) {}
  void Append(size_t, std::string& json) const override { json += "null"; }
};

using Made = Result<std::unique_ptr<ArrowColumn>>;

template <class Column, class... Arguments>
Made Make(const ArrowArray& array, Arguments&&... arguments) {
  return Made(std::make_unique<Column>(array, std::forward<Arguments>(arguments)...));
}

Error Unsupported(const ArrowSchema& schema) {
  return {ErrorCode::kConfig,
          fmt::format("column {}: expected text, numbers, flags, times, or lists and structs of "
                      "these, found the Arrow type `{}`; convert the column, or leave it out",
                      schema.name == nullptr ? "" : schema.name, schema.format)};
}

template <class T>
Made MakeTime(const ArrowArray& array, char unit) {
  const int64_t per_s = unit == 's'   ? 1
                        : unit == 'm' ? 1000
                        : unit == 'u' ? 1'000'000
                                      : 1'000'000'000;
  return Make<TimeColumn<T>>(array, per_s, false);
}

Made MakeDictionary(const ArrowSchema& schema, const ArrowArray& array) {
  NEARDUP_ASSIGN(auto values, ArrowColumn::New(*schema.dictionary, *array.dictionary));
  switch (schema.format[0]) {
    case 'c':
      return Make<DictionaryColumn<int8_t>>(array, std::move(values));
    case 'C':
      return Make<DictionaryColumn<uint8_t>>(array, std::move(values));
    case 's':
      return Make<DictionaryColumn<int16_t>>(array, std::move(values));
    case 'S':
      return Make<DictionaryColumn<uint16_t>>(array, std::move(values));
    case 'i':
      return Make<DictionaryColumn<int32_t>>(array, std::move(values));
    case 'I':
      return Make<DictionaryColumn<uint32_t>>(array, std::move(values));
    case 'l':
      return Make<DictionaryColumn<int64_t>>(array, std::move(values));
    case 'L':
      return Make<DictionaryColumn<uint64_t>>(array, std::move(values));
    default:
      return Unsupported(schema);
  }
}

Made MakeNested(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  if (format == "+s") {
    std::vector<std::string> names;
    std::vector<std::unique_ptr<ArrowColumn>> columns;
    for (int64_t i = 0; i < schema.n_children; ++i) {
      NEARDUP_ASSIGN(auto column, ArrowColumn::New(*schema.children[i], *array.children[i]));
      columns.push_back(std::move(column));
      AppendJsonText(schema.children[i]->name, names.emplace_back());
      names.back() += ':';
    }
    return Make<StructColumn>(array, std::move(names), std::move(columns));
  }
  const bool is_list =
      format == "+l" || format == "+L" || format == "+m" || format.substr(0, 3) == "+w:";
  if (!is_list || schema.n_children != 1) return Unsupported(schema);
  NEARDUP_ASSIGN(auto items, ArrowColumn::New(*schema.children[0], *array.children[0]));
  if (format == "+L") return Make<ListColumn<int64_t>>(array, std::move(items));
  if (format.substr(0, 3) != "+w:") return Make<ListColumn<int32_t>>(array, std::move(items));
  return Make<FixedListColumn>(array, std::move(items),
                               static_cast<size_t>(std::stoul(std::string(format.substr(3)))));
}

Made MakeTemporal(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string_view format = schema.format;
  if (format == "tdD") return Make<TimeColumn<int32_t>>(array, 0, true);
  if (format == "tdm") return Make<TimeColumn<int64_t>>(array, 1000, true);
  if (format.substr(0, 2) == "ts" && format.size() >= 3) return MakeTime<int64_t>(array, format[2]);
  return Unsupported(schema);
}

Made MakeDecimal(const ArrowSchema& schema, const ArrowArray& array) {
  const std::string format = schema.format;  // d:precision,scale or d:precision,scale,bits
  const size_t comma = format.find(',');
  if (comma == std::string::npos) return Unsupported(schema);
  const size_t bits = format.find(',', comma + 1);
  if (bits != std::string::npos && format.substr(bits) != ",128") return Unsupported(schema);
  return Make<DecimalColumn>(array, std::stoi(format.substr(comma + 1)));
}

}  // namespace

Result<std::unique_ptr<ArrowColumn>> ArrowColumn::New(const ArrowSchema& schema,
                                                      const ArrowArray& array) {
  if (schema.dictionary != nullptr) return MakeDictionary(schema, array);
  switch (schema.format[0]) {
    case 'n':
      return Make<NullColumn>(array);
    case 'b':
      return Make<FlagColumn>(array);
    case 'c':
      return Make<NumberColumn<int8_t>>(array);
    case 'C':
      return Make<NumberColumn<uint8_t>>(array);
    case 's':
      return Make<NumberColumn<int16_t>>(array);
    case 'S':
      return Make<NumberColumn<uint16_t>>(array);
    case 'i':
      return Make<NumberColumn<int32_t>>(array);
    case 'I':
      return Make<NumberColumn<uint32_t>>(array);
    case 'l':
      return Make<NumberColumn<int64_t>>(array);
    case 'L':
      return Make<NumberColumn<uint64_t>>(array);
    case 'f':
      return Make<NumberColumn<float>>(array);
    case 'g':
      return Make<NumberColumn<double>>(array);
    case 'u':
    case 'z':
      return Make<OffsetTextColumn<int32_t>>(array);
    case 'U':
    case 'Z':
      return Make<OffsetTextColumn<int64_t>>(array);
    case 'v':
      return Make<ViewTextColumn>(array);
    case 'w':
      return Make<FixedBytesColumn>(array, static_cast<size_t>(std::stoul(schema.format + 2)));
    case 'd':
      return MakeDecimal(schema, array);
    case 't':
      return MakeTemporal(schema, array);
    case '+':
      return MakeNested(schema, array);
    default:
      return Unsupported(schema);
  }
}

ArrowColumn::ArrowColumn(const ArrowArray& array)
    : offset_(static_cast<size_t>(array.offset)),
      validity_(array.n_buffers > 0 ? BufferOf<uint8_t>(array, 0) : nullptr),
      all_null_(array.n_buffers == 0) {}

bool ArrowColumn::IsNull(size_t row) const {
  return all_null_ || (validity_ != nullptr && !BitAt(validity_, offset_ + row));
}

void AppendJsonText(std::string_view text, std::string& json) {
  json += '"';
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) >= 0x20 && c != '"' && c != '\\') continue;
    json.append(text, begin, i - begin);
    begin = i + 1;
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else {
      fmt::format_to(std::back_inserter(json), "\\u{:04x}", static_cast<unsigned>(c));
    }
  }
  json.append(text, begin, text.size() - begin);
  json += '"';
}

}  // namespace neardup
