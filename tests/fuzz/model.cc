// A model file, and the profile that it may hold.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "fuzz/fuzz_target.h"
#include "learn/drift.h"
#include "learn/model_file.h"

namespace neardup {
namespace {

std::vector<std::string> Seeds() {
  StreamProfile profile;
  profile.records = 300;
  profile.unique = profile.sketched = profile.lengths[4] = 290;
  profile.ones.fill(150);
  profile.fields = {{"text", 280, 270}};
  Model model;
  model.centre[5] = -65'536;
  model.common = {1, 0x0123456789abcdef};
  return {ModelText(Model()), ModelText(model), R"({"neardup_model":1})", ProfileText(profile)};
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

void Run(std::string_view text) {
  CheckProfile(text);
  const Result<Model> model = ParseModel(text, "fuzz");
  if (!model.ok()) {
    Require(model.error().code == ErrorCode::kConfig, "a refusal has another code");
    return;
  }
  for (const int32_t value : model->centre) {
    Require(std::abs(value) <= 65'536, "a centre is out of range");
  }
  Require(std::ranges::is_sorted(model->common), "the common triples are not in order");
  const Result<Model> again = ParseModel(ModelText(*model), "fuzz");
  Require(again.ok() && *again == *model, "a model differs after it was written and read");
}

}  // namespace

extern const FuzzTarget kModelTarget{"model", Seeds, Run};

}  // namespace neardup
