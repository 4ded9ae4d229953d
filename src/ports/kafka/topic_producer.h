// A producer of records for any topics.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kafka/producer.h"
#include "lane/message.h"

namespace neardup {

/// Keeps the first failed delivery. Flush returns that error. Write returns it after at most 1,000
/// more records, when it next reads the library's reports. One thread.
class TopicProducer {
 public:
  /// Waiting for room in the library's queue, or for deliveries, may take `timeout_ms`.
  static Result<std::unique_ptr<TopicProducer>> New(const KafkaOptions& options, ClientRole role,
                                                    const KafkaLog& log, int timeout_ms,
                                                    const Properties& extra = {});
  TopicProducer(const TopicProducer&) = delete;
  TopicProducer& operator=(const TopicProducer&) = delete;

  /// Takes a copy of key, value, timestamp and these headers; a timestamp of -1 becomes the time of
  /// writing.
  Result<void> Write(const std::string& topic, int32_t partition, const Message& message,
                     const std::vector<HeaderView>& headers);
  Result<void> Flush();
  /// Repeats a call of the library while the brokers are unavailable.
  template <class Call>
  Result<void> Retry(Call call, const std::string& doing) {
    return producer_->Retry(
        call, Deadline(timeout_ms_), doing, [&](const rd_kafka_error_t& refused) {
          return failed_ ? *failed_ : client_->diagnosis().Explain(FromKafka(refused, doing));
        });
  }

  Client& client() { return *client_; }

 private:
  explicit TopicProducer(int timeout_ms) : timeout_ms_(timeout_ms) {}
  void Report(const rd_kafka_message_t& message);

  int timeout_ms_;
  std::shared_ptr<Client> client_;
  std::map<std::string, TopicHandle> topics_;  ///< freed before their client
  std::optional<Error> failed_;
  std::optional<Producer> producer_;
};

}  // namespace neardup
