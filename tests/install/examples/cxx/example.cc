// Says which of some records repeat an earlier one.
#include <neardup/filter.h>

#include <cstdio>
#include <string>
#include <vector>

int main() {
  neardup::FilterOptions options;
  options.record.fields = {{"title"}, {"text", 2.0}};
  auto created = neardup::Filter::New(options);
  if (!created.ok()) {
    std::fprintf(stderr, "%s\n", created.error().text.c_str());
    return 1;
  }
  neardup::Filter& filter = **created;
  neardup::Fingerprinter fingerprinter(options);  // one for each thread
  const std::vector<std::string> payloads = {
      R"({"title": "Council approves the new harbour bridge after a long debate on its cost"})",
      R"({"title": "COUNCIL approves the <b>new</b> harbour bridge after a long debate on its cost"})",
      R"({"title": "Council approves the old harbour bridge after a long debate on its cost"})",
      R"({"title": "Rain is expected over the weekend in the north while the south stays dry"})",
      R"({"name": 1})"};
  for (size_t i = 0; i < payloads.size(); ++i) {
    const neardup::RecordView record{{0, static_cast<int64_t>(i)}, 1'700'000'000'000, payloads[i]};
    const neardup::Verdict verdict = filter.Decide(fingerprinter.Compute(record));
    std::printf("%zu %s", i, Name(verdict.decision));
    if (verdict.decision == neardup::Decision::kDuplicate) {
      std::printf(" of %d, %s, %d bits", static_cast<int>(verdict.match.original.offset),
                  Name(verdict.match.kind), verdict.match.distance);
    }
    std::printf("%s\n",
                verdict.outcome.error.empty() ? "" : (": " + verdict.outcome.error).c_str());
  }
  filter.Commit();
  std::printf("%d remembered\n", static_cast<int>(filter.entries()));
}
