#include <gtest/gtest.h>

#include "kafka/properties.h"

namespace neardup {
namespace {

TEST(PropertyRules, EveryRefusedPropertyHasAReason) {
  for (const RefusedProperty& property : RefusedProperties()) {
    EXPECT_FALSE(property.reason.empty()) << property.name;
    EXPECT_EQ(RefusalOf(property.name, "x"), property.reason);
  }
  for (const char* name :
       {"enable.auto.commit", "enable.auto.offset.store", "transactional.id", "isolation.level",
        "enable.idempotence", "acks", "group.id", "group.instance.id", "enable.partition.eof",
        "partition.assignment.strategy", "plugin.library.paths", "auto.offset.reset",
        "bootstrap.servers", "metadata.broker.list", "message.timeout.ms", "transaction.timeout.ms",
        "queuing.strategy", "delivery.report.only.error"}) {
    EXPECT_TRUE(RefusalOf(name, "x")) << name;
  }
  for (const char* name : {"client.id", "security.protocol", "sasl.password", "linger.ms"}) {
    EXPECT_FALSE(RefusalOf(name, "x")) << name;
  }
}

TEST(PropertyRules, UpToFiveRequestsInFlightKeepTheOrder) {
  for (const char* name : {"max.in.flight", "max.in.flight.requests.per.connection"}) {
    for (const char* value : {"1", "5"}) EXPECT_FALSE(RefusalOf(name, value)) << value;
    for (const char* value : {"0", "6", "-1", "x", "", "5.0"}) {
      EXPECT_TRUE(RefusalOf(name, value)) << value;
    }
  }
}

TEST(PropertyRules, SecretPropertiesAreRecognisedByTheirNames) {
  for (const char* name : {"sasl.password", "ssl.key.password", "ssl.key.pem",
                           "ssl.keystore.password", "sasl.oauthbearer.client.secret",
                           "sasl.jaas.config", "sasl.oauthbearer.config", "sasl.kerberos.kinit.cmd",
                           "SASL.PASSWORD", "sasl.oauthbearer.assertion.private.key.passphrase"}) {
    EXPECT_TRUE(IsSecretProperty(name)) << name;
  }
  for (const char* name : {"sasl.username", "ssl.key.location", "ssl.ca.pem", "client.id"}) {
    EXPECT_FALSE(IsSecretProperty(name)) << name;
  }
}

}  // namespace
}  // namespace neardup
