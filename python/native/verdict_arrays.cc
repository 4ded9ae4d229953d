#include "verdict_arrays.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <deque>

namespace neardup {

/// A node of the exported tree. It owns the memory that its structs point to.
struct ArrayExport::Column {
  std::string name;
  std::string format;
  size_t rows = 0;
  int64_t nulls = 0;
  std::shared_ptr<void> memory;  ///< what `buffers` point to
  std::vector<uint8_t> validity;
  std::vector<const void*> buffers;
  std::vector<std::unique_ptr<Column>> children;
  std::unique_ptr<Column> dictionary;
};

namespace {

using Column = ArrayExport::Column;

template <class T>
constexpr const char* FormatOf() {
  if constexpr (std::is_same_v<T, int64_t>) return "l";
  if constexpr (std::is_same_v<T, uint64_t>) return "L";
  if constexpr (std::is_same_v<T, int16_t>) return "s";
  if constexpr (std::is_same_v<T, uint32_t>) return "I";
  if constexpr (std::is_same_v<T, uint8_t>) return "C";
}

/// One bit for each value that is true.
std::vector<uint8_t> Bits(size_t count, const auto& is_set) {
  std::vector<uint8_t> bits((count + 7) / 8);
  for (size_t i = 0; i < count; ++i) {
    if (is_set(i)) bits[i / 8] = static_cast<uint8_t>(bits[i / 8] | (1 << (i % 8)));
  }
  return bits;
}

template <class T>
std::unique_ptr<Column> ColumnOf(const std::string& name, const char* format,
                                 std::vector<T> values) {
  auto column = std::make_unique<Column>();
  column->name = name;
  column->format = format;
  column->rows = values.size();
  auto memory = std::make_shared<std::vector<T>>(std::move(values));
  column->buffers = {nullptr, memory->data()};
  column->memory = std::move(memory);
  return column;
}

void SetNulls(Column& column, const std::vector<bool>& nulls) {
  column.validity = Bits(nulls.size(), [&](size_t i) { return !nulls[i]; });
  column.nulls = std::count(nulls.begin(), nulls.end(), true);
  column.buffers[0] = column.validity.data();
}

/// The schema and the array of a node, with what they point to. Each is freed by its own release.
struct SchemaNode {
  std::string name;
  std::string format;
  std::deque<ArrowSchema> children;
  std::vector<ArrowSchema*> pointers;
  ArrowSchema dictionary{};
};

struct ArrayNode {
  std::unique_ptr<Column> column;
  std::deque<ArrowArray> children;
  std::vector<ArrowArray*> pointers;
  ArrowArray dictionary{};
};

/// The children of a struct that is released are released first, unless somebody moved them away.
template <class Struct, class Node>
void Release(Struct* released) {
  for (int64_t i = 0; i < released->n_children; ++i) {
    if (released->children[i]->release != nullptr) {
      released->children[i]->release(released->children[i]);
    }
  }
  if (released->dictionary != nullptr && released->dictionary->release != nullptr) {
    released->dictionary->release(released->dictionary);
  }
  delete static_cast<Node*>(released->private_data);
  released->release = nullptr;
}

constexpr int64_t kNullable = 2;  // ARROW_FLAG_NULLABLE

void ExportSchema(const Column& column, ArrowSchema& schema) {
  auto node = std::make_unique<SchemaNode>();
  node->name = column.name;
  node->format = column.format;
  for (const auto& child : column.children) {
    ExportSchema(*child, node->children.emplace_back());
    node->pointers.push_back(&node->children.back());
  }
  if (column.dictionary) ExportSchema(*column.dictionary, node->dictionary);
  schema = {};
  schema.format = node->format.c_str();
  schema.name = node->name.c_str();
  schema.flags = kNullable;
  schema.n_children = static_cast<int64_t>(node->pointers.size());
  schema.children = node->pointers.data();
  schema.dictionary = column.dictionary ? &node->dictionary : nullptr;
  schema.release = &Release<ArrowSchema, SchemaNode>;
  schema.private_data = node.release();
}

void ExportArray(std::unique_ptr<Column> column, ArrowArray& array) {
  auto node = std::make_unique<ArrayNode>();
  for (auto& child : column->children) {
    ExportArray(std::move(child), node->children.emplace_back());
    node->pointers.push_back(&node->children.back());
  }
  if (column->dictionary) ExportArray(std::move(column->dictionary), node->dictionary);
  array = {};
  array.length = static_cast<int64_t>(column->rows);
  array.null_count = column->nulls;
  array.n_buffers = static_cast<int64_t>(column->buffers.size());
  array.buffers = column->buffers.data();
  array.n_children = static_cast<int64_t>(node->pointers.size());
  array.children = node->pointers.data();
  array.dictionary = node->dictionary.release != nullptr ? &node->dictionary : nullptr;
  array.release = &Release<ArrowArray, ArrayNode>;
  node->column = std::move(column);
  array.private_data = node.release();
}

/// A column of texts.
std::unique_ptr<Column> Texts(const std::vector<std::string>& texts) {
  struct Memory {
    std::vector<int32_t> offsets = {0};
    std::string bytes;
  };
  auto memory = std::make_shared<Memory>();
  for (const std::string& text : texts) {
    memory->bytes += text;
    memory->offsets.push_back(static_cast<int32_t>(memory->bytes.size()));
  }
  auto column = std::make_unique<Column>();
  column->format = "u";
  column->rows = texts.size();
  column->buffers = {nullptr, memory->offsets.data(), memory->bytes.data()};
  column->memory = std::move(memory);
  return column;
}

}  // namespace

ArrayExport::ArrayExport(size_t rows) : rows_(rows) {}
ArrayExport::ArrayExport(ArrayExport&&) noexcept = default;
ArrayExport::~ArrayExport() = default;

template <class T>
void ArrayExport::Add(const std::string& name, std::vector<T> values,
                      const std::vector<bool>& nulls) {
  std::unique_ptr<Column> column = ColumnOf(name, FormatOf<T>(), std::move(values));
  if (!nulls.empty()) SetNulls(*column, nulls);
  AddColumn(std::move(column));
}

template void ArrayExport::Add(const std::string&, std::vector<int64_t>, const std::vector<bool>&);
template void ArrayExport::Add(const std::string&, std::vector<uint64_t>, const std::vector<bool>&);
template void ArrayExport::Add(const std::string&, std::vector<int16_t>, const std::vector<bool>&);
template void ArrayExport::Add(const std::string&, std::vector<uint32_t>, const std::vector<bool>&);
template void ArrayExport::Add(const std::string&, std::vector<uint8_t>, const std::vector<bool>&);

void ArrayExport::AddNames(const std::string& name, std::vector<uint8_t> values,
                           const std::vector<std::string>& names) {
  std::vector<bool> nulls(values.size());
  for (size_t i = 0; i < values.size(); ++i) nulls[i] = values[i] >= names.size();
  std::vector<int8_t> indices(values.begin(), values.end());
  std::unique_ptr<Column> column = ColumnOf(name, "c", std::move(indices));
  SetNulls(*column, nulls);
  column->dictionary = Texts(names);
  AddColumn(std::move(column));
}

void ArrayExport::AddFlags(const std::string& name, const std::vector<uint8_t>& values) {
  std::unique_ptr<Column> column =
      ColumnOf(name, "b", Bits(values.size(), [&](size_t i) { return values[i] != 0; }));
  column->rows = values.size();
  AddColumn(std::move(column));
}

void ArrayExport::AddLists(const std::string& name, std::vector<uint32_t> items, size_t length) {
  auto column = std::make_unique<Column>();
  column->name = name;
  column->format = "+w:" + std::to_string(length);
  column->rows = items.size() / length;
  column->buffers = {nullptr};
  column->children.push_back(ColumnOf("item", FormatOf<uint32_t>(), std::move(items)));
  AddColumn(std::move(column));
}

void ArrayExport::AddColumn(std::unique_ptr<Column> column) {
  assert(column->rows == rows_);
  columns_.push_back(std::move(column));
}

void ArrayExport::Export(ArrowSchema& schema, ArrowArray& array) && {
  auto root = std::make_unique<Column>();
  root->format = "+s";
  root->rows = rows_;
  root->buffers = {nullptr};
  root->children = std::move(columns_);
  ExportSchema(*root, schema);
  ExportArray(std::move(root), array);
}

}  // namespace neardup
