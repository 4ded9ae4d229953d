// The vocabulary and sentence patterns behind the sample stream. All of it is made up.
#pragma once

#include <string>
#include <vector>

namespace neardup {

/// A pattern is a sentence with slots: N noun, A adjective, V verb, P person, L place, O
/// organisation, D number; everything else stands for itself.
struct SyntheticLanguage {
  /// What stands between two parts of a sentence, and what ends one.
  std::string gap;
  std::string stop;
  std::vector<std::string> nouns;
  std::vector<std::string> adjectives;
  std::vector<std::string> verbs;
  std::vector<std::string> given_names;
  std::vector<std::string> family_names;
  bool family_name_first = false;
  std::vector<std::string> places;
  /// Second part of an organisation's name, after a place.
  std::vector<std::string> organisations;
  std::vector<std::string> sources;
  std::vector<std::string> titles;
  std::vector<std::string> patterns;
};

const SyntheticLanguage& EnglishNews();
const SyntheticLanguage& ChineseNews();
const SyntheticLanguage& EnglishProducts();

}  // namespace neardup
