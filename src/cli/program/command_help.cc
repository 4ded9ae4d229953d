#include "program/command_help.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "schemes/schemes.h"

namespace neardup {
namespace {

constexpr CommandExample kExamples[] = {
    {"neardup run", "neardup run --config neardup.yaml"},
    {"neardup run", "neardup run --brokers localhost:9092 --input articles --fields title,text"},
    {"neardup filter",
     "neardup filter --input articles.jsonl --fields title,text --unique unique.jsonl"},
    {"neardup filter",
     "neardup filter --config articles.yaml --input articles.jsonl.gz --pairs pairs.jsonl.gz"},
    {"neardup filter",
     "tail -f app.log.jsonl | neardup filter --input - --fields message --line-mode"},
    {"neardup learn",
     "neardup learn --sample articles.jsonl --fields title,text --output articles.model.json"},
    {"neardup tune", "neardup tune --sample articles.jsonl --output articles.yaml"},
    {"neardup tune",
     "neardup tune --brokers localhost:9092 --topic articles --output articles.yaml"},
    {"neardup tune",
     "neardup tune --sample articles.jsonl --labels marked.jsonl --output articles.yaml"},
    {"neardup tune", "neardup tune --compare articles.yaml --sample newer.jsonl"},
    {"neardup evaluate", "neardup evaluate --data labelled/ --fields title,text"},
    {"neardup evaluate",
     "neardup evaluate --data labelled/ --scheme neardup,minhash:similarity_min=0.8"},
    {"neardup explain", "neardup explain a.json b.json --fields title,text"},
    {"neardup explain",
     "neardup explain articles.jsonl:1 articles.jsonl:7 --config articles.yaml --html pair.html"},
    {"neardup explain", "neardup explain articles.duplicate/0/17 --config articles.yaml"},
    {"neardup test", "neardup test cases.jsonl --config articles.yaml"},
    {"neardup generate",
     "neardup generate --input articles.jsonl --fields title,text --output planted.jsonl --labels "
     "labels.tsv"},
    {"neardup demo", "neardup demo --records 5000"},
    {"neardup report", "neardup report --config neardup.yaml --since 24h"},
    {"neardup verify", "neardup verify --config neardup.yaml"},
    {"neardup verify", "neardup verify --config neardup.yaml --since 2h"},
    {"neardup replay",
     "neardup replay --config neardup.yaml --dead-letter articles.dead-letter --execute"},
    {"neardup reset", "neardup reset --config neardup.yaml --input articles/0 --to 5000 --execute"},
    {"neardup reindex", "neardup reindex --config neardup.yaml --execute"},
    {"neardup import", "neardup import --from /lake/dedup/1 --config neardup.yaml --execute"},
    {"neardup lanes migrate", "neardup lanes migrate --config neardup.yaml --to 8 --execute"},
    {"neardup snapshot inspect", "neardup snapshot inspect --state-dir /var/lib/neardup"},
    {"neardup snapshot verify", "neardup snapshot verify --state-dir /var/lib/neardup"},
    {"neardup snapshot index", "neardup snapshot index --config neardup.yaml"},
    {"neardup snapshot find", "neardup snapshot find --config neardup.yaml --record a.json"},
    {"neardup validate", "neardup validate --config neardup.yaml"},
    {"neardup config show", "neardup config show --config neardup.yaml --origin"},
    {"neardup config schema", "neardup config schema > neardup.schema.json"},
    {"neardup config example", "neardup config example > neardup.yaml"},
    {"neardup config reference", "neardup config reference"},
    {"neardup healthcheck", "neardup healthcheck --config neardup.yaml"},
    {"neardup healthcheck", "neardup healthcheck --url http://127.0.0.1:9404/readyz"},
    {"neardup completion", "source <(neardup completion bash)"},
    {"neardup manual", "neardup manual | man -l -"},
    {"neardup version", "neardup version"},
    {"neardup help", "neardup help config show"},
};

constexpr ExitCodeRow kExitCodes[] = {
    {"0", "success"},
    {"1",
     "the answer is no: `verify` found a violation, `snapshot` found damage, `explain` found no "
     "duplicate, `test` found another verdict than expected, `healthcheck` got another answer than "
     "200, `tune --compare` found settings that "
     "no longer fit"},
    {"64", "wrong arguments"},
    {"65", "the input is of another format, or none of its records can be compared"},
    {"66", "a named file or topic does not exist"},
    {"69", "a broker or server does not answer"},
    {"70", "internal error, or a stop that took too long"},
    {"74", "reading or writing failed, or bytes do not have the documented form"},
    {"77", "credentials or permissions refused"},
    {"78", "the configuration is wrong, or the state belongs to another configuration"},
    {"129, 130, 143",
     "SIGHUP, SIGINT or SIGTERM stopped a command that reads and writes files before its end; "
     "`run` and `demo` exit with 0 after the last two, and SIGHUP makes `run` read its "
     "configuration again"},
};

std::string ExitCodesText() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeRow& row : kExitCodes)
    text += fmt::format("  {:<14} {}\n", row.code, row.meaning);
  return text;
}

}  // namespace

std::span<const CommandExample> CommandExamples() { return kExamples; }
std::span<const ExitCodeRow> ExitCodeRows() { return kExitCodes; }

std::string HelpFooter(std::string_view command) {
  if (command == "neardup") {
    return ExitCodesText() +
           "\n`neardup COMMAND --help` shows the options and examples of a command.";
  }
  std::string text;
  for (const CommandExample& example : kExamples) {
    if (example.command == command) text += fmt::format("  {}\n", example.line);
  }
  if (text.empty()) return text;
  text = "Examples:\n" + text;
  if (command == "neardup evaluate") {
    text += fmt::format("\nSchemes: neardup, {}\n", fmt::join(SchemeNames(), ", "));
  }
  return text + "\n`neardup --help` lists the exit codes.";
}

}  // namespace neardup
