// The name of a pipeline for which nobody chose one.
#pragma once

#include <string>
#include <vector>

namespace neardup {

/// The default of older versions, and the name of a process without input topics.
inline constexpr const char* kPlainApp = "neardup";

/// `neardup-news` for the topic news, `neardup-goods-news` for news and goods in any order. Where
/// that is too long, or has letters that `app` does not take, the name is shortened, and 8
/// hexadecimal digits tell it from others. Valid as `app`.
std::string DefaultApp(const std::vector<std::string>& topics);

}  // namespace neardup
