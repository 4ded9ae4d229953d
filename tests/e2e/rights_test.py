"""A right that is missing on a real Kafka: the service says what it may not do, and where, and goes on when it
is granted."""
import unittest

from acls import allow
from harness import KafkaTest

RECORDS = 500


class Rights(KafkaTest):
    # Every client is User:ANONYMOUS. It may do everything, except on resources that have rules.
    kafka_options = (
        '--property', 'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        '--property', 'allow.everyone.if.no.acl.found=true')

    def refusal(self, service, *texts):
        """Waits until the log holds a line with all of the texts."""
        def found():
            return any(all(text in line for text in texts) for line in service.text().splitlines())
        self.wait(found, f'a line with {texts}')

    def test_a_missing_right_is_named_with_its_topic(self):
        self.fill(records=RECORDS, seed=31)
        # A service that never had the right ends after this time.
        config = self.write_config(lease={'give_up_ms': '5m'})
        service = self.run_to_end(config)
        output = f'{self.topics[0]}.unique'
        # From now on the topic has rules.
        allow(self.brokers, 'User:ANONYMOUS', f'Describe@topic:{output}', f'DescribeConfigs@topic:{output}')
        self.fill_more(RECORDS, seed=32)
        service = self.start(config)
        self.refusal(service, 'lane lost', output, 'Write')
        with self.subTest('with the right it goes on'):
            allow(self.brokers, 'User:ANONYMOUS', f'Write@topic:{output}', f'Read@topic:{output}')
            self.end_drained(service)
            self.assert_promises_kept(config, 2 * RECORDS)


if __name__ == '__main__':
    unittest.main(verbosity=2)
