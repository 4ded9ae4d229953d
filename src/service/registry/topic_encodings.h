// How the values of topics are encoded, by the settings record.format and registry.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>

#include "neardup/options.h"
#include "service/registry/schema_registry.h"
#include "stream/lane/encoded_source.h"

namespace neardup {

/// About how much memory the schemas take that are remembered. If they take more, all are
/// forgotten, and asked for again.
inline constexpr uint64_t kSchemaBytesMax = uint64_t{16} << 20;

/// With a registry, schemas are also kept as files below `state_dir`, unless it is empty. Connects
/// to nothing before a value needs a schema.
std::shared_ptr<PayloadEncodings> NewTopicEncodings(const RecordOptions& record,
                                                    const RegistryOptions& registry,
                                                    const std::filesystem::path& state_dir);

}  // namespace neardup
