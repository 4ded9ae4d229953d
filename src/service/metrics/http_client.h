// One question over HTTP, for checks that run beside an instance.
#pragma once

#include <string>

#include "neardup/result.h"

namespace neardup {

struct HttpAnswer {
  int status = 0;  ///< such as 200
  std::string body;
};

/// Asks with GET and waits for the whole answer. `url`: http://HOST:PORT/PATH or https://..., where
/// an IPv6 address stands in brackets; without /PATH it asks for /readyz. It accepts every
/// certificate, because the question holds no secret. kConfig: the URL has another form.
/// kUnavailable: no answer; the text says why. Connecting and answering may take `timeout_s` each.
Result<HttpAnswer> HttpGet(const std::string& url, int timeout_s);

}  // namespace neardup
