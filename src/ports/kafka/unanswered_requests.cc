#include "kafka/unanswered_requests.h"

#include <fmt/format.h>

#include <string_view>

namespace neardup {
namespace {

struct Kind {
  int16_t api_key;  ///< in Kafka's protocol
  std::string_view name;
  bool harms_after_commit;
};

constexpr std::array<Kind, 5> kKindRows = {{
    {0, "Produce", false},
    {24, "AddPartitionsToTxn", false},
    {25, "AddOffsetsToTxn", false},
    {26, "EndTxn", true},
    {28, "TxnOffsetCommit", true},
}};

std::string Text(std::string_view kind) {
  return fmt::format(
      "a connection broke before the broker had answered a request of the last transaction ({}). "
      "The request may still arrive, and would then change the next transaction",
      kind);
}

}  // namespace

void UnansweredRequests::Watch(rd_kafka_conf_t* conf) {
  rd_kafka_conf_interceptor_add_on_new(conf, "neardup", Made, this);
}

rd_kafka_resp_err_t UnansweredRequests::Made(rd_kafka_t* client, const rd_kafka_conf_t*, void* self,
                                             char*, size_t) {
  // The library calls this also when it gives up waiting for an answer: the connection broke, or
  // the time was over. It sends the request again only after that. Requests that it gives up
  // before it sends them count as well, because the library does not tell them apart.
  return rd_kafka_interceptor_add_on_response_received(
      client, "neardup",
      [](rd_kafka_t*, int, const char*, int32_t, int16_t api_key, int16_t, int32_t, size_t, int64_t,
         rd_kafka_resp_err_t error, void* requests) {
        if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
          static_cast<UnansweredRequests*>(requests)->Lose(api_key);
        }
        return RD_KAFKA_RESP_ERR_NO_ERROR;
      },
      self);
}

void UnansweredRequests::Lose(int16_t api_key) {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (kKindRows[kind].api_key == api_key) ++unanswered_[kind];
  }
}

void UnansweredRequests::StartTransaction() {
  for (size_t kind = 0; kind < kKinds; ++kind) before_[kind] = unanswered_[kind];
}

std::string UnansweredRequests::LateAfterCommit() const {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (kKindRows[kind].harms_after_commit && HasUnanswered(kind))
      return Text(kKindRows[kind].name);
  }
  return {};
}

std::string UnansweredRequests::LateAfterAbort() const {
  for (size_t kind = 0; kind < kKinds; ++kind) {
    if (HasUnanswered(kind)) return Text(kKindRows[kind].name);
  }
  return {};
}

}  // namespace neardup
