// Asks a schema registry, such as Confluent's or Apicurio, for schemas.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "neardup/result.h"

namespace neardup {

struct RegistryOptions {
  std::string url;  ///< of the API, such as http://localhost:8081; empty: there is no registry
  std::string username;
  std::string password;
  std::string token;    ///< a bearer token, instead of name and password
  std::string ca_path;  ///< PEM file with authorities; empty: the system has them
};

struct RegisteredSchema {
  std::string type = "AVRO";       ///< or JSON, or PROTOBUF
  std::vector<std::string> texts;  ///< what the schema refers to, in order, and then the schema
};

/// One thread at a time. Each call takes a few seconds at most, and keeps the connection.
class SchemaRegistry {
 public:
  explicit SchemaRegistry(RegistryOptions options);
  ~SchemaRegistry();

  /// kNotFound: the registry says that it has no such schema. kBadInput: the schema is too large.
  /// Any other error is retriable, names the registry, and says what to do.
  Result<RegisteredSchema> Fetch(uint32_t id);
  /// Whether a registry answers at the URL, and lets this user in.
  Result<void> Check();

 private:
  struct Answer {
    long status = 0;
    std::string body;
  };
  struct Connection;

  Result<Answer> Get(const std::string& path);
  Error Unexpected(const Answer& answer, const std::string& path) const;
  /// The schema at a path, after those that it refers to.
  Result<void> Read(const std::string& path, int depth, RegisteredSchema& into);

  RegistryOptions options_;
  std::unique_ptr<Connection> connection_;
};

}  // namespace neardup
