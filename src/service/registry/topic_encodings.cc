#include "service/registry/topic_encodings.h"

#include <utility>

namespace neardup {
namespace {

using Encoding = std::shared_ptr<const PayloadEncoding>;

/// Every value has the same encoding.
class OneEncoding : public PayloadEncodings {
 public:
  explicit OneEncoding(Encoding encoding) : encoding_(std::move(encoding)) {}

  Result<void> Find(std::span<Message> messages) override {
    for (Message& message : messages) message.encoding = encoding_;
    return {};
  }

 private:
  Encoding encoding_;
};

/// JSON, some of it in the frame of a registry that nobody need ask.
class JsonEncodings : public PayloadEncodings {
 public:
  Result<void> Find(std::span<Message> messages) override {
    for (Message& message : messages) {
      if (message.value && FramedSchema(*message.value) && (*message.value)[kFrameBytes] == '{') {
        message.encoding = framed_;
      }
    }
    return {};
  }

 private:
  Encoding framed_ = FramedJsonEncoding();
};

}  // namespace

std::shared_ptr<PayloadEncodings> NewTopicEncodings(const RecordOptions& record) {
  switch (record.format) {
    case RecordFormat::kText:
      return std::make_shared<OneEncoding>(TextEncoding(record.record_bytes_max));
    case RecordFormat::kMsgpack:
      return std::make_shared<OneEncoding>(MessagePackEncoding(record.record_bytes_max));
    default:
      return std::make_shared<JsonEncodings>();
  }
}

}  // namespace neardup
