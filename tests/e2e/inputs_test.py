"""Inputs that lose records, vanish or come back on a real Kafka: what the service does, and what it
says."""
import unittest

from harness import KafkaTest

RECORDS = 4_000


class Inputs(KafkaTest):
    def drain_and_stop(self, config):
        service = self.start(config)
        self.wait_drained(service)
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])
        return service

    def test_control_records_at_the_end_of_an_input_are_never_missed(self):
        # The output of one app is the input of the next one: the last offset of each partition holds
        # the marker of a transaction.
        self.fill(records=RECORDS, seed=21)
        self.drain_and_stop(self.write_config())
        self.app += '-second'
        self.topics = [f'{topic}.unique' for topic in self.topics]
        config = self.write_config()
        self.drain_and_stop(config)
        for topic in self.topics:
            for partition in range(2):
                self.load('delete', '--topic', topic, '--partition', partition, '--before=-1')
        again = self.drain_and_stop(config)
        self.assertIn('lane is active', again.text())


if __name__ == '__main__':
    unittest.main(verbosity=2)
