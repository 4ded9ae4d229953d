#include "service/metrics/live_page.h"

#include <fmt/format.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "detect/base/quantity.h"
#include "explain/html.h"

namespace neardup {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kUnknown = "not known";

std::string Heading(std::string_view text) {
  return fmt::format("<h2>{}</h2>\n", EscapeHtml(text));
}

/// A value of the status as people write it.
std::string TextOf(const Json& value) {
  if (value.is_null()) return kUnknown;
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_unsigned()) return Grouped(value.get<uint64_t>());
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string BytesOf(const Json& value) {
  return value.is_null() ? kUnknown : fmt::format("{:.1f} MiB", value.get<double>() / kMiB);
}

/// Names and values in two columns.
class Facts {
 public:
  void Add(const char* name, std::string value) { table_.AddRow({name, std::move(value)}); }
  std::string Html() const { return table_.Html(); }

 private:
  HtmlTable table_{{{""}, {""}}};
};

std::string StateBox(const Json& lane, const HealthAnswer& ready) {
  std::string box =
      fmt::format("<div class=\"verdict{}\"><strong>{}</strong>\n{}{}", ready.ok ? "" : " unclear",
                  EscapeHtml(TextOf(lane["state"])),
                  ready.text == lane["state"] ? "" : HtmlParagraph(ready.text),
                  HtmlParagraph(fmt::format("since {}; last commit {}", TextOf(lane["since"]),
                                            TextOf(lane["last_commit"])),
                                "muted"));
  if (const Json& loss = lane["last_loss"]; !loss.is_null()) {
    box += HtmlParagraph(fmt::format("The lane was lost {}, the last time at {}: {}",
                                     Counted(lane["losses"].get<uint64_t>(), "time"),
                                     TextOf(loss["at"]), TextOf(loss["error"])));
  }
  return box + "</div>\n";
}

std::string Verdicts(const Json& verdicts, std::span<const VerdictMinute> minutes) {
  constexpr std::array<const char*, 4> kNames = {"unique", "exact_duplicate", "near_duplicate",
                                                 "dead_letter"};
  double all = 0;
  for (const char* name : kNames) all += verdicts[name].get<double>();
  HtmlTable table({{"verdict"}, {"records", true}, {"share", true}});
  for (const char* name : kNames) {
    const auto count = verdicts[name].get<uint64_t>();
    std::string label = name;
    std::replace(label.begin(), label.end(), '_', ' ');
    const double share = all == 0 ? 0 : static_cast<double>(count) / all;
    table.AddRow({label, Grouped(count), fmt::format("{:.1f} %", 100 * share)});
  }
  std::string html = table.Html();
  html += HtmlParagraph(
      fmt::format(
          "Records that this process has decided since its start. {} of the unique ones are "
          "suspects, {} records came late, and {} had a time in the future.",
          TextOf(verdicts["suspect"]), TextOf(verdicts["late"]), TextOf(verdicts["clamped"])),
      "muted");
  if (minutes.empty()) return html;
  StackedBars bars{.title = "records in each minute by verdict",
                   .series = {{"unique", "other"},
                              {"exact duplicate", "near"},
                              {"near duplicate", "choice"},
                              {"dead letter", "ink"}},
                   .stacks = {}};
  for (const VerdictMinute& minute : minutes) {
    bars.stacks.push_back({minute.at, {minute.unique, minute.exact, minute.near, minute.dead}});
  }
  return html + StackedBarsChart(bars);
}

std::string Inputs(const Json& status) {
  std::string html;
  for (const Json& topic : status["missing_topics"]) {
    html += HtmlParagraph(fmt::format("Input topic {} does not exist.", TextOf(topic)));
  }
  if (status["inputs"].empty()) {
    return html + HtmlParagraph("Only the active instance reads inputs.", "muted");
  }
  HtmlTable table(
      {{"input"}, {"next offset", true}, {"lag in records", true}, {"age", true}, {""}});
  for (const Json& input : status["inputs"]) {
    table.AddRow({fmt::format("{}/{}", TextOf(input["topic"]), TextOf(input["partition"])),
                  TextOf(input["next_offset"]), TextOf(input["lag_records"]),
                  fmt::format("{:.1f} s", input["lag_seconds"].get<double>()),
                  input["unreachable"].get<bool>() ? "not reachable" : ""});
  }
  return html + table.Html();
}

std::string Memory(const Json& status) {
  Facts facts;
  if (const Json& index = status["index"]; !index.is_null()) {
    const double full =
        index["entries"].get<double>() / std::max(1.0, index["entries_max"].get<double>());
    facts.Add("entries", fmt::format("{} of {} ({:.1f} %)", TextOf(index["entries"]),
                                     TextOf(index["entries_max"]), 100 * full));
    facts.Add("memory of the index", BytesOf(index["bytes"]));
    facts.Add("oldest entry", TextOf(index["oldest"]));
    facts.Add("watermark", TextOf(index["watermark"]));
    facts.Add("forgotten by age", TextOf(index["expired"]));
    facts.Add("evicted for lack of room", TextOf(index["evicted"]));
  }
  facts.Add("bound on memory", BytesOf(status["memory_bound_bytes"]));
  const Json& snapshot = status["snapshot"];
  facts.Add("snapshot", snapshot.is_null()
                            ? "none yet"
                            : fmt::format("{} entries, {}", TextOf(snapshot["entries"]),
                                          TextOf(snapshot["written"])));
  if (const Json& failure = status["changelog"]["last_failure"]; !failure.is_null()) {
    facts.Add("last failure of the snapshot",
              fmt::format("{}: {}", TextOf(failure["at"]), TextOf(failure["error"])));
  }
  return facts.Html();
}

/// The settings that are no objects, by their path.
void AddSettings(const Json& part, const std::string& path, HtmlTable& table) {
  for (const auto& [name, value] : part.items()) {
    const std::string below = path.empty() ? name : path + "." + name;
    if (value.is_object()) {
      AddSettings(value, below, table);
    } else {
      table.AddRow({below, TextOf(value)});
    }
  }
}

std::string InForce(const Json& status) {
  std::string html;
  if (const Json& in_force = status["in_force"]; !in_force.is_null()) {
    html += HtmlParagraph(TextOf(in_force["compared"]));
    for (const Json& reason : in_force["learned"]) html += HtmlParagraph(TextOf(reason), "muted");
  }
  if (!status.contains("settings")) return html;
  HtmlTable table({{"setting"}, {"value"}});
  AddSettings(status["settings"], "", table);
  return html + "<details><summary>All settings</summary>\n" + table.Html() + "</details>\n";
}

std::string Sha256Of(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned size = 0;
  EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr);
  std::array<unsigned char, 2 * EVP_MAX_MD_SIZE> encoded;
  const int length = EVP_EncodeBlock(encoded.data(), digest.data(), static_cast<int>(size));
  return {reinterpret_cast<const char*>(encoded.data()), static_cast<size_t>(length)};
}

}  // namespace

std::string LivePage(std::string_view status_text, std::span<const VerdictMinute> minutes,
                     const HealthAnswer& ready) {
  const Json status = Json::parse(status_text);
  const Json& version = status["version"];
  std::string body = StateBox(status["lane"], ready);
  body += Heading("Verdicts") + Verdicts(status["verdicts"], minutes);
  body += Heading("Inputs") + Inputs(status);
  body += Heading("Memory") + Memory(status);
  body += Heading("Settings in force") + InForce(status);
  body += HtmlParagraph(fmt::format("neardup {} ({}), started {}", TextOf(version["neardup"]),
                                    TextOf(version["revision"]), TextOf(status["started"])),
                        "muted");
  body +=
      "<p class=\"muted\"><a href=\"/?still\">without reloading</a> <a "
      "href=\"/status\">/status</a> <a href=\"/metrics\">/metrics</a> "
      "<a href=\"/readyz\">/readyz</a> <a href=\"/healthz\">/healthz</a></p>\n";
  const std::string app =
      status.contains("settings") ? TextOf(status["settings"].value("app", Json())) : "";
  return HtmlPage("neardup " + app, body);
}

std::string_view LivePageHeaders(bool refreshes) {
  static constexpr std::string_view kRefresh = "Refresh: 5\r\n";
  static const std::string headers = fmt::format(
      "{}Cache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
      "Referrer-Policy: no-referrer\r\nContent-Security-Policy: default-src 'none'; "
      "style-src 'sha256-{}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'\r\n",
      kRefresh, Sha256Of(HtmlStyle()));
  return std::string_view(headers).substr(refreshes ? 0 : kRefresh.size());
}

}  // namespace neardup
