#include "service/registry/topic_encodings.h"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>
#include <system_error>
#include <thread>
#include <utility>

#include "detect/base/file.h"
#include "detect/base/hash.h"
#include "detect/base/quantity.h"
#include "detect/record/avro_schema.h"

namespace neardup {
namespace {

using SteadyClock = std::chrono::steady_clock;
using Encoding = std::shared_ptr<const PayloadEncoding>;

/// The servers of a registry may learn of a new schema a moment after its producer has it.
constexpr std::chrono::milliseconds kAskUnknownAgain(500);
/// A stop waits for so long; then it is asked again.
constexpr std::chrono::seconds kAskFor(5);
/// For so long it stays unknown.
constexpr std::chrono::seconds kUnknownFor(60);
constexpr size_t kRememberedMax = 10'000;

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

/// Schemas as files, one for each number. They are only copies: what cannot be read is asked for.
class SchemaFiles {
 public:
  /// Numbers of one registry mean nothing in another.
  SchemaFiles(const std::filesystem::path& state_dir, const std::string& url) {
    if (!state_dir.empty()) folder_ = state_dir / "schemas" / Hex64(Hash64(url));
  }

  std::optional<RegisteredSchema> Read(uint32_t id) const {
    if (folder_.empty()) return std::nullopt;
    const Result<std::string> text = ReadFile(PathOf(id));
    if (!text.ok()) return std::nullopt;
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    RegisteredSchema schema;
    if (!json.is_object() || !json.contains("type") || !json["type"].is_string() ||
        !json.contains("texts") || !json["texts"].is_array() || json["texts"].empty()) {
      return std::nullopt;
    }
    schema.type = json["type"].get<std::string>();
    for (const auto& part : json["texts"]) {
      if (!part.is_string()) return std::nullopt;
      schema.texts.push_back(part.get<std::string>());
    }
    return schema;
  }

  Result<void> Write(uint32_t id, const RegisteredSchema& schema) const {
    if (folder_.empty()) return {};
    std::error_code error;
    std::filesystem::create_directories(folder_, error);
    NEARDUP_ASSIGN(OutputFile file, OutputFile::Open(PathOf(id)));
    const nlohmann::json json = {{"type", schema.type}, {"texts", schema.texts}};
    NEARDUP_TRY(file.Write(json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace)));
    return file.Finish();
  }

 private:
  std::string PathOf(uint32_t id) const { return folder_ / fmt::format("{}.json", id); }

  std::filesystem::path folder_;  ///< empty: no files
};

/// Values in the frame of a schema registry, and others.
class RegistryEncodings : public PayloadEncodings {
 public:
  RegistryEncodings(const RecordOptions& record, const RegistryOptions& registry,
                    const std::filesystem::path& state_dir)
      : bytes_max_(record.record_bytes_max), registry_(registry), files_(state_dir, registry.url) {
    if (record.format != RecordFormat::kAvro) return;
    unframed_ = UnreadableEncoding(
        Reason::kParse,
        "found no frame of a schema registry (a zero byte and the number of a schema), expected "
        "one (record.format: avro)");
  }

  Result<void> Find(std::span<Message> messages) override {
    const std::lock_guard lock(mutex_);
    std::map<uint32_t, Encoding> needed;
    for (const Message& message : messages) {
      if (const auto id = IdIn(message)) needed.emplace(*id, nullptr);
    }
    NEARDUP_TRY(Fill(needed));
    for (Message& message : messages) {
      const auto id = IdIn(message);
      message.encoding = id ? needed.at(*id) : unframed_;
    }
    return {};
  }

  void LogTo(std::function<void(const std::string&)> log) override {
    const std::lock_guard lock(mutex_);
    log_ = std::move(log);
  }

 private:
  struct Known {
    Encoding encoding;
    /// When it is asked for again.
    SteadyClock::time_point until = SteadyClock::time_point::max();
  };

  static std::optional<uint32_t> IdIn(const Message& message) {
    return message.value ? FramedSchema(*message.value) : std::nullopt;
  }

  Result<void> Fill(std::map<uint32_t, Encoding>& needed) {
    const auto until = SteadyClock::now() + kAskFor;
    std::set<uint32_t> unknown;
    for (auto& [id, encoding] : needed) {
      if (SteadyClock::now() > until) {
        return Retriable(ErrorCode::kUnavailable, "the schema registry answers slowly");
      }
      const auto known = known_.find(id);
      if (known != known_.end() && SteadyClock::now() < known->second.until) {
        encoding = known->second.encoding;
        continue;
      }
      NEARDUP_ASSIGN(encoding, Ask(id));
      if (!encoding) unknown.insert(id);
    }
    if (!unknown.empty()) std::this_thread::sleep_for(kAskUnknownAgain);
    for (const uint32_t id : unknown) {
      NEARDUP_ASSIGN(needed[id], Ask(id));
      if (!needed[id]) needed[id] = Unknown(id);
    }
    return {};
  }

  Encoding Unknown(uint32_t id) {
    const std::string error = fmt::format(
        "the schema registry has no schema {}; register it, and let `neardup replay` send the "
        "record again; or check that registry.url names the registry of the producers",
        id);
    if (log_) log_(error);
    Encoding encoding = UnreadableEncoding(Reason::kSchema, error);
    Remember(id, {encoding, SteadyClock::now() + kUnknownFor}, 0);
    return encoding;
  }

  /// Null: the registry has no such schema.
  Result<Encoding> Ask(uint32_t id) {
    std::optional<RegisteredSchema> schema = files_.Read(id);
    const bool from_file = schema.has_value();
    if (!schema) {
      Result<RegisteredSchema> fetched = registry_.Fetch(id);
      if (fetched.ok()) {
        schema = std::move(*fetched);
      } else if (fetched.error().code == ErrorCode::kNotFound) {
        return Encoding();
      } else if (fetched.error().code != ErrorCode::kBadInput) {
        return fetched.error();
      } else {
        return Refused(id, fetched.error().text);
      }
    }
    const Encoding encoding = EncodingOf(id, *schema);
    if (from_file) return encoding;
    const Result<void> written = files_.Write(id, *schema);
    if (!written.ok() && log_) {
      log_(fmt::format("schema {} is not kept on disk: {}", id, written.error().text));
    }
    return encoding;
  }

  Encoding EncodingOf(uint32_t id, const RegisteredSchema& schema) {
    if (schema.type == "JSON") {
      if (log_) log_(fmt::format("schema {} of the registry is JSON", id));
      return Remember(id, {FramedJsonEncoding()}, 0);
    }
    if (schema.type != "AVRO") {
      return Refused(
          id, fmt::format("found a schema of the type {}, expected AVRO or JSON", schema.type));
    }
    const auto compiled = AvroSchema::Compile(schema.texts);
    if (!compiled.ok()) return Refused(id, compiled.error().text);
    const std::shared_ptr<const AvroSchema>& avro = *compiled;
    if (log_) log_(fmt::format("schema {} of the registry is Avro, {}", id, avro->name()));
    const auto write = [avro, id](std::string_view payload, JsonOutput& out) {
      std::string error = avro->Write(payload.substr(kFrameBytes), out);
      return error.empty() ? error : fmt::format("schema {}, after the frame: {}", id, error);
    };
    return Remember(id, {WrittenEncoding(bytes_max_, write)}, avro->bytes());
  }

  Encoding Refused(uint32_t id, const std::string& why) {
    const std::string error = fmt::format("schema {} of the registry is refused: {}", id, why);
    if (log_) log_(error);
    return Remember(id, {UnreadableEncoding(Reason::kSchema, error)}, 0);
  }

  Encoding Remember(uint32_t id, Known known, uint64_t bytes) {
    if (bytes_ + bytes > kSchemaBytesMax || known_.size() >= kRememberedMax) {
      known_.clear();
      bytes_ = 0;
    }
    bytes_ += bytes;
    return known_.insert_or_assign(id, std::move(known)).first->second.encoding;
  }

  size_t bytes_max_;
  Encoding unframed_;  ///< null: such values are JSON
  std::mutex mutex_;   ///< guards the members below
  SchemaRegistry registry_;
  SchemaFiles files_;
  std::map<uint32_t, Known> known_;
  uint64_t bytes_ = 0;  ///< of the schemas in known_
  std::function<void(const std::string&)> log_;
};

}  // namespace

std::shared_ptr<PayloadEncodings> NewTopicEncodings(const RecordOptions& record,
                                                    const RegistryOptions& registry,
                                                    const std::filesystem::path& state_dir) {
  switch (record.format) {
    case RecordFormat::kText:
      return std::make_shared<OneEncoding>(TextEncoding(record.record_bytes_max));
    case RecordFormat::kMsgpack:
      return std::make_shared<OneEncoding>(MessagePackEncoding(record.record_bytes_max));
    default:
      break;
  }
  if (registry.url.empty() || record.format == RecordFormat::kJson) {
    return std::make_shared<JsonEncodings>();
  }
  return std::make_shared<RegistryEncodings>(record, registry, state_dir);
}

}  // namespace neardup
