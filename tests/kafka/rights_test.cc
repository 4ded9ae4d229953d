// How missing rights are named, and what the rules of a cluster say about a principal.
#include "kafka/rights.h"

#include <gtest/gtest.h>

namespace neardup {
namespace {

KafkaOptions WithProperties(std::map<std::string, std::string> properties) {
  KafkaOptions options;
  options.properties = std::move(properties);
  return options;
}

TEST(Rights, TheArgumentsThatGrantARightNameTheOperationAndTheResource) {
  const Right write{"Write", ResourceKind::kTransactionalId, "news-lane-0"};
  EXPECT_EQ(Name(write), "Write on transactional id news-lane-0");
  EXPECT_EQ(
      GrantArguments(write, "User:neardup"),
      "--add --allow-principal User:neardup --operation Write --transactional-id news-lane-0");
  const Right describe{"Describe", ResourceKind::kCluster};
  EXPECT_EQ(Name(describe), "Describe on the cluster");
  EXPECT_EQ(GrantArguments(describe, ""),
            "--add --allow-principal 'User:<subject of the client certificate>' --operation "
            "Describe --cluster");
}

TEST(Rights, ThePrincipalIsTheUserOfTheLoginOrUnknownWithACertificate) {
  EXPECT_EQ(PrincipalOf(WithProperties({})), "User:ANONYMOUS");
  EXPECT_EQ(PrincipalOf(WithProperties({{"security.protocol", "SASL_SSL"},
                                        {"sasl.username", "neardup"},
                                        {"ssl.certificate.location", "/c.pem"}})),
            "User:neardup");
  EXPECT_EQ(PrincipalOf(WithProperties({{"security.protocol", "ssl"}})), "User:ANONYMOUS");
  EXPECT_EQ(PrincipalOf(WithProperties(
                {{"security.protocol", "ssl"}, {"ssl.certificate.location", "/c.pem"}})),
            "");
}

TEST(Rights, ARuleThatForbidsIsStrongerThanOneThatAllows) {
  const Acl allow{"User:a", "Write", true};
  const Acl allow_all{"User:*", "All", true};
  const Acl forbid{"User:a", "All", false};
  EXPECT_EQ(Judge({}, "User:a", "Write"), AclAnswer::kNoRules);
  EXPECT_EQ(Judge({allow}, "User:a", "Write"), AclAnswer::kAllowed);
  EXPECT_EQ(Judge({allow}, "User:a", "Read"), AclAnswer::kNotNamed);
  EXPECT_EQ(Judge({allow}, "User:b", "Write"), AclAnswer::kNotNamed);
  EXPECT_EQ(Judge({allow_all}, "User:b", "Write"), AclAnswer::kAllowed);
  EXPECT_EQ(Judge({allow, forbid}, "User:a", "Write"), AclAnswer::kForbidden);
}

}  // namespace
}  // namespace neardup
