#include "kafka/online_check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "kafka/client.h"
#include "kafka/rights.h"
#include "kafka/topic_admin.h"
#include "kafka/topics.h"

namespace neardup {
namespace {

// A delta is cut at less than this, and the broker takes a batch of this size by default.
constexpr int64_t kDeltaBytesMax = 1'000'000;
constexpr int32_t kReplicasWanted = 3;

/// A topic of the configuration, and what the service does with it.
struct Topic {
  std::string name;
  std::string input = {};  ///< of an output: its input
  int32_t partitions = 1;  ///< the least number; 0: any
  bool ours = true;        ///< the service may create it
  bool is_changelog = false;
  bool read = false;
  bool write = false;
  bool delete_records = false;
};

class Checker {
 public:
  Checker(const KafkaOptions& options, const OnlineNeeds& needs)
      : options_(options), needs_(needs), principal_(PrincipalOf(options)) {}

  std::vector<OnlineCheck> Run();

 private:
  bool CheckBrokers();
  std::vector<Topic> Topics();
  /// True if the topic exists.
  bool CheckExistence(const Topic& topic);
  void CheckSettings(const Topic& topic, TopicAdmin& admin);
  void CheckSize(const Topic& topic, const Properties& settings);
  void CheckReplicas(const Topic& topic, const Properties& settings);
  void CheckCompaction(const Topic& topic, const Properties& settings);
  void CheckTopicRights(const std::vector<Topic>& topics, TopicAdmin& admin);
  void CheckGroup(const std::string& group, const std::string& topic);
  /// By the rules of the cluster; for rights that no call can try.
  void CheckByRules(const Right& right);
  void ReportUnknown();

  void Ok(std::string subject, std::string text) {
    checks_.push_back({CheckLevel::kOk, std::move(subject), std::move(text)});
  }
  void Warn(std::string subject, std::string text) {
    checks_.push_back({CheckLevel::kWarning, std::move(subject), std::move(text)});
  }
  void Wrong(std::string subject, ErrorCode code, std::string text) {
    checks_.push_back({CheckLevel::kWrong, std::move(subject), std::move(text), code});
  }
  /// Notes whether a right is there. `weak`: the service runs without it.
  void Note(const std::string& subject, const Right& right, const Result<void>& tried,
            std::string_view weak = {});

  const KafkaOptions& options_;
  const OnlineNeeds& needs_;
  const std::string principal_;
  std::shared_ptr<Client> client_;
  int brokers_ = 0;
  std::map<std::string, TopicShape> shapes_;  ///< of the topics that exist
  std::map<std::string, Properties> settings_;
  std::set<std::string> refused_;  ///< topics that the brokers do not describe to us
  /// Of the cluster itself; not set: not asked yet.
  std::optional<Result<std::optional<std::vector<Acl>>>> cluster_rules_;
  std::vector<Right> unknown_;  ///< rights that could not be checked
  std::vector<OnlineCheck> checks_;
};

std::string SubjectOf(const Topic& topic) { return "topic " + topic.name; }

bool Checker::CheckBrokers() {
  const std::string subject = "brokers " + options_.brokers;
  const Result<std::shared_ptr<Client>> made = Client::New(options_, ClientRole::kWatermark, {});
  if (!made.ok()) {
    Wrong(subject, made.error().code, made.error().text);
    return false;
  }
  client_ = *made;
  const std::string& first = options_.topics.front();
  const Result<std::optional<TopicShape>> asked =
      AskTopicShape(*client_, first, options_.answer_timeout_ms);
  // A missing right shows that the login is well; CheckExistence names it.
  const bool answered = asked.ok() || (asked.error().code == ErrorCode::kAuth &&
                                       asked.error().text.find("no login") == std::string::npos);
  if (!answered) {
    Wrong(subject, asked.error().code, asked.error().text);
    return false;
  }
  const TopicHandle topic(rd_kafka_topic_new(client_->get(), first.c_str(), nullptr));
  const rd_kafka_metadata_t* answer = nullptr;
  rd_kafka_metadata(client_->get(), 0, topic.get(), &answer, options_.answer_timeout_ms);
  const MetadataHandle metadata(answer);
  brokers_ = metadata ? metadata->broker_cnt : 0;
  Ok(subject, fmt::format("{} broker(s) answer, and accept the login {}", brokers_,
                          principal_.empty() ? "by the client certificate" : principal_));
  return true;
}

std::vector<Topic> Checker::Topics() {
  std::vector<Topic> topics;
  for (const std::string& input : options_.topics) {
    topics.push_back({.name = input, .partitions = 0, .ours = false, .read = true});
  }
  for (const std::string& input : options_.topics) {
    const auto shape = shapes_.find(input);
    const int32_t partitions = shape == shapes_.end() ? 1 : shape->second.partitions;
    for (const std::string& output : OutputsOf(options_, input)) {
      topics.push_back(
          {.name = output, .input = input, .partitions = partitions, .read = true, .write = true});
    }
  }
  if (!options_.groups_topic.empty()) {
    topics.push_back({.name = options_.groups_topic, .partitions = 1, .write = true});
  }
  topics.push_back({.name = ChangelogTopic(options_),
                    .partitions = options_.lanes,
                    .is_changelog = true,
                    .read = true,
                    .write = true,
                    .delete_records = needs_.purges_changelog});
  topics.push_back({.name = LeaseTopic(options_), .partitions = 1});
  return topics;
}

/// As one value of --operation.
std::string OperationsOn(const Topic& topic) {
  std::vector<std::string_view> operations;
  if (topic.read) operations.emplace_back("Read");
  if (topic.write) operations.emplace_back("Write");
  if (topic.delete_records) operations.emplace_back("Delete");
  operations.emplace_back(operations.empty() ? "Describe" : "DescribeConfigs");
  return fmt::format("{}", fmt::join(operations, " --operation "));
}

bool Checker::CheckExistence(const Topic& topic) {
  const std::string subject = SubjectOf(topic);
  const Result<std::optional<TopicShape>> asked =
      AskTopicShape(*client_, topic.name, options_.answer_timeout_ms);
  if (!asked.ok()) {
    refused_.insert(topic.name);
    if (asked.error().code != ErrorCode::kAuth) {
      Wrong(subject, asked.error().code, asked.error().text);
    } else {
      const std::string needed = OperationsOn(topic);
      Wrong(subject, ErrorCode::kAuth,
            fmt::format("Describe is missing, so that nothing more is checked; grant what the "
                        "service needs: kafka-acls.sh {}",
                        GrantArguments({needed, ResourceKind::kTopic, topic.name}, principal_)));
    }
    return false;
  }
  TopicAdmin admin(client_, options_);
  if (!*asked) {
    if (!topic.ours || !options_.create_topics) {
      Wrong(subject, ErrorCode::kNotFound,
            fmt::format("does not exist; create it{}",
                        topic.ours ? fmt::format(" with {} partition(s), or set "
                                                 "output.create_topics to true",
                                                 topic.partitions)
                                   : ", or correct its name in the configuration"));
      return false;
    }
    const Properties settings =
        topic.is_changelog ? ChangelogSettings(options_.replication_factor) : Properties();
    const Result<void> may = admin.MayCreate(topic.name, topic.partitions, settings);
    if (may.ok()) {
      Ok(subject, fmt::format("does not exist yet; the service may create it with {} partition(s)",
                              topic.partitions));
    } else {
      Wrong(subject, may.error().code, fmt::format("does not exist: {}", may.error().text));
    }
    return false;
  }
  const TopicShape& shape = **asked;
  shapes_[topic.name] = shape;
  const std::string found = fmt::format("exists with {} partition(s) and {} replica(s)",
                                        shape.partitions, shape.replicas);
  if (shape.partitions >= topic.partitions) {
    Ok(subject, found);
  } else if (options_.create_topics) {
    const Result<void> may = admin.MayGrow(topic.name, topic.partitions);
    if (may.ok()) {
      Ok(subject,
         fmt::format("{}; the service will add partitions up to {}", found, topic.partitions));
    } else {
      Wrong(subject, may.error().code,
            fmt::format("{}, expected {} partition(s): {}", found, topic.partitions,
                        may.error().text));
    }
  } else {
    Wrong(subject, ErrorCode::kConfig,
          fmt::format("{0}, expected {1} partition(s): kafka-topics.sh --alter --topic {2} "
                      "--partitions {1}",
                      found, topic.partitions, topic.name));
  }
  return true;
}

void Checker::CheckSize(const Topic& topic, const Properties& settings) {
  const std::optional<int64_t> found = NumberOf(settings, "max.message.bytes");
  if (!found) return;
  if (topic.is_changelog) {
    if (*found >= kDeltaBytesMax) return;
    Wrong(SubjectOf(topic), ErrorCode::kConfig,
          fmt::format("max.message.bytes={}, expected {} or more for the deltas: {}", *found,
                      kDeltaBytesMax,
                      SetCommand(topic.name, "max.message.bytes", fmt::to_string(kDeltaBytesMax))));
    return;
  }
  const auto of_input = settings_.find(topic.input);
  if (of_input == settings_.end()) return;
  const int64_t largest = std::min(NumberOf(of_input->second, "max.message.bytes").value_or(0),
                                   needs_.record_bytes_max);
  const int64_t wanted = largest + kHeaderRoomBytes;
  if (*found >= wanted) return;
  Warn(SubjectOf(topic),
       fmt::format(
           "max.message.bytes={}, expected {} or more for the largest records of {} with our "
           "header; larger ones become dead letters (too_large): {}",
           *found, wanted, topic.input,
           SetCommand(topic.name, "max.message.bytes", fmt::to_string(wanted))));
}

void Checker::CheckReplicas(const Topic& topic, const Properties& settings) {
  const int32_t replicas = shapes_.at(topic.name).replicas;
  const int32_t wanted = std::min<int32_t>(kReplicasWanted, brokers_);
  if (replicas < wanted) {
    Warn(SubjectOf(topic), fmt::format("{} replica(s), expected {} on {} brokers: the loss of one "
                                       "broker stops the lane or loses records",
                                       replicas, wanted, brokers_));
  }
  const std::optional<int64_t> in_sync = NumberOf(settings, "min.insync.replicas");
  if (!in_sync) return;
  if (*in_sync > replicas) {
    Wrong(
        SubjectOf(topic), ErrorCode::kConfig,
        fmt::format("min.insync.replicas={} with {} replica(s): the brokers refuse every write: {}",
                    *in_sync, replicas,
                    SetCommand(topic.name, "min.insync.replicas", fmt::to_string(replicas))));
  } else if (!topic.is_changelog && replicas >= kReplicasWanted && *in_sync < 2) {
    Warn(SubjectOf(topic),
         fmt::format("min.insync.replicas={} with {} replicas, expected 2: the loss of one broker "
                     "can lose its newest records: {}",
                     *in_sync, replicas, SetCommand(topic.name, "min.insync.replicas", "2")));
  }
}

void Checker::CheckCompaction(const Topic& topic, const Properties& settings) {
  const auto policy = settings.find("cleanup.policy");
  if (policy == settings.end() || policy->second.find("compact") == std::string::npos) return;
  Warn(SubjectOf(topic),
       fmt::format("cleanup.policy={}, expected delete: in a compacted topic a record replaces the "
                   "one before it with the same key. An update that resembles an older record "
                   "becomes a duplicate, and a tombstone becomes a dead letter; see "
                   "docs/compacted-inputs.md",
                   policy->second));
}

void Checker::CheckSettings(const Topic& topic, TopicAdmin& admin) {
  const bool is_lease = !topic.read && !topic.write;
  if (is_lease) return;
  const size_t before = checks_.size();
  const Result<Properties> read = admin.Settings(topic.name);
  if (!read.ok()) {
    Warn(SubjectOf(topic), fmt::format("its settings are not checked: {}", read.error().text));
    return;
  }
  settings_[topic.name] = *read;
  if (topic.ours) {
    CheckSize(topic, *read);
    CheckReplicas(topic, *read);
  } else {
    CheckCompaction(topic, *read);
  }
  if (topic.is_changelog) {
    const auto judged = CheckChangelogSettings(topic.name, *read, shapes_.at(topic.name).replicas);
    if (!judged.ok()) {
      Wrong(SubjectOf(topic), judged.error().code, judged.error().text);
    } else {
      for (const std::string& warning : *judged) Warn(SubjectOf(topic), warning);
    }
  }
  if (checks_.size() > before) return;
  const auto value = [&read](const char* name) {
    const auto found = read->find(name);
    return found == read->end() ? std::string("?") : found->second;
  };
  Ok(SubjectOf(topic),
     fmt::format("max.message.bytes={}, min.insync.replicas={}, cleanup.policy={}",
                 value("max.message.bytes"), value("min.insync.replicas"),
                 value("cleanup.policy")));
}

void Checker::Note(const std::string& subject, const Right& right, const Result<void>& tried,
                   std::string_view weak) {
  if (tried.ok()) {
    Ok(subject, fmt::format("{} is granted", right.operation));
  } else if (tried.error().code != ErrorCode::kAuth) {
    Warn(subject, fmt::format("{} is not checked: {}", right.operation, tried.error().text));
  } else {
    std::string text = fmt::format("{} is missing{}; grant it: kafka-acls.sh {}", right.operation,
                                   weak, GrantArguments(right, principal_));
    if (weak.empty()) {
      Wrong(subject, ErrorCode::kAuth, std::move(text));
    } else {
      Warn(subject, std::move(text));
    }
  }
}

void Checker::CheckTopicRights(const std::vector<Topic>& topics, TopicAdmin& admin) {
  std::vector<std::string> reads;
  std::vector<std::string> writes;
  for (const Topic& topic : topics) {
    if (!shapes_.contains(topic.name)) continue;
    if (topic.read) reads.push_back(topic.name);
    if (topic.write) writes.push_back(topic.name);
  }
  const Answers read = ProbeReading(options_, reads);
  const Answers written = ProbeWriting(options_, writes);
  for (const Topic& topic : topics) {
    const std::string subject = SubjectOf(topic);
    const auto on_topic = [&topic](std::string_view operation) {
      return Right{operation, ResourceKind::kTopic, topic.name};
    };
    if (!shapes_.contains(topic.name)) {
      if (!topic.ours || refused_.contains(topic.name)) continue;
      if (topic.read) CheckByRules(on_topic("Read"));
      if (topic.write) CheckByRules(on_topic("Write"));
      if (topic.delete_records) CheckByRules(on_topic("Delete"));
      continue;
    }
    if (topic.read) Note(subject, on_topic("Read"), read.at(topic.name));
    if (topic.write) Note(subject, on_topic("Write"), written.at(topic.name));
    // No record lies before offset 0.
    if (topic.delete_records) {
      Note(subject, on_topic("Delete"), admin.DeleteRecords(topic.name, 0, 0),
           ", so the changelog grows without end");
    }
    if (!topic.input.empty() && options_.create_topics) {
      Note(subject, on_topic("Alter"),
           admin.MayGrow(topic.name, shapes_.at(topic.name).partitions + 1),
           fmt::format(", which the service needs when {} gets more partitions", topic.input));
    }
  }
}

void Checker::CheckGroup(const std::string& group, const std::string& topic) {
  Note("group " + group, {"Read", ResourceKind::kGroup, group},
       ProbeCommitting(options_, group, topic));
}

void Checker::CheckByRules(const Right& right) {
  const bool is_id = right.kind == ResourceKind::kTransactionalId;
  const std::string subject = (is_id ? "transactional id " : "topic ") + right.name;
  const int timeout_ms = options_.answer_timeout_ms;
  if (!cluster_rules_) {
    cluster_rules_ = ListAcls(*client_, ResourceKind::kCluster, {}, timeout_ms);
  }
  if (cluster_rules_->ok() && !**cluster_rules_) return Ok(subject, "the brokers check no rights");
  // Without the right to list rules there is none on the cluster, either.
  if (!cluster_rules_->ok() || (**cluster_rules_)->empty() || principal_.empty()) {
    return unknown_.push_back(right);
  }
  const auto rules = ListAcls(*client_, right.kind, right.name, timeout_ms);
  if (!rules.ok() || !*rules) return unknown_.push_back(right);
  const AclAnswer answer = Judge(**rules, principal_, right.operation);
  // This login has just listed rules. If a rule allows it that, it is no super user, and its name
  // is the one that we think.
  const bool named = Judge(***cluster_rules_, principal_, "Describe") == AclAnswer::kAllowed ||
                     Judge(***cluster_rules_, principal_, "Alter") == AclAnswer::kAllowed;
  if (answer == AclAnswer::kAllowed) {
    Ok(subject, fmt::format("{} is granted by a rule", right.operation));
  } else if (answer == AclAnswer::kForbidden || named) {
    Note(subject, right, Error{ErrorCode::kAuth, ""});
  } else {
    unknown_.push_back(right);
  }
}

void Checker::ReportUnknown() {
  if (unknown_.empty()) return;
  std::vector<std::string> names;
  for (const Right& right : unknown_) names.push_back(Name(right));
  const std::string grant =
      names.size() == 1 ? "grant it: kafka-acls.sh " + GrantArguments(unknown_.front(), principal_)
                        : "docs/security.md says how to grant them";
  Warn("rights", fmt::format("not checked: {}. No harmless call can try this on a topic that does "
                             "not exist or on a transactional id, and this login sees no rules "
                             "(Describe on the cluster). If the brokers check rights, {}",
                             fmt::join(names, ", "), grant));
}

std::vector<OnlineCheck> Checker::Run() {
  if (!CheckBrokers()) return std::move(checks_);
  TopicAdmin admin(client_, options_);
  for (const std::string& input : options_.topics) {
    CheckExistence({.name = input, .partitions = 0, .ours = false, .read = true});
  }
  const std::vector<Topic> topics = Topics();
  for (const Topic& topic : topics) {
    if (topic.ours) CheckExistence(topic);
  }
  for (const Topic& topic : topics) {
    if (shapes_.contains(topic.name)) CheckSettings(topic, admin);
  }
  CheckTopicRights(topics, admin);
  CheckGroup(options_.app, options_.topics.front());
  CheckGroup(LeaseTopic(options_), LeaseTopic(options_));
  CheckByRules({"Write", ResourceKind::kTransactionalId,
                fmt::format("{}-lane-{}", options_.app, needs_.lane)});
  ReportUnknown();
  return std::move(checks_);
}

}  // namespace

std::vector<OnlineCheck> CheckOnline(const KafkaOptions& options, const OnlineNeeds& needs) {
  return Checker(options, needs).Run();
}

}  // namespace neardup
