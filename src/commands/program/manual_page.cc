#include "commands/program/manual_page.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace neardup {
namespace {

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
    {"129, 130, 131, 143, 152",
     "SIGHUP, SIGINT, SIGQUIT, SIGTERM or SIGXCPU (the limit of CPU time) stopped a command that "
     "reads and writes files before its end; `run` and `demo` exit with 0 after SIGINT and "
     "SIGTERM, and SIGHUP makes `run` read its configuration again"},
};

}  // namespace

std::span<const ExitCodeRow> ExitCodeRows() { return kExitCodes; }

namespace {

constexpr std::string_view kHead = R"(.TH NEARDUP 1 "" "neardup" "User commands"
.SH NAME
neardup \- near-duplicate filter for Kafka topics
.SH SYNOPSIS
.B neardup
.I command
.RI [ options ]
.SH DESCRIPTION
.B neardup
recognises records that repeat an earlier one with small changes.
It writes every record of its input topics, unchanged, to a topic of unique records, of duplicates or of dead letters.
Nothing is lost and nothing is written twice, even through a crash.
.PP
.BI "neardup help " command
prints the options of a command.
)";
constexpr std::string_view kTail = R"(.SH FILES
.TP
.I /etc/neardup/neardup.yaml
The configuration that neardup.service reads.
.TP
.I /usr/share/doc/neardup/examples
neardup.yaml with every setting, its default and its range; examples for kinds of streams; a sample of records.
.TP
.I /var/lib/neardup
A copy of the changelog, for fast starts. If it is lost, a start takes longer, and no verdict changes.
.SH ENVIRONMENT
.TP
.B NEARDUP_SECTION__KEY
sets the setting
.IR section.key .
It overrides the file, and the command line overrides it.
)";
constexpr std::string_view kExamples = R"(.SH EXAMPLES
Start the service after you have named brokers, topics and fields in the configuration:
.PP
.RS
.nf
neardup validate \-\-config /etc/neardup/neardup.yaml
systemctl enable \-\-now neardup
neardup healthcheck
.fi
.RE
.PP
Check what it wrote:
.PP
.RS
.nf
neardup verify \-\-config /etc/neardup/neardup.yaml
.fi
.RE
)";

/// Text of one line, as roff reads it.
std::string Roff(std::string_view text) {
  std::string escaped;
  if (text.starts_with('.') || text.starts_with('\'')) escaped = "\\&";
  for (const char c : text) {
    if (c == '\\') {
      escaped += "\\e";
    } else if (c == '-') {
      escaped += "\\-";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

std::string OptionText(const OptionNode& option) {
  std::string names =
      fmt::format("\\fB{}\\fR", Roff(fmt::format("{}", fmt::join(option.names, ", "))));
  if (!option.value.empty()) names += fmt::format(" \\fI{}\\fR", Roff(option.value));
  return fmt::format(".TP\n{}\n{}{}\n", names, Roff(option.help),
                     option.required ? " (required)" : "");
}

void AppendOptions(const CommandNode& node, std::string& text) {
  if (node.commands.empty()) {
    std::string options;
    for (const OptionNode& option : node.options) {
      if (option.names.back() != "--help") options += OptionText(option);
    }
    text +=
        fmt::format(".SS \"{}{}{}\"\n{}.\n", Roff(node.name), options.empty() ? "" : " [options]",
                    node.words.empty() ? "" : " " + node.words, Roff(node.help));
    text += options;
    std::string examples;
    for (const std::string& example : node.examples) examples += Roff(example) + '\n';
    if (!examples.empty()) text += fmt::format(".PP\n.RS\n.nf\n{}.fi\n.RE\n", examples);
  }
  for (const CommandNode& command : node.commands) AppendOptions(command, text);
}

}  // namespace

std::string ManualPage(const CommandNode& program) {
  std::string text(kHead);
  text += ".SH COMMANDS\n";
  for (const CommandNode& command : program.commands) {
    text += fmt::format(".TP\n.B {}\n{}.\n", command.word(), Roff(command.help));
  }
  text += ".SH OPTIONS\n";
  AppendOptions(program, text);
  text += kTail;
  text += ".SH \"EXIT STATUS\"\n";
  for (const ExitCodeRow& row : ExitCodeRows()) {
    text += fmt::format(".TP\n.B {}\n{}\n", row.code, Roff(row.meaning));
  }
  return text + std::string(kExamples);
}

}  // namespace neardup
