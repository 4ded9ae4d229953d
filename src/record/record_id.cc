#include "record/record_id.h"

namespace neardup {

RecordIdReader::RecordIdReader(const std::string& id_field) {
  if (id_field.empty()) return;
  RecordOptions options;
  options.fields = {{id_field, 1.0}};
  extractor_ = std::make_unique<FieldExtractor>(options);
}

std::string_view RecordIdReader::FieldText(std::string_view payload) {
  if (!extractor_) return {};
  const ExtractedRecord& record = extractor_->Extract({{}, 0, payload});
  const bool found = record.reason == Reason::kNone && record.pieces.size() == 1;
  return found ? record.pieces[0].text : std::string_view();
}

std::string RecordIdReader::Read(std::string_view payload, int64_t line) {
  const std::string_view text = FieldText(payload);
  return text.empty() ? std::to_string(line) : std::string(text);
}

}  // namespace neardup
