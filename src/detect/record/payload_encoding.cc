#include "detect/record/payload_encoding.h"

#include <fmt/format.h>

#include <utility>

#include "detect/record/json_output.h"
#include "detect/record/message_pack.h"

namespace neardup {
namespace {

/// A larger buffer is freed by the next record.
constexpr size_t kKeptBytes = size_t{1} << 20;

class Written : public PayloadEncoding {
 public:
  Written(size_t bytes_max, JsonWriter write) : bytes_max_(bytes_max), write_(std::move(write)) {}

  std::optional<std::string_view> Decode(std::string_view payload,
                                         RecordBuffer& buffer) const override {
    if (payload.size() > bytes_max_) return TooLarge("the payload", buffer);
    if (buffer.json.capacity() > kKeptBytes) buffer.json = {};
    buffer.json.clear();
    JsonOutput out(buffer.json, bytes_max_);
    std::string error = write_(payload, out);
    if (out.full()) return TooLarge("the JSON of the payload", buffer);
    if (error.empty()) return buffer.json;
    buffer.unreadable.Fail(Reason::kParse, std::move(error));
    return std::nullopt;
  }

 private:
  std::optional<std::string_view> TooLarge(std::string_view what, RecordBuffer& buffer) const {
    buffer.unreadable.Fail(
        Reason::kTooLarge,
        fmt::format("{} has more than {} bytes (record.record_bytes_max)", what, bytes_max_));
    return std::nullopt;
  }

  size_t bytes_max_;
  JsonWriter write_;
};

class FramedJson : public PayloadEncoding {
 public:
  std::optional<std::string_view> Decode(std::string_view payload, RecordBuffer&) const override {
    return payload.substr(kFrameBytes);
  }
};

class Unreadable : public PayloadEncoding {
 public:
  Unreadable(Reason reason, std::string error) { why_.Fail(reason, std::move(error)); }
  std::optional<std::string_view> Decode(std::string_view, RecordBuffer& buffer) const override {
    buffer.unreadable = why_;
    return std::nullopt;
  }

 private:
  ReadOutcome why_;
};

}  // namespace

RecordView Decoded(RecordView record, const PayloadEncoding* encoding, RecordBuffer& buffer) {
  if (encoding == nullptr || !record.value) return record;
  if (const auto json = encoding->Decode(*record.value, buffer)) {
    record.value = *json;
  } else {
    record.unreadable = &buffer.unreadable;
  }
  return record;
}

std::shared_ptr<const PayloadEncoding> WrittenEncoding(size_t record_bytes_max, JsonWriter write) {
  return std::make_shared<Written>(record_bytes_max, std::move(write));
}

std::shared_ptr<const PayloadEncoding> TextEncoding(size_t record_bytes_max) {
  return WrittenEncoding(record_bytes_max, [](std::string_view payload, JsonOutput& out) {
    out.Raw(R"({"text":)");
    out.String(payload);
    out.Raw("}");
    return std::string();
  });
}

std::shared_ptr<const PayloadEncoding> MessagePackEncoding(size_t record_bytes_max) {
  return WrittenEncoding(record_bytes_max, WriteMessagePack);
}

std::shared_ptr<const PayloadEncoding> FramedJsonEncoding() {
  return std::make_shared<FramedJson>();
}

std::shared_ptr<const PayloadEncoding> UnreadableEncoding(Reason reason, std::string error) {
  return std::make_shared<Unreadable>(reason, std::move(error));
}

std::optional<uint32_t> FramedSchema(std::string_view value) {
  if (value.size() <= kFrameBytes || value.front() != '\0') return std::nullopt;
  uint32_t schema = 0;
  for (const char c : value.substr(1, kFrameBytes - 1))
    schema = schema << 8 | static_cast<uint8_t>(c);
  return schema == 0 ? std::nullopt : std::optional(schema);
}

}  // namespace neardup
