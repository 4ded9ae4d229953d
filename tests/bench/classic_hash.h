// Eight string hash functions of old textbooks, 32 bits each, as Arash Partow's collection defines
// them (http://www.partow.net/programming/hashfunctions). A byte has a value from 0 to 255.
#pragma once

#include <cstdint>
#include <string_view>

namespace neardup {

uint32_t RsHash(std::string_view bytes);    ///< Robert Sedgewick
uint32_t JsHash(std::string_view bytes);    ///< Justin Sobel
uint32_t PjwHash(std::string_view bytes);   ///< Peter J. Weinberger; the upper 4 bits are 0
uint32_t ElfHash(std::string_view bytes);   ///< Unix object files; equal to PJW on 32-bit words
uint32_t BkdrHash(std::string_view bytes);  ///< Kernighan and Ritchie
uint32_t SdbmHash(std::string_view bytes);  ///< the sdbm library
uint32_t DjbHash(std::string_view bytes);   ///< Daniel J. Bernstein
uint32_t ApHash(std::string_view bytes);    ///< Arash Partow

}  // namespace neardup
