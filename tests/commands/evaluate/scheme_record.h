// Makes records as schemes see them from plain texts.
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "commands/evaluate/schemes.h"
#include "detect/feature/text_features.h"
#include "detect/feature/tokeniser.h"

namespace neardup {

class SchemeRecord {
 public:
  /// One text for each field, from field 0.
  explicit SchemeRecord(const std::vector<std::string>& fields) {
    for (uint32_t field = 0; field < fields.size(); ++field) Add(field, fields[field]);
  }
  SchemeRecord(std::initializer_list<std::string> fields)
      : SchemeRecord(std::vector<std::string>(fields)) {}
  SchemeRecord() = default;
  SchemeRecord(const SchemeRecord&) = delete;
  SchemeRecord& operator=(const SchemeRecord&) = delete;

  void Add(uint32_t field, const std::string& raw) {
    Piece& piece = pieces_.emplace_back();
    piece.raw = raw;
    Tokeniser(true).Tokenise(raw, piece.tokens);
    texts_.push_back({field, piece.raw, piece.tokens.TextFrom(0), piece.tokens.hashes()});
  }
  std::span<const SchemeText> texts() const { return texts_; }

 private:
  struct Piece {
    std::string raw;
    TokenList tokens;
  };

  std::deque<Piece> pieces_;  ///< a deque, so that pieces stay in place: texts_ points to them
  std::vector<SchemeText> texts_;
};

/// The scheme with this name. Parameters that are not named have their defaults.
inline std::unique_ptr<Scheme> Made(std::string_view name, decltype(SchemeOptions::values) values,
                                    SharedFrequencies frequencies = nullptr) {
  return NewScheme(name, {std::move(values), std::move(frequencies)}).value();
}

inline Sketch SketchOf(const Scheme& scheme, const SchemeRecord& record) {
  Sketch sketch;
  scheme.Compute(record.texts(), sketch);
  return sketch;
}

inline std::optional<int> DistanceOf(const Scheme& scheme, const SchemeRecord& earlier,
                                     const SchemeRecord& later) {
  return scheme.Distance(SketchOf(scheme, earlier).words, SketchOf(scheme, later).words);
}

}  // namespace neardup
