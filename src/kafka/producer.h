// How every producer of ours waits: for room in the library's queue, for deliveries, for brokers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "kafka/client.h"
#include "kafka/errors.h"
#include "kafka/kafka_options.h"
#include "neardup/result.h"
#include "stream/lane/ports.h"

namespace neardup {

// A record in the form that librdkafka's producer takes.

/// Borrows key and value until Send. Send copies the key, and the value unless `lends_value` is
/// set. Owns copies of its headers.
///
///   OutgoingRecord record{.topic = topic, .partition = 0, .key = key, .value = value};
///   NEARDUP_TRY(AddHeaders(headers, record));
///   const rd_kafka_resp_err_t code = Send(producer, record);
struct OutgoingRecord {
  rd_kafka_topic_t* topic = nullptr;
  int32_t partition = 0;
  std::optional<std::string_view> key{};
  std::optional<std::string_view> value{};
  /// Milliseconds since 1970; nullopt stands for the time of sending. The library cannot send 0,
  /// so a record stamped 0 leaves with 1.
  std::optional<int64_t> timestamp_ms{};
  /// If true, Send does not copy the value. The caller keeps it until the record is delivered or
  /// has failed.
  bool lends_value = false;
  /// Comes back with a failed delivery.
  void* tag = nullptr;
  HeadersHandle headers{};
};

/// Appends copies of `headers` to the headers of the record.
Result<void> AddHeaders(const std::vector<HeaderView>& headers, OutgoingRecord& record);

/// Hands the record to the producer. May be called again after an error, and only then.
rd_kafka_resp_err_t Send(rd_kafka_t* producer, OutgoingRecord& record);

/// A long wait consists of short slices. After each slice, Send and Flush read the library's
/// reports and return the error of `failed`, if there is one. One thread at a time.
class Producer {
 public:
  /// Returns the first failed delivery that the client's hook was told of; success while there is
  /// none.
  using Failed = std::function<Result<void>()>;
  /// Turns a refused call into an error.
  using Explain = std::function<Error(const rd_kafka_error_t& refused)>;

  /// The longest that one call of Retry may take.
  static constexpr int kCallMs = 1000;

  Producer(std::shared_ptr<Client> client, Failed failed)
      : client_(std::move(client)), failed_(std::move(failed)) {}

  /// Reads the library's reports for up to `timeout_ms`, and returns the error of `failed`.
  Result<void> ReadReports(int timeout_ms);
  /// Hands the record to the library. While the library's queue is full, waits for at most
  /// `timeout_ms`. Returns the code of the last try. Reads the reports at least once in 1,000
  /// records.
  Result<rd_kafka_resp_err_t> Send(OutgoingRecord& record, int timeout_ms);
  /// Waits for at most a slice; true when no record is in flight any more.
  Result<bool> FlushSlice(const Deadline& deadline);
  Result<void> Flush(const Deadline& deadline);
  /// The error that makes the client unusable, if there is one.
  Result<void> CheckFatal(std::string_view doing) const;
  /// Repeats `call` while it fails with kUnavailable and the brokers do not refuse the login.
  /// `call` returns an rd_kafka_error_t* and takes at most kCallMs. After the deadline, an error
  /// that is still kUnavailable gets the code `when_late`. Reads the reports, but does not ask
  /// `failed`.
  template <class Call>
  Result<void> Retry(Call call, const Deadline& deadline, std::string_view doing,
                     const Explain& explain, ErrorCode when_late = ErrorCode::kUnavailable) {
    while (true) {
      const ErrorHandle refused(call());
      if (!refused) {
        client_->diagnosis().Answered();
        return {};
      }
      rd_kafka_poll(client_->get(), 0);  // reads the report that holds the reason
      const Error error = FromKafka(*refused, doing);
      if (error.code != ErrorCode::kUnavailable || client_->diagnosis().LoginRefused()) {
        return explain(*refused);
      }
      if (!deadline.passed()) continue;
      Error late = client_->diagnosis().Explain(error);
      if (late.code == ErrorCode::kUnavailable) late.code = when_late;
      return late;
    }
  }

 private:
  std::shared_ptr<Client> client_;
  Failed failed_;
  uint32_t sent_ = 0;
};

}  // namespace neardup
