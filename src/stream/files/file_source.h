// Records from JSON Lines: a file, a .gz or .zst file, or standard input. A record's offset is its
// line, from 0.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "stream/lane/ports.h"

namespace neardup {

class FileBytes;

/// What a file must hold.
enum class FileContent : uint8_t {
  kLines,    ///< anything
  kRecords,  ///< JSON Lines: a file whose beginning shows another format is kBadInput
};

/// The Source port over one file, with one input partition {path, 0}. A file that grows meanwhile
/// is read as far as it went when it was opened, and to the end of the line that began before. A
/// line ends with LF, which the last line may lack; a CR before it belongs to the line. An empty
/// line is a record of zero bytes. A byte order mark at the beginning belongs to no line. Memory is
/// bounded by the largest line: of a line that does not fit, only the beginning is kept.
class FileSource : public Source {
 public:
  static constexpr size_t kUnlimited = SIZE_MAX - 1;

  /// "-" is standard input. Compressed input is recognised by its content. Of a line with more than
  /// `line_bytes_max` bytes, the record may hold only the first line_bytes_max + 1, and
  /// Message::bytes_left_out counts the others.
  static Result<std::unique_ptr<FileSource>> Open(const std::string& path,
                                                  size_t line_bytes_max = kUnlimited,
                                                  FileContent content = FileContent::kLines);
  ~FileSource() override;

  Result<FoundInputs> Find() override;
  Result<OffsetBounds> Bounds(const InputPartition& partition) override;
  /// A file is read once, from front to back: only the current offset is accepted.
  Result<void> Assign(std::span<const InputAssignment> inputs) override;
  Result<void> Poll(size_t records_max, int timeout_ms, std::vector<Message>& out) override;
  std::vector<InputStatus> Status() override;
  bool exhausted() const override { return exhausted_ && pending_.empty(); }
  bool polls_beside() const override { return true; }

 private:
  FileSource(std::string path, size_t line_bytes_max, FileContent content,
             std::unique_ptr<FileBytes> reader);
  /// kBadInput if a file that begins with pending_ cannot hold JSON Lines.
  Result<void> CheckFormat();
  Result<void> Fill(int timeout_ms);
  /// Ends the input after the last line that began before the file was opened.
  void DropWhatWasAppended(uint64_t bytes_at_open, size_t new_bytes);
  void LeaveOut(size_t line_bytes);

  std::string path_;
  size_t line_bytes_max_;
  FileContent content_;
  std::unique_ptr<FileBytes> reader_;
  uint32_t number_ = 0;
  int64_t next_line_ = 0;
  std::string pending_;    ///< read but not polled yet
  size_t searched_ = 0;    ///< pending_ has no LF before this index
  uint64_t left_out_ = 0;  ///< bytes of the first line of pending_ that were dropped
  uint64_t bytes_read_ = 0;
  bool begun_ = false;     ///< a byte order mark is dropped, or there is none
  size_t mark_bytes_ = 0;  ///< of the byte order mark that was dropped
  bool exhausted_ = false;
};

}  // namespace neardup
