// How the values of topics are encoded, by the setting record.format.
#pragma once

#include <memory>

#include "neardup/options.h"
#include "stream/lane/encoded_source.h"

namespace neardup {

std::shared_ptr<PayloadEncodings> NewTopicEncodings(const RecordOptions& record);

}  // namespace neardup
