// Columns of C++ as Arrow arrays, handed to Python without a copy.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrow_abi.h"

namespace neardup {

/// Collects columns of equal length, and exports them as one Arrow struct array. The columns move
/// into it; whoever imports the array releases them.
class ArrayExport {
 public:
  explicit ArrayExport(size_t rows);
  ArrayExport(ArrayExport&&) noexcept;
  ~ArrayExport();

  /// A column of whole numbers. Where `null` is given, that value is a null.
  template <class T>
  void AddNumbers(const std::string& name, std::vector<T> values) {
    Add<T>(name, std::move(values), {});
  }
  template <class T>
  void AddNumbers(const std::string& name, std::vector<T> values, T null) {
    std::vector<bool> nulls(values.size());
    for (size_t i = 0; i < values.size(); ++i) nulls[i] = values[i] == null;
    Add<T>(name, std::move(values), nulls);
  }
  /// Names of the values 0, 1, 2 and so on as a dictionary column; other values are nulls.
  void AddNames(const std::string& name, std::vector<uint8_t> values,
                const std::vector<std::string>& names);
  void AddFlags(const std::string& name, const std::vector<uint8_t>& values);
  /// Lists of one length.
  void AddLists(const std::string& name, std::vector<uint32_t> items, size_t length);

  /// Fills both structs; their release functions free everything.
  void Export(ArrowSchema& schema, ArrowArray& array) &&;

  struct Column;

 private:
  template <class T>
  void Add(const std::string& name, std::vector<T> values, const std::vector<bool>& nulls);
  void AddColumn(std::unique_ptr<Column> column);

  size_t rows_;
  std::vector<std::unique_ptr<Column>> columns_;
};

}  // namespace neardup
