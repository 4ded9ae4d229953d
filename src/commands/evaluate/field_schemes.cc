#include <algorithm>
#include <string>

#include "commands/evaluate/families.h"
#include "commands/evaluate/scheme.h"
#include "detect/base/hash.h"

namespace neardup {
namespace {

using Words = std::span<const uint64_t>;

constexpr size_t kDigestWords = 2;

/// The texts by ascending field; within a field in the given order.
std::vector<const SchemeText*> ByField(std::span<const SchemeText> texts) {
  std::vector<const SchemeText*> sorted;
  for (const SchemeText& text : texts) sorted.push_back(&text);
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto* a, const auto* b) { return a->field < b->field; });
  return sorted;
}

void AppendText(std::string_view text, std::string& bytes) {
  bytes += text;
  bytes += '\0';
}

void AppendDigest(std::span<const SchemeText> texts, Sketch& sketch) {
  std::string bytes;
  for (const SchemeText* text : ByField(texts)) AppendText(text->raw, bytes);
  const Digest128 digest = Hash128(bytes);
  sketch.words.push_back(digest.low);
  sketch.words.push_back(digest.high);
  sketch.keys.push_back(digest.low);
}

class Md5Scheme : public Scheme {
 public:
  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch = {};
    AppendDigest(texts, sketch);
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    if (!std::equal(earlier.begin(), earlier.end(), later.begin(), later.end())) return {};
    return 0;
  }
};

/// The part of a sketch with one word for each field, as in NewMultiMd5.
class FieldDigests {
 public:
  explicit FieldDigests(const SchemeValues& values)
      : first_fields_(values.Whole("first_fields")),
        first_equal_(values.Whole("first_equal")),
        equal_share_min_(values.Real("equal_share_min")) {}

  void Append(std::span<const SchemeText> texts, Sketch& sketch) const {
    const size_t begin = sketch.words.size();
    std::string bytes;
    const auto sorted = ByField(texts);
    for (size_t i = 0; i < sorted.size(); ++i) {
      AppendText(sorted[i]->raw, bytes);
      const uint32_t field = sorted[i]->field;
      if (i + 1 < sorted.size() && sorted[i + 1]->field == field) continue;
      const bool empty = bytes.find_first_not_of('\0') == std::string::npos;
      if (!empty) {
        sketch.words.resize(begin + field + 1);
        sketch.words.back() = std::max(Hash64(bytes), uint64_t{1});
      }
      bytes.clear();
    }
    AppendKeys(Words(sketch.words).subspan(begin), sketch.keys);
  }

  std::optional<int> Distance(Words earlier, Words later) const {
    size_t equal = 0;
    size_t present = 0;
    for (size_t field = 0; field < std::max(earlier.size(), later.size()); ++field) {
      const uint64_t a = At(earlier, field);
      const uint64_t b = At(later, field);
      present += a != 0 || b != 0;
      equal += a != 0 && a == b;
    }
    if (present == 0) return 0;
    const uint32_t wanted = std::min(first_equal_, static_cast<uint32_t>(present));
    if (CountFirstEqual(earlier, later) < wanted) return {};
    const double share = static_cast<double>(equal) / static_cast<double>(present);
    if (!DistanceOf(share, equal_share_min_)) return {};
    return static_cast<int>(present - equal);
  }

 private:
  static uint64_t At(Words words, size_t field) { return field < words.size() ? words[field] : 0; }

  std::vector<size_t> FirstFields(Words words) const {
    std::vector<size_t> fields;
    for (size_t field = 0; field < words.size() && fields.size() < first_fields_; ++field) {
      if (words[field] != 0) fields.push_back(field);
    }
    return fields;
  }

  void AppendKeys(Words words, std::vector<uint64_t>& keys) const {
    for (const size_t field : FirstFields(words)) keys.push_back(Mix64(words[field] + field));
    if (words.empty()) keys.push_back(kNothingKey);
  }

  uint32_t CountFirstEqual(Words earlier, Words later) const {
    uint32_t equal = 0;
    const auto of_later = FirstFields(later);
    for (const size_t field : FirstFields(earlier)) {
      const bool first_in_both =
          std::find(of_later.begin(), of_later.end(), field) != of_later.end();
      equal += first_in_both && earlier[field] == later[field];
    }
    return equal;
  }

  uint32_t first_fields_;
  uint32_t first_equal_;
  double equal_share_min_;
};

class MultiMd5Scheme : public Scheme {
 public:
  explicit MultiMd5Scheme(const SchemeValues& values) : digests_(values) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch = {};
    digests_.Append(texts, sketch);
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    return digests_.Distance(earlier, later);
  }

 private:
  FieldDigests digests_;
};

class Md5ThenMultiScheme : public Scheme {
 public:
  explicit Md5ThenMultiScheme(const SchemeValues& values) : digests_(values) {}

  void Compute(std::span<const SchemeText> texts, Sketch& sketch) const override {
    sketch = {};
    AppendDigest(texts, sketch);
    digests_.Append(texts, sketch);
  }

  std::optional<int> Distance(Words earlier, Words later) const override {
    const Words digest = earlier.first(kDigestWords);
    if (std::equal(digest.begin(), digest.end(), later.begin())) return 0;
    return digests_.Distance(earlier.subspan(kDigestWords), later.subspan(kDigestWords));
  }

 private:
  FieldDigests digests_;
};

}  // namespace

std::unique_ptr<Scheme> NewMd5(const SchemeValues&, SharedFrequencies) {
  return std::make_unique<Md5Scheme>();
}

std::unique_ptr<Scheme> NewMultiMd5(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<MultiMd5Scheme>(values);
}

std::unique_ptr<Scheme> NewMd5ThenMulti(const SchemeValues& values, SharedFrequencies) {
  return std::make_unique<Md5ThenMultiScheme>(values);
}

}  // namespace neardup
