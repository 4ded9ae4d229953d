// Compares FieldExtractor with nlohmann-json on generated and on damaged documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "detect/record/field_extractor.h"

namespace neardup {
namespace {

using nlohmann::json;

constexpr uint32_t kSeed = 20260131;
const std::vector<std::string> kKeys = {"a", "b", "/", "~", "", "0", "1", "\xE4\xB8\xAD", "k\"\\"};

class Generator {
 public:
  explicit Generator(uint32_t seed) : random_(seed) {}

  size_t Below(size_t end) { return random_() % end; }

  json Value(int depth) {
    switch (Below(depth > 0 ? 9 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return Below(2) == 0;
      case 2:
        return static_cast<int64_t>(random_()) - (int64_t{1} << 31);
      case 3:
        return static_cast<double>(random_()) / 1024;
      case 4:
      case 5:
        return Text();
      case 6:
      case 7:
        return Object(depth - 1);
      default: {
        json array = json::array();
        for (size_t i = Below(4); i > 0; --i) array.push_back(Value(depth - 1));
        return array;
      }
    }
  }

  json Object(int depth) {
    json object = json::object();
    for (size_t i = Below(5); i > 0; --i) object[kKeys[Below(kKeys.size())]] = Value(depth);
    return object;
  }

  /// Writes JSON with shuffled keys, white space and needless escapes.
  std::string Write(const json& value) {
    if (value.is_object()) {
      std::vector<std::string> members;
      for (const auto& [key, member] : value.items()) {
        members.push_back(Quote(key) + Space() + ":" + Space() + Write(member));
      }
      std::shuffle(members.begin(), members.end(), random_);
      return "{" + Join(members) + "}";
    }
    if (value.is_array()) {
      std::vector<std::string> elements;
      for (const json& element : value) elements.push_back(Write(element));
      return "[" + Join(elements) + "]";
    }
    return value.is_string() ? Quote(value.get<std::string>()) : value.dump();
  }

  std::string Pointer() {
    std::string pointer;
    for (size_t i = 1 + Below(3); i > 0; --i)
      pointer += "/" + EscapeKey(kKeys[Below(kKeys.size())]);
    return pointer;
  }

 private:
  std::string Text() {
    static const std::vector<std::string> kParts = {"x",
                                                    " ",
                                                    "\"",
                                                    "\\",
                                                    "\n",
                                                    "/",
                                                    "\xC3\xA9",
                                                    "\xE4\xB8\xAD",
                                                    "\xF0\x9F\x98\x80",
                                                    std::string(1, '\0')};
    std::string text;
    for (size_t i = Below(40); i > 0; --i) text += kParts[Below(kParts.size())];
    return text;
  }
  std::string Quote(const std::string& text) { return json(text).dump(-1, ' ', Below(2) == 0); }
  std::string Space() { return std::string(Below(3) == 0 ? Below(3) : 0, Below(2) ? ' ' : '\n'); }
  std::string Join(const std::vector<std::string>& parts) {
    std::string joined = Space();
    for (size_t i = 0; i < parts.size(); ++i)
      joined += (i ? "," + Space() : "") + parts[i] + Space();
    return joined;
  }
  static std::string EscapeKey(const std::string& key) {
    std::string escaped;
    for (const char byte : key) {
      escaped += byte == '~' ? "~0" : byte == '/' ? "~1" : std::string(1, byte);
    }
    return escaped;
  }

  std::mt19937 random_;
};

using Texts = std::vector<std::pair<uint32_t, std::string>>;

/// Appends the texts below `value`, which stands at `pointer`; `selectors` are JSON Pointers.
void Model(const json& value, const std::string& pointer, int field,
           const std::vector<std::string>& selectors, Texts& texts) {
  const auto selector = std::find(selectors.begin(), selectors.end(), pointer);
  if (selector != selectors.end()) field = static_cast<int>(selector - selectors.begin());
  if (value.is_structured()) {
    for (const auto& [key, child] : value.items()) {
      const std::string token = (json::json_pointer() / key).to_string();
      Model(child, pointer + token, field, selectors, texts);
    }
  } else if (field >= 0 && !value.is_null()) {
    texts.emplace_back(field, value.is_string() ? value.get<std::string>() : value.dump());
  }
}

TEST(FieldExtractorModel, TakesTheSameTextsFromGeneratedDocuments) {
  Generator generator(kSeed);
  size_t compared = 0;
  for (int round = 0; round < 3000; ++round) {
    RecordOptions options;
    std::vector<std::string> selectors;
    for (size_t i = 1 + generator.Below(3); i > 0; --i) {
      const std::string pointer = generator.Pointer();
      if (std::find(selectors.begin(), selectors.end(), pointer) != selectors.end()) continue;
      selectors.push_back(pointer);
      options.fields.push_back({pointer, 1.0});
    }
    FieldExtractor extractor(options);
    for (int i = 0; i < 4; ++i) {
      const std::string payload = generator.Write(generator.Object(4));
      Texts expected;
      Model(json::parse(payload), "", -1, selectors, expected);
      const ExtractedRecord& record = extractor.Extract({{}, 0, payload});
      Texts found;
      for (const TextPiece& piece : record.pieces) found.emplace_back(piece.field, piece.text);
      std::sort(expected.begin(), expected.end());
      std::sort(found.begin(), found.end());
      ASSERT_TRUE(record.outcome.reason == Reason::kNone ||
                  record.outcome.reason == Reason::kMissingField)
          << record.outcome.error << " seed " << kSeed << "\n"
          << payload;
      ASSERT_EQ(found, expected) << "seed " << kSeed << "\n" << payload;
      compared += found.size();
    }
  }
  EXPECT_GT(compared, 1000U);
}

TEST(FieldExtractorModel, AcceptsTheSameDamagedDocuments) {
  Generator generator(kSeed);
  RecordOptions options;
  options.missing_fields = MissingFields::kAll;
  FieldExtractor extractor(options);
  // Without the letter e: the model refuses numbers beyond a double, though they are valid JSON.
  const std::string replacements = "{}[]\",:\\0123456789.-+trufalsn \n\t\x01/\xFF\xC3\xA9\xED\xA0";
  size_t valid = 0;
  size_t damaged = 0;
  for (int round = 0; round < 60000; ++round) {
    std::string payload = generator.Write(generator.Object(4));
    for (size_t i = 1 + generator.Below(2); i > 0; --i) {
      const size_t place = generator.Below(payload.size());
      const char byte = replacements[generator.Below(replacements.size())];
      switch (generator.Below(3)) {
        case 0:
          payload[place] = byte;
          break;
        case 1:
          payload.insert(place, 1, byte);
          break;
        default:
          payload.erase(place, 1);
      }
    }
    const Reason reason = extractor.Extract({{}, 0, payload}).outcome.reason;
    const bool called_json = reason != Reason::kParse && reason != Reason::kEncoding;
    ASSERT_EQ(called_json, json::accept(payload))
        << Name(reason) << " seed " << kSeed << " round " << round << "\n"
        << payload;
    (called_json ? valid : damaged) += 1;
  }
  EXPECT_GT(valid, 1000U);
  EXPECT_GT(damaged, 1000U);
}

}  // namespace
}  // namespace neardup
