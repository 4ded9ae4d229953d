// The records of a Python program, wherever they are: in an Arrow table or in bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "arrow_abi.h"
#include "arrow_column.h"
#include "neardup/record.h"
#include "neardup/result.h"

namespace neardup {

/// Records by number. Any number of threads may read them at once.
class Rows {
 public:
  virtual ~Rows() = default;
  virtual size_t size() const = 0;
  /// The record in this row, at the position {0, row}. It may borrow from `scratch`.
  virtual RecordView At(size_t row, std::string& scratch) const = 0;
};

/// Which columns of a table mean what.
struct TableColumns {
  /// The columns of a record; empty: all but the others of this struct.
  std::vector<std::string> fields;
  /// A text or binary column that holds whole records as JSON; empty: there is none.
  std::string json;
  /// A column of timestamps, dates or milliseconds; empty: there is none.
  std::string time;
};

/// The rows of a table. Each is written as JSON when it is read, so the table is not copied.
class TableRows : public Rows {
 public:
  /// Takes all chunks of the stream, and releases it. kConfig names a column that is missing or has
  /// a type without a form in JSON; kIo: the stream failed.
  static Result<std::unique_ptr<TableRows>> New(ArrowArrayStream& stream,
                                                const TableColumns& columns);
  ~TableRows() override;

  size_t size() const override { return begins_.back(); }
  RecordView At(size_t row, std::string& scratch) const override;

 private:
  struct Chunk {
    ArrowArray array{};
    std::vector<std::unique_ptr<ArrowColumn>> fields;
    std::unique_ptr<ArrowColumn> json;
    std::unique_ptr<ArrowColumn> time;
  };

  TableRows() = default;
  Result<void> AddChunk(const TableColumns& columns);
  Result<std::optional<size_t>> FindColumn(const std::string& name) const;

  ArrowSchema schema_{};
  std::vector<std::string> names_;  ///< of the fields, as JSON with the colon
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::vector<size_t> begins_ = {0};  ///< the first row of each chunk, and the number of rows
};

/// Whole records as JSON that somebody else keeps alive.
class BytesRows : public Rows {
 public:
  explicit BytesRows(std::vector<std::optional<std::string_view>> values)
      : values_(std::move(values)) {}
  /// The lines of JSON Lines; the last one may lack its LF.
  static BytesRows OfLines(std::string_view text);

  size_t size() const override { return values_.size(); }
  RecordView At(size_t row, std::string&) const override {
    return {{0, static_cast<int64_t>(row)}, -1, values_[row]};
  }

 private:
  std::vector<std::optional<std::string_view>> values_;
};

}  // namespace neardup
