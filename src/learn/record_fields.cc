#include "learn/record_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>
#include <unordered_map>

#include "detect/feature/character.h"
#include "detect/record/json_syntax.h"

namespace neardup {
namespace {

/// Collects the fields below a value.
class Walk {
 public:
  explicit Walk(std::vector<RecordField>& fields) : fields_(fields) {}

  void Visit(const auto& value) {
    if (value.is_object()) {
      for (const auto& member : value.items()) Enter(member.key(), member.value());
    } else if (value.is_array()) {
      const bool structured =
          std::ranges::any_of(value, [](const auto& item) { return item.is_structured(); });
      if (!structured) Take(value);
      for (const auto& item : value) {
        if (structured) Enter(std::string(kAnyElement), item);
      }
    } else {
      Take(value);
    }
  }

 private:
  void Enter(const std::string& key, const auto& value) {
    path_.push_back(key);
    Visit(value);
    path_.pop_back();
  }

  /// A scalar, or an array of scalars.
  void Take(const auto& value) {
    RecordField& field = FieldHere();
    if (!value.is_array()) return Append(value, field);
    for (const auto& item : value) Append(item, field);
  }

  static void Append(const auto& scalar, RecordField& field) {
    if (scalar.is_null()) return;
    if (field.items++ == 0) {
      field.number = scalar.is_number();
    } else {
      field.text += '\n';
    }
    field.text +=
        scalar.is_string() ? scalar.template get_ref<const std::string&>() : scalar.dump();
  }

  RecordField& FieldHere() {
    std::string path = SelectorOf(path_);
    const auto [found, added] = numbers_.try_emplace(path, fields_.size());
    if (added) fields_.emplace_back().path = std::move(path);
    return fields_[found->second];
  }

  std::vector<RecordField>& fields_;
  std::unordered_map<std::string, size_t> numbers_;
  FieldPath path_;
};

}  // namespace

std::string SelectorOf(const FieldPath& path) {
  const bool is_name = path.size() == 1 && !path[0].empty() && path[0][0] != '/';
  return is_name ? path[0] : ToPointer(path);
}

const std::vector<RecordField>& RecordFields::Read(std::string_view payload) {
  fields_.clear();
  if (NestsDeeperThan(payload)) return fields_;
  const auto read = [&](const auto& record) {
    if (record.is_object()) Walk(fields_).Visit(record);
  };
  // ordered_json keeps the order of members, but searches the whole list for each member.
  constexpr size_t kListedMax = 200;
  size_t members = 0;
  for (size_t at = 0; members <= kListedMax && (at = payload.find("\":", at)) != payload.npos;
       ++at) {
    ++members;
  }
  if (members > kListedMax) {
    read(nlohmann::json::parse(payload, nullptr, false));
  } else {
    read(nlohmann::ordered_json::parse(payload, nullptr, false));
  }
  return fields_;
}

namespace {

using Words = std::span<const std::string_view>;

// Lists of usual names, in lower case; some are of other languages.
constexpr std::string_view kWritten[] = {
    "created",   "create",       "updated",   "update",     "modified", "changed",    "change",
    "pub",       "pubdate",      "publish",   "published",  "posted",   "post",       "publication",
    "fetched",   "fetch",        "crawled",   "crawl",      "seen",     "received",   "ingested",
    "ingest",    "indexed",      "index",     "observed",   "inserted", "logged",     "sent",
    "recorded",  "retrieved",    "accessed",  "access",     "scraped",  "scrape",     "collected",
    "submitted", "processed",    "synced",    "sync",       "loaded",   "load",       "exported",
    "export",    "imported",     "import",    "uploaded",   "upload",   "downloaded", "captured",
    "capture",   "archived",     "cached",    "added",      "edited",   "revised",    "issued",
    "creation",  "modification", "ingestion", "submission", "erstellt"};
/// Words that name a time, and no event.
constexpr std::string_view kAnyTime[] = {
    "time",  "ts",      "timestamp", "datetime", "date",   "nano",   "nanos", "at",
    "when",  "zeit",    "datum",     "fecha",    "hora",   "heure",  "data",  "czas",
    "дата",  "时间",    "日期",      "utc",      "local",  "iso",    "epoch", "unix",
    "ms",    "last",    "first",     "record",   "row",    "item",   "doc",   "document",
    "entry", "article", "news",      "message",  "log",    "file",   "page",  "feed",
    "batch", "dump",    "snapshot",  "system",   "server", "process"};
constexpr std::string_view kEventTime[] = {
    "start",    "starts",     "begin",       "begins",   "end",     "ends",     "due",
    "depart",   "departs",    "departure",   "arrive",   "arrives", "arrival",  "expires",
    "expiry",   "expiration", "birth",       "born",     "dob",     "birthday", "valid",
    "schedule", "scheduled",  "until",       "deadline", "from",    "to",       "effective",
    "checkin",  "checkout",   "appointment", "delivery", "pickup",  "dropoff",  "booking",
    "event",    "trade",      "settlement",  "maturity", "release", "released"};
constexpr std::string_view kIdentifier[] = {
    "id",    "ids",     "uuid",        "guid",     "uid",       "oid",     "pk",
    "rowid", "hash",    "md5",         "sha1",     "sha256",    "sha",     "etag",
    "nonce", "digest",  "checksum",    "traceid",  "spanid",    "_id",     "trace",
    "span",  "request", "correlation", "objectid", "messageid", "eventid", "recordid"};
constexpr std::string_view kMachineNumber[] = {
    "pid",    "ppid",       "tid",     "processid",  "threadid", "process",        "thread",
    "port",   "srcport",    "dstport", "seq",        "sequence", "sequencenumber", "offset",
    "lineno", "linenumber", "attempt", "retrycount", "rownum",   "rownumber"};
constexpr std::string_view kCounter[] = {
    "views",     "likes",     "followers",  "stars",    "retweets",  "retweet",
    "shares",    "downloads", "hits",       "visits",   "reads",     "upvotes",
    "downvotes", "favorites", "favourites", "favorite", "favourite", "impressions",
    "comments",  "replies",   "votes",      "friends"};
constexpr std::string_view kProvenance[] = {
    "source",  "src",       "site",     "host",      "hostname",  "server",
    "node",    "mirror",    "feed",     "channel",   "portal",    "section",
    "crawler", "collector", "instance", "pod",       "partition", "shard",
    "replica", "via",       "origin",   "referrer",  "referer",   "provider",
    "worker",  "domain",    "outlet",   "newspaper", "agency",    "website",
    "quelle",  "fuente",    "shop",     "store",     "seller",    "marketplace"};
constexpr std::string_view kSeverity[] = {"level", "loglevel", "severity", "severitytext", "lvl"};
constexpr std::string_view kMessage[] = {"message", "msg",     "body",      "text",
                                         "log",     "content", "comment",   "note",
                                         "details", "error",   "exception", "description"};

bool IsLower(char c) { return c >= 'a' && c <= 'z'; }
bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }
/// A byte of a word; the bytes of other scripts are.
bool IsWordByte(char c) { return IsAsciiLetter(c) || IsAsciiDigit(c) || !IsAscii(c); }

/// "createdAt" has the words created and at; "traceID" trace and id.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words;
  for (size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if (!IsWordByte(c)) continue;
    const bool joined = i > 0 && IsWordByte(name[i - 1]);
    const bool hump = joined && IsUpper(c) &&
                      (IsLower(name[i - 1]) || IsAsciiDigit(name[i - 1]) ||
                       (IsUpper(name[i - 1]) && i + 1 < name.size() && IsLower(name[i + 1])));
    if (!joined || hump) words.emplace_back();
    words.back() += IsUpper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return words;
}

bool HasAny(const std::vector<std::string>& words, Words listed) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return std::ranges::find(listed, word) != listed.end();
  });
}

}  // namespace

FieldName ReadFieldName(std::string_view path) {
  const size_t slash = path.rfind('/');
  std::string_view last = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::vector<std::string> words = WordsOf(last);
  std::string joined;
  for (const std::string& word : words) joined += word;
  const std::vector<std::string> whole = {joined};
  FieldName name;
  name.event_time = HasAny(words, kEventTime);
  const bool of_nothing =
      std::ranges::all_of(words, [](const std::string& word) { return HasAny({word}, kAnyTime); });
  name.written = !name.event_time && (of_nothing || HasAny(words, kWritten));
  name.identifier =
      !words.empty() && (HasAny({words.back()}, kIdentifier) || HasAny(whole, kIdentifier));
  name.machine_number = HasAny(whole, kMachineNumber);
  name.counter = HasAny(words, kCounter);
  name.provenance = HasAny(words, kProvenance);
  name.severity = HasAny(whole, kSeverity);
  name.message = HasAny(WordsOf(path), kMessage);
  return name;
}

}  // namespace neardup
