// How every producer of ours waits: for room in the library's queue, for deliveries, for brokers.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

#include "kafka/client.h"
#include "kafka/deadline.h"
#include "kafka/errors.h"
#include "kafka/outgoing_record.h"
#include "neardup/result.h"

namespace neardup {

/// Long waits are cut into slices. Between two slices, the library's reports are heard, and
/// `failed` is asked. One thread at a time.
class Producer {
 public:
  /// The first failure of a delivery that the client's hook has heard; success while there is none.
  using Failed = std::function<Result<void>()>;
  /// Turns a refused call into an error.
  using Explain = std::function<Error(const rd_kafka_error_t& refused)>;

  Producer(std::shared_ptr<Client> client, Failed failed)
      : client_(std::move(client)), failed_(std::move(failed)) {}

  /// Serves the library's reports for up to `timeout_ms`.
  Result<void> Hear(int timeout_ms);
  /// Hands the record to the library; waits while its queue is full, at most until the deadline.
  /// The code is that of the last try. Hears reports now and then.
  Result<rd_kafka_resp_err_t> Send(OutgoingRecord& record, int timeout_ms);
  /// Waits for at most a slice; true when no record is in flight any more.
  Result<bool> FlushSlice(const Deadline& deadline);
  Result<void> Flush(const Deadline& deadline);
  /// The error that makes the client unusable, if there is one.
  Result<void> CheckFatal(std::string_view doing) const;
  /// Repeats `call`, which gives an rd_kafka_error_t* and takes at most a slice, while it fails
  /// with kUnavailable. After the deadline the error gets the code `when_late`.
  template <class Call>
  Result<void> Retry(Call call, const Deadline& deadline, std::string_view doing,
                     const Explain& explain, ErrorCode when_late = ErrorCode::kUnavailable) {
    while (true) {
      const ErrorHandle refused(call());
      if (!refused) {
        client_->diagnosis().Answered();
        return {};
      }
      rd_kafka_poll(client_->get(), 0);  // hears the reason
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
