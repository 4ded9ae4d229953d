// How the bytes of a value become the JSON object that is compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "detect/record/json_output.h"
#include "neardup/record.h"
#include "neardup/verdict.h"

namespace neardup {

/// What a decoded record borrows until the next one. One for each thread.
struct RecordBuffer {
  std::string json;
  ReadOutcome unreadable;
};

/// Decodes values of one encoding. Immutable: any thread may call it.
class PayloadEncoding {
 public:
  virtual ~PayloadEncoding() = default;
  /// Returns the JSON, which borrows from `payload` or `buffer`. nullopt: the payload is not of
  /// this encoding, or its JSON is larger than allowed; buffer.unreadable says so.
  virtual std::optional<std::string_view> Decode(std::string_view payload,
                                                 RecordBuffer& buffer) const = 0;
};

/// The record as the filter sees it. Without an encoding the value is JSON, and is not copied.
RecordView Decoded(RecordView record, const PayloadEncoding* encoding, RecordBuffer& buffer);

/// Writes the JSON of a payload. Returns what is wrong with the payload; empty: nothing.
using JsonWriter = std::function<std::string(std::string_view payload, JsonOutput& out)>;
/// An encoding by its writer. Payload and JSON may have at most `record_bytes_max` bytes each.
std::shared_ptr<const PayloadEncoding> WrittenEncoding(size_t record_bytes_max, JsonWriter write);
/// UTF-8 text; its JSON is {"text": ...}.
std::shared_ptr<const PayloadEncoding> TextEncoding(size_t record_bytes_max);
/// MessagePack, one map. Binary data is written as Base64, and a time (extension -1) in RFC 3339.
std::shared_ptr<const PayloadEncoding> MessagePackEncoding(size_t record_bytes_max);
/// JSON in the frame of a schema registry.
std::shared_ptr<const PayloadEncoding> FramedJsonEncoding();
/// No value can be read, for this reason.
std::shared_ptr<const PayloadEncoding> UnreadableEncoding(Reason reason, std::string error);

/// The frame that the serializers of a schema registry put before a value: a zero byte, and the
/// number of the schema as 4 bytes, big-endian.
inline constexpr size_t kFrameBytes = 5;
/// nullopt: the value has no such frame. The number is never 0.
std::optional<uint32_t> FramedSchema(std::string_view value);

}  // namespace neardup
