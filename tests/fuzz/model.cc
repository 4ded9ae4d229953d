// A model file.
#include "fuzz/fuzz_target.h"
#include "learn/model_file.h"

namespace neardup {

std::vector<std::string> Seeds() { return {ModelText(Model()), R"({"neardup_model":1})"}; }

}  // namespace neardup

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace neardup;
  const Result<Model> model = ParseModel(TextOf(data, size), "fuzz");
  if (!model.ok()) {
    Require(model.error().code == ErrorCode::kConfig, "a refusal has another code");
    return 0;
  }
  const Result<Model> again = ParseModel(ModelText(*model), "fuzz");
  Require(again.ok() && *again == *model, "a model differs after it was written and read");
  return 0;
}
