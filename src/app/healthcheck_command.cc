#include <httplib.h>

#include <cstdio>
#include <string>

#include "app/commands.h"
#include "app/exit_code.h"

namespace neardup {

int HealthcheckCommand(const std::string& url) {
  const size_t scheme = url.find("://");
  const size_t path = scheme == std::string::npos ? scheme : url.find('/', scheme + 3);
  if (!url.starts_with("http://")) {
    std::fprintf(stderr, "neardup: --url %s: expected an address such as http://HOST:PORT/readyz\n",
                 url.c_str());
    return kExitUsage;
  }
  httplib::Client client(url.substr(0, path));
  client.set_connection_timeout(5);
  client.set_read_timeout(5);
  const httplib::Result answer =
      client.Get(path == std::string::npos ? "/readyz" : url.substr(path).c_str());
  if (!answer) {
    std::fprintf(
        stderr,
        "neardup: %s: no answer; is the instance running, and does it serve metrics.port?\n",
        url.c_str());
    return kExitUnavailable;
  }
  std::string text = answer->body;
  while (text.ends_with('\n')) text.pop_back();
  std::printf("%d %s\n", answer->status, text.c_str());
  return answer->status == 200 ? kExitOk : kExitNo;
}

}  // namespace neardup
