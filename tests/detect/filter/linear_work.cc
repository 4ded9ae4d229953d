// Fingerprints records of many shapes and two sizes, and has callgrind count the instructions of
// each. linear_work.py runs it and compares the counts.
#include <fmt/format.h>
#include <valgrind/callgrind.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "neardup/filter.h"

namespace neardup {
namespace {

/// Makes a payload that has about `bytes` bytes.
using Shape = std::function<std::string(size_t bytes)>;

std::string Repeated(std::string_view part, size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += part;
  return text;
}

std::string Numbered(std::string_view before, std::string_view after, size_t bytes) {
  std::string text;
  for (uint64_t i = 0; text.size() < bytes; ++i) {
    text.append(before).append(std::to_string(i * 2654435761)).append(after);
  }
  return text;
}

std::string Title(const std::string& text) { return R"({"title":")" + text + R"("})"; }

Shape TitleOf(std::string_view part) {
  return [part](size_t bytes) { return Title(Repeated(part, bytes)); };
}

struct NamedShape {
  std::string name;
  Shape shape;
};

std::vector<NamedShape> Shapes() {
  return {
      {"one_word_repeated", TitleOf("word ")},
      {"different_words", [](size_t n) { return Title(Numbered("w", " ", n)); }},
      {"one_long_word", TitleOf("a")},
      {"one_long_number", TitleOf("7")},
      {"numbers_with_separators", TitleOf("7,")},
      {"numbers_with_points", TitleOf("1.")},
      {"spaces", TitleOf(" ")},
      {"punctuation", TitleOf("-")},
      {"apostrophes", TitleOf("a'")},
      {"joined_words", TitleOf("a-b_")},
      {"tags", TitleOf("<b>x</b>")},
      {"open_tags", TitleOf("<a ")},
      {"less_than_signs", TitleOf("<")},
      {"open_comments", TitleOf("<!--")},
      {"open_scripts", TitleOf("<script>")},
      {"ampersands", TitleOf("&")},
      {"entities", TitleOf("&amp;&#65;")},
      {"unfinished_entities", TitleOf("&#")},
      {"combining_marks", [](size_t n) { return Title("a" + Repeated("\u0301\u0323", n)); }},
      {"marked_letters", TitleOf("e\u0301")},
      {"escaped_marks", [](size_t n) { return Title("a" + Repeated("\\u0301\\u0323", n)); }},
      {"escapes", TitleOf("\\n\\\"")},
      {"surrogate_pairs", TitleOf("\\ud83d\\ude00")},
      {"chinese", TitleOf("\u4e2d\u6587")},
      {"thai", TitleOf("\u0e01\u0e34")},
      {"hangul_jamo", TitleOf("\u1100\u1161")},
      {"decomposed_characters", TitleOf("\ufdfa")},
      {"invalid_utf8", TitleOf("\xff\xc3")},
      {"times", TitleOf("2026-01-31T12:00:00Z ")},
      {"times_without_space", TitleOf("2026-01-31")},
      {"addresses", TitleOf("10.0.0.1 ")},
      {"addresses_without_space", TitleOf("1:")},
      {"hexadecimal", TitleOf("0xdeadbeef")},
      {"uuids", TitleOf("123e4567-e89b-12d3-a456-426614174000")},
      {"many_fields",
       [](size_t n) { return "{" + Numbered(R"("f)", R"(":"x",)", n) + R"("title":"x"})"; }},
      {"one_field_repeated",
       [](size_t n) { return "{" + Repeated(R"("title":"x y",)", n) + R"("end":1})"; }},
      {"array_of_texts",
       [](size_t n) { return R"({"title":[)" + Repeated(R"("a b",)", n) + R"("c"]})"; }},
      {"array_of_numbers",
       [](size_t n) { return R"({"title":[)" + Numbered("", ",", n) + R"(1]})"; }},
      {"array_of_arrays",
       [](size_t n) { return R"({"title":[)" + Repeated("[],", n) + R"([]]})"; }},
      {"object_of_texts",
       [](size_t n) { return R"({"title":{)" + Numbered(R"("k)", R"(":"v",)", n) + R"("e":1}})"; }},
      {"too_deep", [](size_t n) { return R"({"title":)" + Repeated("[", n); }},
      {"white_space_between",
       [](size_t n) { return "{" + Repeated(" \n", n) + R"("title":"x"})"; }},
  };
}

/// callgrind writes one file with the instructions of this record, whose description says `what`.
void Count(const FilterOptions& options, const std::string& payload, const std::string& what) {
  Fingerprinter fingerprinter(options);
  fingerprinter.Compute({{0, 0}, 0, R"({"title":"warm up"})"});
  CALLGRIND_ZERO_STATS;
  fingerprinter.Compute({{0, 0}, 0, payload});
  CALLGRIND_DUMP_STATS_AT(what.c_str());
}

void CountTwoSizes(const FilterOptions& options, std::string_view variant, const NamedShape& shape,
                   size_t bytes) {
  for (const size_t size : {bytes, 10 * bytes}) {
    Count(options, shape.shape(size), fmt::format("{} {} {}", shape.name, variant, size));
  }
}

void CountAll(size_t masked_bytes) {
  FilterOptions plain;
  FilterOptions masked;
  masked.record.fields = {{"/title", 1.0}};
  masked.feature.masks = {true, true, true, true, true};
  for (const NamedShape& shape : Shapes()) {
    CountTwoSizes(plain, "plain", shape, 10'000);
    CountTwoSizes(masked, "masked", shape, masked_bytes);
  }
}

}  // namespace
}  // namespace neardup

int main(int count, char** words) {
  // A mask looks back and ahead, so its texts are longer.
  neardup::CountAll(count > 1 ? std::stoul(words[1]) : 20'000);
}
