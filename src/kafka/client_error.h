// librdkafka's error codes in the project's words.
#pragma once

#include <string>

#include "kafka/handle.h"
#include "neardup/result.h"

namespace neardup {

/// The broker, or a proxy before it, refused who we are or what we want to do.
bool IsRefusedAccess(rd_kafka_resp_err_t code);

/// "<doing>: <detail>" with the code's meaning. `detail` empty: the library's text of the code.
Error FromKafka(rd_kafka_resp_err_t code, const std::string& doing, const std::string& detail = "");

/// The same of an error object; takes its flags (fatal, abortable, retriable) into account.
Error FromKafka(const rd_kafka_error_t& error, const std::string& doing);

}  // namespace neardup
