// Removes HTML and XML markup from text.
#pragma once

#include <string>
#include <string_view>

namespace neardup {

/// Removes markup from texts. Keeps scratch memory: one instance per thread.
/// FORMAT. These parts are markup, and become a space each:
///   tag          "<" or "</", the name of an element of HTML, obsolete ones included, or svg or
///                math, in any case; white space, "/" or ">" after the name; all up to the next
///                ">" that is not in an attribute's value in quotes. If a "<" outside of such a
///                value comes first, it is no tag.
///   comment      "<!--" up to "-->"
///   declaration  "<!doctype" in any case, and white space or ">", up to ">"
///   instruction  "<?xml" up to "?>"
///   CDATA        "<![CDATA[", and the next "]]>"; the text between is text
/// Everything else stays, also where the end of a part is missing. Outside of markup, the named
/// characters of HTML 5 are decoded once, those that HTML lists without ";" also without it; and
/// numbers of characters, which need the ";", where 128 to 159 are codes of Windows-1252. If a "<"
/// comes of this, tags are removed once more: feeds carry text with its markup escaped.
/// Once text that was searched in vain for the end of a part adds up to 16 times the text, no
/// further part is found, so that the work is linear.
class MarkupStripper {
 public:
  /// `text` must be valid UTF-8. The result is `text` itself or valid until the next call.
  std::string_view Strip(std::string_view text);
  /// What the attributes of the tags say that Strip removed, for texts that say nothing else.
  /// FORMAT: the values of alt, cite, content, data, href, label, placeholder, poster, src, srcset,
  /// title, value and all names that begin with data-, with characters decoded, each followed by a
  /// space. Valid until the next call of Strip.
  std::string_view Attributes();

 private:
  std::string out_;
  std::string escaped_;
  std::string tags_;  ///< the removed tags that have attributes
  std::string values_;
};

}  // namespace neardup
