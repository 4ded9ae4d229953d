// A model file, and the profile that it may hold.
#include <cmath>

#include "fuzz/fuzz_target.h"
#include "learn/drift.h"
#include "learn/model_file.h"
#include "learn/profile_text.h"

namespace neardup {

std::vector<std::string> Seeds() {
  StreamProfile profile;
  profile.records = 300;
  profile.unique = profile.sketched = profile.lengths[4] = 290;
  profile.ones.fill(150);
  profile.fields = {{"text", 280, 270}};
  return {ModelText(Model()), R"({"neardup_model":1})", ProfileText(profile)};
}

void CheckProfile(std::string_view text) {
  const std::optional<StreamProfile> profile = ParseProfile(text);
  if (!profile) return;
  Require(ParseProfile(ProfileText(*profile)) == profile,
          "a profile differs after it was written and read");
  for (const AspectDrift& aspect : Compare(*profile, *profile)) {
    Require(std::abs(aspect.ratio) < 1e-6, "a profile has drifted away from itself");
  }
}

}  // namespace neardup

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace neardup;
  CheckProfile(TextOf(data, size));
  const Result<Model> model = ParseModel(TextOf(data, size), "fuzz");
  if (!model.ok()) {
    Require(model.error().code == ErrorCode::kConfig, "a refusal has another code");
    return 0;
  }
  const Result<Model> again = ParseModel(ModelText(*model), "fuzz");
  Require(again.ok() && *again == *model, "a model differs after it was written and read");
  return 0;
}
