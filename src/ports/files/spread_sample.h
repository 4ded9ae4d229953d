// A sample of a file from its whole length.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "lane/message.h"
#include "neardup/result.h"

namespace neardup {

/// Reads stretches of whole lines that are evenly distributed over a plain file, about `bytes_max`
/// bytes and at most `records_max` lines in all, in the order of the file. The positions are
/// {0, index}. Empty, if `path` is no file to seek in, is compressed, or holds no more than
/// `bytes_max` bytes: then read it from the beginning.
Result<std::vector<Message>> ReadSpreadSample(const std::string& path, size_t records_max,
                                              size_t bytes_max);

/// Reads the whole file, decompressed, and counts its lines; the last one may lack its line end. 0:
/// it is no regular file.
Result<uint64_t> CountLines(const std::string& path);

}  // namespace neardup
