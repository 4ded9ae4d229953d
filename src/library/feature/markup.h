// Removes HTML and XML markup from text.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// A fast test: false if StripMarkup would not change the text.
bool MayHoldMarkup(std::string_view text);

/// Puts `text`, which must be valid UTF-8, into `out` without its markup.
/// FORMAT: first, character entities are decoded once: numeric ones, the five of XML, those of HTML
/// for Latin-1 and for frequent punctuation; others stay as they are. Then each `<...>` is replaced
/// by a space if at most 200 characters, none of them '<', stand between the brackets.
void StripMarkup(std::string_view text, std::string& out);

}  // namespace neardup
