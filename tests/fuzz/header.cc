// The header of an output record, in the packed style, and in the separate one: a line each.
#include "fuzz/fuzz_target.h"
#include "stream/lane/route_header.h"

namespace neardup {
namespace {

std::vector<std::string> Seeds() {
  return {"seq=81;origin=news/3/5512",
          "seq=81;origin=news/3/5512;original=news/1/771;distance=2;kind=near",
          "seq=81;origin=news/3/5512;reason=parse;error=at%20byte%203;late;clamped;passed",
          "seq=81;origin=a/3/5512;simhash=0123456789abcdef;order=00112233445566ff;"
          "exact=fedcba9876543210",
          "neardup-seq=81\nneardup-origin=news/3/5512\nneardup-late=true"};
}

void Run(std::string_view text) {
  std::vector<HeaderView> headers = {{"neardup", text}};
  const Result<ParsedHeader> packed = ParseRouteHeader(headers);
  if (packed.ok()) {
    Require(packed->first == 0 && packed->count == 1, "names other headers than ours");
    Require(packed->seq > 0, "accepts seq 0");
  }
  headers.clear();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = text.substr(begin, end - begin);
    const size_t equals = std::min(line.find('='), line.size());
    headers.push_back({line.substr(0, equals), equals < line.size()
                                                   ? std::optional(line.substr(equals + 1))
                                                   : std::nullopt});
    begin = end + 1;
  }
  const Result<ParsedHeader> separate = ParseRouteHeader(headers);
  if (separate.ok()) {
    Require(separate->first + separate->count <= headers.size(), "names headers that do not exist");
  }
  if (const auto decoded = PercentDecoded(text)) {
    std::string encoded;
    AppendPercentEncoded(encoded, *decoded);
    Require(PercentDecoded(encoded) == decoded, "a text differs after it was encoded and decoded");
  }
}

}  // namespace

extern const FuzzTarget kHeaderTarget{"header", Seeds, Run};

}  // namespace neardup
