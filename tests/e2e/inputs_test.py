"""Inputs that lose records, vanish or come back on a real Kafka: what the service does, and what it
says."""
import unittest

from harness import KafkaTest

RECORDS = 4_000


class Inputs(KafkaTest):
    def test_control_records_at_the_end_of_an_input_are_never_missed(self):
        # The output of one app is the input of the next one: the last offset of each partition holds
        # the marker of a transaction.
        self.fill(records=RECORDS, seed=21)
        self.run_to_end(self.write_config())
        self.app += '-second'
        self.topics = [f'{topic}.unique' for topic in self.topics]
        config = self.write_config()
        self.run_to_end(config)
        for topic in self.topics:
            for partition in range(2):
                self.load('delete', '--topic', topic, '--partition', partition, '--before=-1')
        again = self.run_to_end(config)
        self.assertIn('lane is active', again.text())

    def forget(self, topic, below):
        for partition in range(2):
            self.load('delete', '--topic', topic, '--partition', partition, f'--before={below}')

    def test_an_input_topic_that_is_gone_and_not_configured_any_more_is_no_obstacle(self):
        self.fill(records=RECORDS, seed=22)
        self.run_to_end(self.write_config())
        gone, kept = self.topics
        self.load('drop', '--topic', gone)
        self.topics = [kept]
        config = self.write_config(input={'topics_before': [gone, kept]})
        service = self.start(config)
        self.load('fill', '--topics', kept, '--records', 500, '--seed', 23)
        self.wait(lambda: service.decided() == 500, 'the new records decided', services=[service])
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])

    def test_when_an_input_topic_vanishes_the_others_go_on(self):
        self.fill(records=RECORDS, seed=24)
        gone, kept = self.topics
        config = self.write_config(input={'partitions_refresh_ms': '1s'})
        service = self.start(config)
        self.wait_drained(service)
        self.wait_decided(service, RECORDS)
        before = service.decided()
        self.load('drop', '--topic', gone)
        self.load('fill', '--topics', kept, '--records', 500, '--seed', 25)
        self.wait(lambda: service.decided() == before + 500, 'the new records decided',
                  services=[service])
        self.wait(lambda: service.metric('neardup_input_missing') == 1, 'the topic reported missing',
                  services=[service])
        self.assertEqual(service.text().count(f'input topic {gone} does not exist any more'), 1)
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])
        again = self.start(config)
        self.wait(lambda: again.metric('neardup_input_missing') == 1, 'the topic reported missing',
                  services=[again])
        self.assertEqual(again.terminate()[0], 0, again.text()[-2000:])
        with self.subTest('by option the service stops'):
            stopped = self.start(self.write_config(input={'on_missing_topic': 'fail'}))
            self.assert_ends(stopped, 66)
            self.assertIn(f'input topic {gone} does not exist any more', stopped.text())

    def test_records_that_retention_deleted_are_counted_and_passed_only_on_request(self):
        self.fill(records=RECORDS, seed=26)
        config = self.write_config()
        self.run_to_end(config)
        self.fill_more(RECORDS, seed=27)
        topic = self.topics[0]
        self.forget(topic, 1500)
        stopped = self.start(config)
        self.assert_ends(stopped, 66)
        self.assertRegex(stopped.text(), rf'{topic}/[01]: \d+ offsets are gone')
        self.assertIn('set input.on_data_loss to continue', stopped.text())
        config = self.write_config(input={'on_data_loss': 'continue'})
        service = self.start(config)
        self.wait_drained(service)
        self.wait(lambda: service.metric('neardup_input_losses_total') == 2, 'the losses counted', services=[service])
        self.assertGreater(service.metric('neardup_input_offsets_lost_total'), 500)
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])
        again = self.run_to_end(self.write_config(input={'on_data_loss': 'fail'}))
        self.assertNotIn('offsets are gone', again.text())
        code, report = self.verify(config)
        self.assertEqual(code, 0, report)

    def test_a_topic_that_was_created_again_is_read_from_its_beginning_on_request(self):
        self.fill(records=RECORDS, seed=28)
        self.run_to_end(self.write_config())
        topic = self.topics[0]
        self.load('drop', '--topic', topic)
        self.load('create', '--topic', topic, '--partitions', 2)
        self.load('fill', '--topics', topic, '--records', 300, '--seed', 29)
        stopped = self.start(self.write_config())
        self.assert_ends(stopped, 66)
        self.assertIn('but this is another log', stopped.text())
        service = self.start(self.write_config(input={'on_data_loss': 'continue'}))
        self.wait(lambda: service.decided() == 300, 'the new records decided', services=[service])
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])


if __name__ == '__main__':
    unittest.main(verbosity=2)
