// Markup out of text.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// Whether StripMarkup could change the text.
bool MayHoldMarkup(std::string_view text);

/// Replaces `out` by the text with character entities decoded once (numeric, the XML five, those of
/// HTML for Latin-1, and frequent punctuation; others stay as they are), then with every `<...>` of
/// up to 200 characters between the brackets, itself without '<', replaced by a space. FORMAT.
/// `text` must be UTF-8; so is `out`.
void StripMarkup(std::string_view text, std::string& out);

}  // namespace neardup
