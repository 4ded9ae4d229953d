#include "detect/record/message_pack.h"

#include <fmt/format.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

namespace neardup {
namespace {

constexpr size_t kDepthMax = 128;
constexpr int8_t kTimestamp = -1;
constexpr int64_t kNanosPerSecond = 1'000'000'000;

uint64_t BigEndian(const uint8_t* bytes, size_t count) {
  uint64_t number = 0;
  for (size_t i = 0; i < count; ++i) number = number << 8 | bytes[i];
  return number;
}

/// Writes what the parser of the JSON library reads. The parser stops where a function returns
/// false. It calls itself for each level, so that the depth has a bound.
class MessagePackWriter final : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit MessagePackWriter(JsonOutput& out) : out_(out) {}

  const std::string& error() const { return error_; }

  bool null() override {
    return Value([&] { out_.Raw("null"); });
  }
  bool boolean(bool value) override {
    return Value([&] { out_.Bool(value); });
  }
  bool number_integer(int64_t value) override {
    return Value([&] { out_.Integer(value); });
  }
  bool number_unsigned(uint64_t value) override {
    return Value([&] { out_.Unsigned(value); });
  }
  bool number_float(double value, const std::string&) override {
    return Value([&] { out_.Real(value); });
  }
  bool string(std::string& value) override {
    return Value([&] { out_.String(value); });
  }
  bool binary(nlohmann::json::binary_t& value) override {
    return Value([&] {
      const bool time = value.has_subtype() && static_cast<int8_t>(value.subtype()) == kTimestamp;
      if (!time || !Time(value)) {
        out_.Base64({reinterpret_cast<const char*>(value.data()), value.size()});
      }
    });
  }
  bool start_object(size_t) override { return Open("{"); }
  bool start_array(size_t) override { return Open("["); }
  bool end_object() override { return Close("}"); }
  bool end_array() override { return Close("]"); }
  bool key(std::string& key) override {
    Separate();
    out_.String(key);
    out_.Raw(":");
    first_ = true;
    return !out_.full();
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception& what) override {
    const std::string_view text = what.what();
    error_ =
        fmt::format("not MessagePack at byte {}: {}", position, text.substr(text.rfind(": ") + 2));
    return false;
  }

 private:
  template <class Write>
  bool Value(const Write& write) {
    Separate();
    write();
    return !out_.full();
  }
  void Separate() {
    if (!first_) out_.Raw(",");
    first_ = false;
  }
  bool Open(std::string_view bracket) {
    Separate();
    out_.Raw(bracket);
    first_ = true;
    if (++depth_ <= kDepthMax) return !out_.full();
    error_ = fmt::format("MessagePack that nests deeper than {} levels", kDepthMax);
    return false;
  }
  bool Close(std::string_view bracket) {
    out_.Raw(bracket);
    first_ = false;
    --depth_;
    return true;
  }
  /// Seconds in 4 bytes; 30 bits of nanoseconds and 34 of seconds; or 4 and 8 bytes.
  bool Time(const std::vector<uint8_t>& bytes) {
    if (bytes.size() != 4 && bytes.size() != 8 && bytes.size() != 12) return false;
    const bool long_form = bytes.size() == 12;
    const uint64_t packed = BigEndian(bytes.data(), long_form ? 4 : bytes.size());
    const uint64_t nanos = long_form ? packed : bytes.size() == 8 ? packed >> 34 : 0;
    const uint64_t bits = long_form ? BigEndian(bytes.data() + 4, 8) : packed & ((1ULL << 34) - 1);
    const auto seconds = static_cast<int64_t>(bits);
    int64_t time = 0;
    if (__builtin_mul_overflow(seconds, kNanosPerSecond, &time) ||
        __builtin_add_overflow(time, static_cast<int64_t>(nanos), &time)) {
      out_.Time(seconds, 0);
    } else {
      out_.Time(time, 9);
    }
    return true;
  }

  JsonOutput& out_;
  size_t depth_ = 0;
  bool first_ = true;  ///< no comma is needed
  std::string error_;
};

}  // namespace

std::string WriteMessagePack(std::string_view payload, JsonOutput& out) {
  MessagePackWriter writer(out);
  nlohmann::json::sax_parse(payload, &writer, nlohmann::json::input_format_t::msgpack);
  return writer.error();
}

}  // namespace neardup
