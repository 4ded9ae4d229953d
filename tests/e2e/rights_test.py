"""A right that is missing on a real Kafka: the service says what it may not do, and where, and goes on when it
is granted."""
import pathlib
import unittest

from harness import KafkaTest, run

RECORDS = 500


class Rights(KafkaTest):
    # Every client is User:ANONYMOUS. It may do everything, except on resources that have rules.
    kafka_options = (
        '--fast-start',
        '--property', 'authorizer.class.name=org.apache.kafka.metadata.authorizer.StandardAuthorizer',
        '--property', 'allow.everyone.if.no.acl.found=true')

    def kafka_tool(self, *arguments):
        pid = (self.directory / 'kafka' / '1' / 'pid').read_text().strip()
        command = pathlib.Path(f'/proc/{pid}/cmdline').read_text().split('\0')
        done = run('java', '-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC', '-cp', command[command.index('-cp') + 1],
                   *arguments)
        self.assertEqual(done.returncode, 0, done.stderr[:2000] + done.stdout[:2000])

    def allow_only(self, resource, *operations):
        self.kafka_tool('kafka.admin.AclCommand', '--bootstrap-server', self.brokers, '--add', '--allow-principal',
                        'User:ANONYMOUS', *resource, *(part for each in operations for part in ('--operation', each)))

    def refusal(self, service, *texts):
        """Waits until the log holds a line with all of the texts."""
        def found():
            return any(all(text in line for text in texts) for line in service.text().splitlines())
        self.wait(found, f'a line with {texts}', 60)

    def test_a_missing_right_is_named_with_its_topic(self):
        self.fill(records=RECORDS, seed=31)
        config = self.write_config()
        service = self.start(config)
        self.wait_drained(service)
        self.assertEqual(service.terminate()[0], 0)
        output = f'{self.topics[0]}.unique'
        self.allow_only(('--topic', output), 'Describe', 'DescribeConfigs')
        self.load('fill', '--topics', ','.join(self.topics), '--records', RECORDS, '--seed', 32)
        service = self.start(config)
        self.refusal(service, 'lane lost', output, 'Write')
        with self.subTest('with the right it goes on'):
            self.allow_only(('--topic', output), 'Write', 'Read')
            self.wait_drained(service)
            self.assertEqual(service.terminate()[0], 0)
            self.assert_promises_kept(config, 2 * RECORDS)


if __name__ == '__main__':
    unittest.main(verbosity=2)
