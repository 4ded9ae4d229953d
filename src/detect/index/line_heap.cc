#include "detect/index/line_heap.h"

#include <bit>
#include <bitset>
#include <cassert>
#include <cstring>
#include <memory>
#include <utility>

namespace neardup {
namespace {

constexpr size_t kChunkLines = LineHeap::kChunkBytes / LineHeap::kLineBytes;
/// An array of more lines has a mapping of its own.
constexpr size_t kLargeLines = kChunkLines / 4;
/// Up to this many lines, each length is a class. Above, the lengths from one power of two to the
/// next are divided into 2^kFineBits classes.
constexpr size_t kExactLines = 64;
constexpr int kFineBits = 4;

std::byte* After(std::byte* line, size_t lines) { return line + lines * LineHeap::kLineBytes; }

}  // namespace

/// The first bytes of a free span. The last four bytes of the span repeat the number of lines.
struct LineHeap::Span {
  Span* next;
  Span* previous;
  uint32_t lines;
};

/// The first lines of a chunk. Bit i of `begins` is set if a free span begins at line i, and bit i
/// of `ends` if one ends with line i.
struct LineHeap::Chunk {
  PageMemory memory;
  Chunk* next = nullptr;
  Chunk* previous = nullptr;
  std::bitset<kChunkLines> begins;
  std::bitset<kChunkLines> ends;

  size_t NumberOf(const std::byte* line) const {
    return static_cast<size_t>(line - reinterpret_cast<const std::byte*>(this)) / kLineBytes;
  }
  static constexpr size_t HeaderLines() { return (sizeof(Chunk) + kLineBytes - 1) / kLineBytes; }
};

LineHeap::~LineHeap() {
  while (chunks_ != nullptr) {
    Chunk* const next = chunks_->next;
    const PageMemory released = std::move(chunks_->memory);
    chunks_ = next;
  }
}

/// The class of spans of this length; larger classes have longer spans.
size_t LineHeap::ClassOf(size_t lines) {
  if (lines <= kExactLines) return lines - 1;
  const auto power = static_cast<int>(std::bit_width(lines)) - 1;
  const size_t fine = lines >> (power - kFineBits) & ((size_t{1} << kFineBits) - 1);
  constexpr int kFirstPower = static_cast<int>(std::bit_width(kExactLines)) - 1;
  static_assert(kClasses >=
                kExactLines + ((std::bit_width(kChunkLines) - kFirstPower) << kFineBits));
  return kExactLines + (static_cast<size_t>(power - kFirstPower) << kFineBits) + fine;
}

LineHeap::Chunk& LineHeap::ChunkOf(const std::byte* line) {
  // PageMemory aligns blocks of this size.
  return *reinterpret_cast<Chunk*>(reinterpret_cast<uintptr_t>(line) & ~(kChunkBytes - 1));
}

std::byte* LineHeap::Take(size_t lines) {
  assert(lines > 0);
  const std::lock_guard lock(mutex_);
  std::byte* const begin = lines > kLargeLines ? TakeLarge(lines) : TakeFromChunk(lines);
  taken_bytes_ += lines * kLineBytes;
  return begin;
}

std::byte* LineHeap::TakeFromChunk(size_t lines) {
  Span* span = FindSpan(lines);
  if (span == nullptr) {
    AddChunk();
    span = FindSpan(lines);
  }
  const size_t rest = span->lines - lines;
  auto* const begin = reinterpret_cast<std::byte*>(span);
  RemoveSpan(*span);
  if (rest > 0) AddSpan(After(begin, lines), rest);
  return begin;
}

std::byte* LineHeap::TakeLarge(size_t lines) {
  PageMemory memory(lines * kLineBytes);
  auto* const begin = static_cast<std::byte*>(memory.data());
  large_.emplace(begin, std::move(memory));
  return begin;
}

/// Returns a span of `lines` lines or more, or null.
LineHeap::Span* LineHeap::FindSpan(size_t lines) {
  // The shortest span of the class of `lines` may be too short, unless it has one length only.
  size_t sought = ClassOf(lines);
  if (lines > kExactLines) ++sought;
  for (size_t word = sought / 64; word < has_spans_.size(); ++word, sought = word * 64) {
    const uint64_t found = has_spans_[word] >> sought % 64 << sought % 64;
    if (found != 0) return classes_[word * 64 + static_cast<size_t>(std::countr_zero(found))];
  }
  return nullptr;
}

void LineHeap::Give(std::byte* begin, size_t lines) {
  const std::lock_guard lock(mutex_);
  taken_bytes_ -= lines * kLineBytes;
  if (lines > kLargeLines) {
    large_.erase(begin);
    return;
  }
  Chunk& chunk = ChunkOf(begin);
  const size_t first = chunk.NumberOf(begin);
  if (const size_t end = first + lines; end < kChunkLines && chunk.begins[end]) {
    Span& after = *reinterpret_cast<Span*>(After(begin, lines));
    lines += after.lines;
    RemoveSpan(after);
  }
  if (chunk.ends[first - 1]) {
    uint32_t before = 0;
    std::memcpy(&before, begin - sizeof before, sizeof before);
    begin -= before * kLineBytes;
    lines += before;
    RemoveSpan(*reinterpret_cast<Span*>(begin));
  }
  AddSpan(begin, lines);
  if (lines == kChunkLines - Chunk::HeaderLines()) RemoveChunk(chunk);
}

void LineHeap::AddChunk() {
  PageMemory memory = supply_.Take();
  void* const begin = memory.data();
  auto* const chunk = new (begin) Chunk;
  chunk->memory = std::move(memory);
  chunk->next = std::exchange(chunks_, chunk);
  if (chunk->next != nullptr) chunk->next->previous = chunk;
  ++chunk_count_;
  AddSpan(After(static_cast<std::byte*>(begin), Chunk::HeaderLines()),
          kChunkLines - Chunk::HeaderLines());
  if (chunk_count_ > 1) supply_.Prepare();  // a small index needs no more than the first
}

/// Gives up a chunk that is one free span.
void LineHeap::RemoveChunk(Chunk& chunk) {
  auto* const first = After(reinterpret_cast<std::byte*>(&chunk), Chunk::HeaderLines());
  RemoveSpan(*reinterpret_cast<Span*>(first));
  (chunk.previous != nullptr ? chunk.previous->next : chunks_) = chunk.next;
  if (chunk.next != nullptr) chunk.next->previous = chunk.previous;
  --chunk_count_;
  PageMemory memory = std::move(chunk.memory);
  std::destroy_at(&chunk);
  supply_.Give(std::move(memory));
}

void LineHeap::AddSpan(std::byte* begin, size_t lines) {
  const size_t number = ClassOf(lines);
  auto* const span = new (begin) Span{classes_[number], nullptr, static_cast<uint32_t>(lines)};
  if (span->next != nullptr) span->next->previous = span;
  classes_[number] = span;
  has_spans_[number / 64] |= uint64_t{1} << number % 64;
  std::memcpy(After(begin, lines) - sizeof span->lines, &span->lines, sizeof span->lines);
  Chunk& chunk = ChunkOf(begin);
  const size_t first = chunk.NumberOf(begin);
  chunk.begins.set(first);
  chunk.ends.set(first + lines - 1);
}

void LineHeap::RemoveSpan(Span& span) {
  const size_t number = ClassOf(span.lines);
  (span.previous != nullptr ? span.previous->next : classes_[number]) = span.next;
  if (span.next != nullptr) span.next->previous = span.previous;
  if (classes_[number] == nullptr) has_spans_[number / 64] &= ~(uint64_t{1} << number % 64);
  auto* const begin = reinterpret_cast<std::byte*>(&span);
  Chunk& chunk = ChunkOf(begin);
  const size_t first = chunk.NumberOf(begin);
  chunk.begins.reset(first);
  chunk.ends.reset(first + span.lines - 1);
}

uint64_t LineHeap::taken_bytes() const {
  const std::lock_guard lock(mutex_);
  return taken_bytes_;
}

uint64_t LineHeap::held_bytes() const {
  const std::lock_guard lock(mutex_);
  uint64_t bytes = chunk_count_ * kChunkBytes + supply_.bytes();
  for (const auto& [begin, memory] : large_) bytes += memory.bytes();
  return bytes;
}

}  // namespace neardup
