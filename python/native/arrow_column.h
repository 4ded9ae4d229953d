// Writes the values of an Arrow column as JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "arrow_abi.h"
#include "neardup/result.h"

namespace neardup {

/// A column of one chunk. It borrows the chunk. Any number of threads may read it.
class ArrowColumn {
 public:
  /// kConfig: the type has no form in JSON; the text names the column and its type.
  static Result<std::unique_ptr<ArrowColumn>> New(const ArrowSchema& schema,
                                                  const ArrowArray& array);
  virtual ~ArrowColumn() = default;

  bool IsNull(size_t row) const;
  /// Appends the value as JSON. The row must not be null.
  virtual void Append(size_t row, std::string& json) const = 0;
  /// The bytes of a text or a binary value; nothing for other types. The row must not be null.
  virtual std::optional<std::string_view> Bytes(size_t) const { return std::nullopt; }
  /// A time in milliseconds since 1970-01-01 UTC: of a timestamp or a date, or a whole number as it
  /// is. Nothing for other types. The row must not be null.
  virtual std::optional<int64_t> TimeMs(size_t) const { return std::nullopt; }

 protected:
  explicit ArrowColumn(const ArrowArray& array);

  size_t offset_ = 0;  ///< of the first value in the buffers

 private:
  const uint8_t* validity_ = nullptr;  ///< null: no value is null
  bool all_null_ = false;
};

/// Appends a text as a JSON string. Bytes that are no UTF-8 stay as they are, and make the record
/// a dead letter with the reason `encoding`.
void AppendJsonText(std::string_view text, std::string& json);

}  // namespace neardup
