// bench_format: the time from a value to its fingerprint, in each format of record.format, for the
// same articles in one run.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "bench/program.h"
#include "bench/thread_clock.h"
#include "detect/base/random.h"
#include "detect/record/avro_bytes.h"
#include "detect/record/avro_schema.h"
#include "detect/record/payload_encoding.h"
#include "neardup/filter.h"

namespace neardup {
namespace {

constexpr int kRounds = 9;
constexpr size_t kBytesMax = size_t{1} << 20;
const char* const kSchema = R"({"type":"record","name":"Article","fields":[
  {"name":"id","type":"long"},
  {"name":"published","type":{"type":"long","logicalType":"timestamp-millis"}},
  {"name":"author","type":["null",{"type":"record","name":"Person","fields":[
    {"name":"name","type":"string"},{"name":"age","type":"int"}]}]},
  {"name":"tags","type":{"type":"array","items":"string"}},
  {"name":"title","type":"string"},{"name":"text","type":"string"}]})";

struct Format {
  const char* name;
  std::shared_ptr<const PayloadEncoding> encoding;
  std::vector<std::string> values;
  std::vector<double> decode_ns;
  std::vector<double> whole_ns;
};

std::string Words(SeededRandom& random, size_t bytes) {
  std::string text;
  while (text.size() < bytes) {
    for (uint64_t n = 2 + random.Below(8); n > 0; --n) {
      text += static_cast<char>('a' + random.Below(26));
    }
    text += ' ';
  }
  return text;
}

void Add(SeededRandom& random, int64_t id, size_t bytes, std::vector<Format>& formats) {
  const std::string title = Words(random, 60);
  const std::string text = Words(random, bytes - 200);
  const nlohmann::ordered_json article = {{"id", id},
                                          {"published", "2026-01-31T12:00:00.000Z"},
                                          {"author", {{"name", "Ann"}, {"age", 40}}},
                                          {"tags", {"harbour", "bridge"}},
                                          {"title", title},
                                          {"text", text}};
  formats[0].values.push_back(article.dump());
  formats[1].values.push_back(AvroLong(id) + AvroLong(1'769'860'800'000) + AvroLong(1) +
                              AvroText("Ann") + AvroLong(40) + AvroLong(2) + AvroText("harbour") +
                              AvroText("bridge") + AvroLong(0) + AvroText(title) + AvroText(text));
  const std::vector<uint8_t> packed = nlohmann::ordered_json::to_msgpack(article);
  formats[2].values.emplace_back(packed.begin(), packed.end());
  formats[3].values.push_back(title + text);
}

Result<void> Run(size_t count, size_t bytes, const std::string& json) {
  const std::string text = kSchema;
  NEARDUP_ASSIGN(const std::shared_ptr<const AvroSchema> schema, AvroSchema::Compile({&text, 1}));
  const auto write_avro = [schema](std::string_view value, JsonOutput& out) {
    return schema->Write(value, out);
  };
  std::vector<Format> formats = {{"json", nullptr, {}, {}, {}},
                                 {"avro", WrittenEncoding(kBytesMax, write_avro), {}, {}, {}},
                                 {"msgpack", MessagePackEncoding(kBytesMax), {}, {}, {}},
                                 {"text", TextEncoding(kBytesMax), {}, {}, {}}};
  SeededRandom random(bytes);
  for (size_t i = 0; i < count; ++i) Add(random, static_cast<int64_t>(i), bytes, formats);
  FilterOptions options;
  options.record.fields = {{.path = "title"}, {.path = "text"}};
  RecordBuffer buffer;
  uint64_t sum = 0;
  // All formats take turns, so that a busy machine slows all of them.
  for (int round = 0; round < kRounds; ++round) {
    for (Format& format : formats) {
      const auto decoded = [&](const std::string& value) {
        return Decoded({{}, 0, value}, format.encoding.get(), buffer);
      };
      double begin = ThreadNs();
      for (const std::string& value : format.values) sum += decoded(value).value->size();
      format.decode_ns.push_back((ThreadNs() - begin) / static_cast<double>(count));
      Fingerprinter fingerprinter(options);  // it would know the texts of the last round
      begin = ThreadNs();
      for (const std::string& value : format.values) {
        sum += fingerprinter.Compute(decoded(value)).features;
      }
      format.whole_ns.push_back((ThreadNs() - begin) / static_cast<double>(count));
    }
  }
  std::printf(
      "%s\n%zu articles; the fastest of %d rounds, processor time of one thread; sum %llu\n\n",
      MachineLine().c_str(), count, kRounds, static_cast<unsigned long long>(sum));
  std::printf("%-8s %6s %12s %24s %8s\n", "format", "bytes", "decode, us", "to the fingerprint, us",
              "to json");
  std::vector<Measurement> found;
  const auto fastest = [](const std::vector<double>& ns) {
    return *std::min_element(ns.begin(), ns.end()) / 1000;
  };
  for (const Format& format : formats) {
    const double whole = fastest(format.whole_ns);
    const double to_json = whole / fastest(formats[0].whole_ns);
    std::printf("%-8s %6zu %12.2f %24.2f %8.2f\n", format.name, format.values.back().size(),
                fastest(format.decode_ns), whole, to_json);
    found.push_back({fmt::format("{}_decode_us", format.name), fastest(format.decode_ns), "us"});
    found.push_back({fmt::format("{}_fingerprint_us", format.name), whole, "us"});
  }
  return json.empty() ? Result<void>() : WriteJson(found, json);
}

Result<void> Main(CLI::App& app, int argc, char** argv) {
  size_t count = 4000;
  size_t bytes = 1000;
  std::string json;
  app.description("Measures the time from a value to its fingerprint, in each format");
  app.add_option("--records", count, "how many articles")->check(CLI::Range(10, 1'000'000));
  app.add_option("--bytes", bytes, "about how many bytes of JSON an article has")
      ->check(CLI::Range(300, 1'000'000));
  app.add_option("--json", json, "also write the figures to this file");
  app.parse(argc, argv);
  return Run(count, bytes, json);
}

}  // namespace
}  // namespace neardup

int main(int argc, char** argv) {
  return neardup::RunProgram("bench_format", neardup::Main, argc, argv);
}
