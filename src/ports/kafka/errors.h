// What the errors of librdkafka mean to us.
#pragma once

#include <string_view>

#include "kafka/handle.h"
#include "neardup/result.h"

namespace neardup {

/// True when the broker, or a proxy in front of it, refuses our login, or we refuse its
/// certificate.
bool IsRefusedLogin(rd_kafka_resp_err_t code);
/// True when the broker accepts our login but refuses the operation, because a right is missing.
bool IsMissingRight(rd_kafka_resp_err_t code);
/// One of the two.
bool IsRefusedAccess(rd_kafka_resp_err_t code);

/// An error of the library as "<doing>: <detail>". An empty `detail` stands for the library's text
/// of the code.
Error FromKafka(rd_kafka_resp_err_t code, std::string_view doing, std::string_view detail = "");
/// The same for an error object. The result also follows its flags (fatal, abortable, retriable).
Error FromKafka(const rd_kafka_error_t& error, std::string_view doing);

}  // namespace neardup
