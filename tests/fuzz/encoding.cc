// A value of another encoding, by a schema that may be hostile too: it becomes JSON of bounded
// size, or an error.
#include <nlohmann/json.hpp>
#include <vector>

#include "detect/record/avro_bytes.h"
#include "detect/record/avro_schema.h"
#include "detect/record/message_pack.h"
#include "fuzz/fuzz_target.h"

namespace neardup {
namespace {

constexpr size_t kBytesMax = 100'000;

const std::string kSchemas[] = {
    R"({"type":"record","name":"A","fields":[{"name":"id","type":"long"},
      {"name":"by","type":{"type":"record","name":"P","fields":[{"name":"n","type":"string"},
        {"name":"next","type":["null","P"]}]}},
      {"name":"list","type":{"type":"array","items":["null","P","double"]}},
      {"name":"map","type":{"type":"map","values":{"type":"fixed","name":"F","size":3}}}]})",
    R"({"type":"record","name":"B","fields":[
      {"name":"e","type":{"type":"enum","name":"E","symbols":["X","Y"]}},
      {"name":"d","type":{"type":"bytes","logicalType":"decimal","precision":9,"scale":2}},
      {"name":"t","aliases":["when"],"type":{"type":"long","logicalType":"timestamp-micros"}},
      {"name":"day","type":{"type":"int","logicalType":"date"}},
      {"name":"clock","type":{"type":"int","logicalType":"time-millis"}},
      {"name":"f","type":"float"},{"name":"ok","type":"boolean"},
      {"name":"nulls","type":{"type":"array","items":"null"}}]})"};

std::vector<std::string> Seeds() {
  const std::string person = AvroText("Ann") + AvroLong(1) + AvroText("Ben") + AvroLong(0);
  const std::string a = AvroLong(-7) + person + AvroLong(2) + AvroLong(0) + AvroLong(1) + person +
                        AvroLong(0) + AvroLong(-1) + AvroLong(5) + AvroText("k") + "xyz" +
                        AvroLong(0);
  const std::string b = AvroLong(1) + AvroText("\x04\xd2") + AvroLong(1'700'000'000'000'000) +
                        AvroLong(19'000) + AvroLong(1000) + AvroReal(1.5F) + "\1" + AvroLong(3) +
                        AvroLong(0);
  const std::vector<uint8_t> packed = nlohmann::json::to_msgpack(
      {{"text", "some words"}, {"list", {1, -500, 1.5, nullptr, true}}, {"big", UINT64_MAX}});
  return {std::string(1, '\0') + std::string(packed.begin(), packed.end()), "\1" + a, "\2" + b,
          "\3" + kSchemas[0] + std::string(1, '\0') + a,
          "\3" + kSchemas[1] + std::string(1, '\0') + b};
}

void Check(std::string_view error, std::string& out, bool full) {
  Require(out.size() < 7 * kBytesMax, "the JSON is larger than its bound");
  if (full || !error.empty()) return;
  for (char& c : out) c = c < 0 ? '?' : c;  // text need not be UTF-8
  Require(nlohmann::json::accept(out), "the JSON of a value is no JSON");
}

void Run(std::string_view input) {
  if (input.empty()) return;
  const size_t kind = static_cast<uint8_t>(input[0]) % 4;
  std::string out;
  JsonOutput json(out, kBytesMax);
  // A copy that ends with the value, so that a sanitiser sees any read beyond it.
  std::vector<char> value(input.begin() + 1, input.end());
  if (kind == 0) {
    const std::string error = WriteMessagePack({value.data(), value.size()}, json);
    return Check(error, out, json.full());
  }
  std::string schema;
  if (kind == 3) {
    const size_t end = std::min(input.find('\0', 1), input.size());
    schema = input.substr(1, end - 1);
    value.assign(input.begin() + static_cast<ptrdiff_t>(std::min(end + 1, input.size())),
                 input.end());
  } else {
    schema = kSchemas[kind - 1];
  }
  const auto compiled = AvroSchema::Compile({&schema, 1});
  if (!compiled.ok()) return;
  const std::string error = (*compiled)->Write({value.data(), value.size()}, json);
  Check(error, out, json.full());
}

}  // namespace

extern const FuzzTarget kEncodingTarget{"encoding", Seeds, Run};

}  // namespace neardup
