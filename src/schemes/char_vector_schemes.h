// The schemes that count characters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "schemes/scheme.h"
#include "schemes/token_schemes.h"

namespace neardup {

/// Character vector over a dictionary: how often each of the `dictionary` commonest characters of
/// the sample stands in the record, compared by Tanimoto's coefficient
/// a.b / (a.a + b.b - a.b). Characters are the letters that are tokens by themselves
/// (CharacterClass::kSingle: Han, Kana, Hangul, Thai, ...); other tokens take places of the
/// dictionary too, but are not counted: for texts of such scripts only. Every entry is compared.
/// FORMAT: words are the sum of the squared counts, then code point << 32 | count, ascending. A
/// record without such a character has the words {0, Hash64 of its token texts}; only its equals
/// are its duplicates.
std::unique_ptr<Scheme> NewCharVector(size_t dictionary, double similarity_min,
                                      SharedFrequencies frequencies);

/// Character vector by machine code: no dictionary and no sample, a character counts at the place
/// code point % buckets. All letters and digits count, those of words too, which tells little
/// about texts of an alphabet. FORMAT: as above, with the place instead of the code point.
std::unique_ptr<Scheme> NewCharVectorCode(uint32_t buckets, double similarity_min);

}  // namespace neardup
