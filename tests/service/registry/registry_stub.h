// A schema registry in this process, for tests.
#pragma once

#include <httplib.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "service/registry/schema_registry.h"

namespace neardup {

struct StubAnswer {
  int status = 200;
  std::string body;
};

inline const StubAnswer kNoSchema = {404, R"({"error_code":40403,"message":"not found"})"};

/// Answers each path below /api with what a test has put there; others with an HTTP 404.
class RegistryStub {
 public:
  RegistryStub() {
    server_.Get("/.*", [this](const httplib::Request& request, httplib::Response& response) {
      const std::lock_guard lock(mutex_);
      asked_.push_back(request.target);
      authorization_ = request.get_header_value("Authorization");
      const auto found = answers_.find(request.target);
      response.status = found == answers_.end() ? 404 : found->second.status;
      response.set_content(found == answers_.end() ? "" : found->second.body, "application/json");
    });
    port_ = server_.bind_to_any_port("127.0.0.1");
    thread_ = std::thread([this] { server_.listen_after_bind(); });
    while (!server_.is_running()) std::this_thread::yield();
  }
  ~RegistryStub() { Stop(); }
  void Stop() {
    server_.stop();
    if (thread_.joinable()) thread_.join();
  }

  RegistryOptions Options() const {
    RegistryOptions options;
    options.url = "http://127.0.0.1:" + std::to_string(port_) + "/api";
    return options;
  }
  void Put(const std::string& path, StubAnswer answer) {
    const std::lock_guard lock(mutex_);
    answers_["/api" + path] = std::move(answer);
  }
  void PutSchema(uint32_t id, const std::string& schema, const std::string& more = "") {
    Put("/schemas/ids/" + std::to_string(id), {200, SchemaAnswer(schema, more)});
  }
  /// `more`: further members, each after a comma.
  static std::string SchemaAnswer(const std::string& schema, const std::string& more = "") {
    std::string text;
    for (const char c : schema)
      text += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    return R"({"schema":")" + text + "\"" + more + "}";
  }
  std::vector<std::string> asked() {
    const std::lock_guard lock(mutex_);
    return asked_;
  }
  std::string authorization() {
    const std::lock_guard lock(mutex_);
    return authorization_;
  }

 private:
  httplib::Server server_;
  std::mutex mutex_;
  std::map<std::string, StubAnswer> answers_;
  std::vector<std::string> asked_;
  std::string authorization_;
  int port_ = 0;
  std::thread thread_;
};

}  // namespace neardup
