// Recognises texts that name something without saying anything about it.
#pragma once

#include <string_view>

namespace neardup {

/// Whether the whole text is a code: a UUID, an address with a scheme (https://..., s3://...), the
/// name of a host (www.example.org), or a word that holds at least 16 letters and digits, both of
/// them, such as a hash or a key. A key may also hold - _ = + and /. Copies of a record may have
/// other codes, and records of one source may share them.
bool IsCodeText(std::string_view text);

/// Whether a field of this name (the last part of its path) is known to hold a number that a
/// machine gave, such as pid, thread_id or port. Letter case, `_` and `-` do not count.
bool NamesMachineNumber(std::string_view field);

}  // namespace neardup
