#include "service/registry/schema_registry.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace neardup {
namespace {

constexpr long kConnectMs = 3'000;
constexpr long kAnswerMs = 5'000;
/// A schema of 1 MiB has up to twice the size in JSON.
constexpr size_t kAnswerBytesMax = size_t{2} << 20;
constexpr int kReferencesDepthMax = 16;
constexpr size_t kTextsMax = 100;
constexpr long kOk = 200;
constexpr long kUnauthorized = 401;
constexpr long kForbidden = 403;
constexpr long kNotFoundStatus = 404;
/// The registry knows the question, and has no such schema.
constexpr int kSchemaNotFound = 40403;

size_t Append(char* data, size_t size, size_t count, void* into) {
  auto& body = *static_cast<std::string*>(into);
  if (body.size() + size * count > kAnswerBytesMax) return 0;
  body.append(data, size * count);
  return size * count;
}

std::string InPath(std::string_view text) {
  std::string path;
  for (const char c : text) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
    path += plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<uint8_t>(c));
  }
  return path;
}

}  // namespace

struct SchemaRegistry::Connection {
  CURL* curl = curl_easy_init();
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  ~Connection() { curl_easy_cleanup(curl); }
};

SchemaRegistry::SchemaRegistry(RegistryOptions options)
    : options_(std::move(options)), connection_(std::make_unique<Connection>()) {
  while (options_.url.ends_with('/')) options_.url.pop_back();
}
SchemaRegistry::~SchemaRegistry() = default;

Result<SchemaRegistry::Answer> SchemaRegistry::Get(const std::string& path) {
  CURL* const curl = connection_->curl;
  if (curl == nullptr) return Error{ErrorCode::kInternal, "libcurl cannot start"};
  Answer answer;
  const std::string url = options_.url + path;
  curl_easy_reset(curl);
  curl_easy_setopt(curl, CURLOPT_URL, url.c_str());
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, kConnectMs);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, kAnswerMs);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, Append);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer.body);
  if (!options_.ca_path.empty()) {
    curl_easy_setopt(curl, CURLOPT_CAINFO, options_.ca_path.c_str());
  }
  if (!options_.token.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BEARER);
    curl_easy_setopt(curl, CURLOPT_XOAUTH2_BEARER, options_.token.c_str());
  } else if (!options_.username.empty()) {
    curl_easy_setopt(curl, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
    curl_easy_setopt(curl, CURLOPT_USERNAME, options_.username.c_str());
    curl_easy_setopt(curl, CURLOPT_PASSWORD, options_.password.c_str());
  }
  const CURLcode code = curl_easy_perform(curl);
  if (code == CURLE_WRITE_ERROR) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("the registry's answer has more than {} bytes", kAnswerBytesMax)};
  }
  if (code != CURLE_OK) {
    return Retriable(ErrorCode::kUnavailable,
                     fmt::format("the schema registry {} does not answer: {}; check registry.url, "
                                 "registry.ca_path, and whether the registry runs",
                                 options_.url, curl_easy_strerror(code)));
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &answer.status);
  return answer;
}

Error SchemaRegistry::Unexpected(const Answer& answer, const std::string& path) const {
  const std::string found =
      fmt::format("the schema registry {} answers {} to {}", options_.url, answer.status, path);
  if (answer.status == kUnauthorized || answer.status == kForbidden) {
    return Retriable(ErrorCode::kAuth,
                     found +
                         ": it does not let this user in; check registry.username and "
                         "registry.password, or registry.token");
  }
  if (answer.status == kNotFoundStatus || answer.status == kOk) {
    return Retriable(
        ErrorCode::kUnavailable,
        fmt::format("{}, which is not what a schema registry says; check registry.url: "
                    "it must lead to the API of the registry, with its path, such as "
                    "http://host:8081 or http://host:8080/apis/ccompat/v7",
                    found));
  }
  return Retriable(ErrorCode::kUnavailable, found + "; its own log says why");
}

Result<void> SchemaRegistry::Check() {
  const std::string path = "/schemas/types";
  NEARDUP_ASSIGN(const Answer answer, Get(path));
  const bool list = nlohmann::json::parse(answer.body, nullptr, false).is_array();
  return answer.status == kOk && list ? Result<void>() : Unexpected(answer, path);
}

Result<RegisteredSchema> SchemaRegistry::Fetch(uint32_t id) {
  RegisteredSchema schema;
  NEARDUP_TRY(Read(fmt::format("/schemas/ids/{}", id), 0, schema));
  return schema;
}

Result<void> SchemaRegistry::Read(const std::string& path, int depth, RegisteredSchema& into) {
  using nlohmann::json;
  if (depth > kReferencesDepthMax || into.texts.size() >= kTextsMax) {
    return Error{ErrorCode::kBadInput,
                 fmt::format("it refers to more than {} schemas, or over more than {} levels",
                             kTextsMax, kReferencesDepthMax)};
  }
  NEARDUP_ASSIGN(const Answer answer, Get(path));
  const json body = json::parse(answer.body, nullptr, false);
  const auto has_text = [&body](const char* key) {
    return body.is_object() && body.contains(key) && body[key].is_string();
  };
  if (answer.status == kNotFoundStatus && body.is_object() &&
      body.value("error_code", json()) == kSchemaNotFound) {
    return Error{ErrorCode::kNotFound, "the registry has no such schema"};
  }
  if (answer.status != kOk || !has_text("schema")) return Unexpected(answer, path);
  // What it refers to comes first. A schema that two others refer to is read once.
  const json references = body.value("references", json::array());
  for (const json& reference : references.is_array() ? references : json::array()) {
    const bool whole = reference.is_object() && reference.contains("subject") &&
                       reference["subject"].is_string() && reference.contains("version") &&
                       reference["version"].is_number_integer();
    if (!whole) return Unexpected(answer, path);
    NEARDUP_TRY(Read(fmt::format("/subjects/{}/versions/{}",
                                 InPath(reference["subject"].get_ref<const std::string&>()),
                                 reference["version"].get<int64_t>()),
                     depth + 1, into));
  }
  into.type = has_text("schemaType") ? body["schemaType"].get<std::string>() : "AVRO";
  std::string text = body["schema"].get<std::string>();
  if (std::ranges::find(into.texts, text) == into.texts.end())
    into.texts.push_back(std::move(text));
  return {};
}

}  // namespace neardup
