#include "kafka/diagnosis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace neardup {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class DiagnosisTest : public testing::Test {
 protected:
  static KafkaOptions Options() {
    KafkaOptions options;
    options.brokers = "kafka:9092";
    options.properties = {
        {"security.protocol", "sasl_ssl"}, {"sasl.mechanism", "PLAIN"}, {"sasl.username", "anna"}};
    return options;
  }

  std::string TimedOut() const {
    return diagnosis_.Explain({ErrorCode::kUnavailable, "asking: timed out"}).text;
  }

  Diagnosis diagnosis_{Options(), "group-a"};
};

TEST_F(DiagnosisTest, ATimeOutNamesTheBrokersAndTheLastConnectionThatFailed) {
  EXPECT_EQ(TimedOut(), "asking: timed out (brokers kafka:9092)");
  diagnosis_.Complained(RD_KAFKA_RESP_ERR__RESOLVE, "kafka: no such host");
  EXPECT_EQ(TimedOut(), "asking: timed out (brokers kafka:9092; kafka: no such host)");
  EXPECT_FALSE(diagnosis_.LoginRefused());
}

TEST_F(DiagnosisTest, ATimeOutBecomesARefusedLoginWhenABrokerHasRefusedOne) {
  diagnosis_.Complained(RD_KAFKA_RESP_ERR__AUTHENTICATION, "wrong password");
  const Error error = diagnosis_.Explain({ErrorCode::kUnavailable, "asking: timed out"});
  EXPECT_EQ(error.code, ErrorCode::kAuth);
  EXPECT_THAT(error.text, AllOf(HasSubstr("no login to the brokers: wrong password"),
                                HasSubstr("check security.protocol")));
  EXPECT_FALSE(diagnosis_.LoginRefused()) << "another broker may be connected";
  diagnosis_.Complained(RD_KAFKA_RESP_ERR__ALL_BROKERS_DOWN, "none");
  EXPECT_TRUE(diagnosis_.LoginRefused());
  diagnosis_.Answered();
  EXPECT_FALSE(diagnosis_.LoginRefused());
}

TEST_F(DiagnosisTest, SaysWhatIsWrongWithACertificate) {
  EXPECT_THAT(diagnosis_.CertificateRefused("b:1", 10), HasSubstr("has expired"));
  diagnosis_.Complained(RD_KAFKA_RESP_ERR__SSL, "certificate verify failed");
  EXPECT_THAT(TimedOut(), HasSubstr("the certificate of broker b:1 has expired"));
  EXPECT_THAT(diagnosis_.CertificateRefused("b:1", 77), HasSubstr("OpenSSL error 77"));
}

TEST_F(DiagnosisTest, GuessesThatAListenerHasNoTlsOrWantsACertificate) {
  diagnosis_.Complained(RD_KAFKA_RESP_ERR__SSL, "unexpected eof while reading");
  EXPECT_THAT(TimedOut(), HasSubstr("perhaps the listener has no TLS"));
  diagnosis_.Complained(RD_KAFKA_RESP_ERR__TRANSPORT, "SSL alert number 42");
  EXPECT_THAT(TimedOut(), HasSubstr("see ssl.certificate.location and ssl.key.location"));
}

TEST_F(DiagnosisTest, AMissingRightComesWithTheCommandThatGrantsIt) {
  const Error refused{ErrorCode::kAuth, "writing: refused"};
  const Error error = diagnosis_.Explain(refused, {"Write", ResourceKind::kTopic, "news.unique"});
  EXPECT_THAT(error.text, AllOf(HasSubstr("the right Write on topic news.unique is missing"),
                                HasSubstr("kafka-acls.sh"), HasSubstr("User:anna")));
  const Error other{ErrorCode::kInternal, "writing: broken"};
  EXPECT_THAT(diagnosis_.Explain(other, {"Write", ResourceKind::kTopic, "x"}).text,
              Not(HasSubstr("right")));
}

TEST_F(DiagnosisTest, AnEventOfAReaderNamesItsTopicOrItsGroup) {
  rd_kafka_message_t event = {};
  event.err = RD_KAFKA_RESP_ERR_GROUP_AUTHORIZATION_FAILED;
  EXPECT_THAT(diagnosis_.ExplainEvent(event, "reading", "news").text,
              HasSubstr("the right Read on group group-a is missing"));
  event.err = RD_KAFKA_RESP_ERR_TOPIC_AUTHORIZATION_FAILED;
  EXPECT_THAT(diagnosis_.ExplainEvent(event, "reading", "news").text,
              HasSubstr("the right Read on topic news is missing"));
}

}  // namespace
}  // namespace neardup
