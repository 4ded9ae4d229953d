"""A changelog that lost records on a real Kafka: all of them, the oldest, or the newest. A start refuses
it, and goes on without them where the configuration says so."""
import unittest

from harness import KafkaTest

RECORDS = 4_000


class Changelog(KafkaTest):
    def setUp(self):
        super().setUp()
        self.changelog = f'{self.app}-changelog'

    def drain_and_stop(self, config):
        service = self.start(config)
        self.wait_drained(service)
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])
        return service

    def first_run(self, seed):
        self.fill(records=RECORDS, seed=seed)
        # Small transactions, so that the changelog holds many deltas.
        config = self.write_config(transaction={'interval_ms': 20, 'batch_records_max': 200})
        self.drain_and_stop(config)
        return config

    def assert_refused(self, config, why):
        service = self.start(config)
        self.wait(lambda: service.process.poll() is not None, 'the refusal', seconds=60)
        self.assertEqual(service.process.returncode, 74, service.text()[-2000:])
        self.assertIn(f'changelog {self.changelog}/0 lost records', service.text())
        self.assertIn(why, service.text())
        self.assertEqual(self.verify(config)[1]['inputs'], RECORDS)

    def assert_goes_on(self):
        """Without the lost records: no record is written twice, and the next start finds nothing amiss."""
        config = self.write_config(state={'on_changelog_loss': 'continue'})
        service = self.start(config)
        self.wait_drained(service)
        self.assertEqual(service.decided(), 0)
        self.assertGreater(service.metric('neardup_changelog_losses_total'), 0)
        self.assertEqual(service.terminate()[0], 0)
        self.assertIn('going on without them', service.text())
        self.assert_promises_kept(config, RECORDS)
        again = self.drain_and_stop(self.write_config(state={'on_changelog_loss': 'fail'}))
        self.assertNotIn('lost records', again.text())

    def test_a_deleted_changelog_is_no_first_start(self):
        config = self.first_run(seed=31)
        self.load('drop', '--topic', self.changelog)
        self.assert_refused(config, 'it holds no delta')
        self.assert_goes_on()

    def test_a_changelog_without_its_beginning_is_refused(self):
        config = self.first_run(seed=32)
        self.load('delete', '--topic', self.changelog, '--partition', 0, '--before', 6)
        self.assert_refused(config, 'live entries are missing')
        self.assert_goes_on()

    def test_a_changelog_without_its_end_is_refused(self):
        config = self.first_run(seed=33)
        saved = f'{self.name}-saved'
        self.load('create', '--topic', saved, '--partitions', 1)
        for offset in (0, 2, 4):  # a delta and a marker each
            self.load('copy', '--from', self.changelog, '--partition', 0, '--offset', offset, '--to', saved)
        self.load('drop', '--topic', self.changelog)
        self.load('create', '--topic', self.changelog, '--partitions', 1, '--config', 'retention.ms=-1')
        for offset in (0, 1, 2):
            self.load('copy', '--from', saved, '--partition', 0, '--offset', offset, '--to', self.changelog)
        self.assert_refused(config, 'it ends before the offsets of the consumer group')
        self.assert_goes_on()


if __name__ == '__main__':
    unittest.main(verbosity=2)
