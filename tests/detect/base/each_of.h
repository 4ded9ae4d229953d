// Lists of short texts that tests go through.
#pragma once

#include <array>

namespace neardup {

/// For `for (const char* text : EachOf("a", "b"))`. The arguments fill their lines.
template <class... Texts>
constexpr std::array<const char*, sizeof...(Texts)> EachOf(Texts... texts) {
  return {texts...};
}

}  // namespace neardup
