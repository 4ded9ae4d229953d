// The words and sentence patterns of the synthetic stream. All of them are invented.
#pragma once

#include <string>
#include <vector>

namespace neardup {

/// The words of one kind of record. A pattern is a sentence with slots: N noun, A adjective, V
/// verb, P person, L place, O organisation, D number. All other text is taken as it is.
struct SyntheticLanguage {
  /// Separates the words of a sentence.
  std::string gap;
  /// Ends a sentence.
  std::string stop;
  std::vector<std::string> nouns;
  std::vector<std::string> adjectives;
  std::vector<std::string> verbs;
  std::vector<std::string> given_names;
  std::vector<std::string> family_names;
  bool family_name_first = false;
  std::vector<std::string> places;
  /// The name of an organisation is a place and one of these words.
  std::vector<std::string> organisations;
  std::vector<std::string> sources;   ///< newspapers, or brands of products
  std::vector<std::string> titles;    ///< patterns of titles
  std::vector<std::string> patterns;  ///< patterns of sentences
};

const SyntheticLanguage& EnglishNews();
const SyntheticLanguage& ChineseNews();
const SyntheticLanguage& EnglishProducts();

}  // namespace neardup
