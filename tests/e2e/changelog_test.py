"""A changelog that lost records on a real Kafka: all of them, the oldest, or the newest. A start refuses
it, and goes on without them where the configuration says so."""
import unittest

from harness import NEARDUP, KafkaTest, run

RECORDS = 3_000
FILLS = 6


class Changelog(KafkaTest):
    def setUp(self):
        super().setUp()
        self.changelog = f'{self.app}-changelog'

    def first_run(self, seed):
        """The changelog holds at least FILLS deltas: each of them is committed before the next records come."""
        self.create_topics()
        config = self.write_config()
        service = self.start(config)
        for number in range(FILLS):
            self.fill_more(RECORDS // FILLS, seed * 100 + number)
            self.wait_drained(service)
        self.assertEqual(service.terminate()[0], 0, service.text()[-2000:])
        _, self.end = self.bounds(self.changelog)[f'{self.changelog}/0']
        self.assertGreaterEqual(self.end, 2 * FILLS, 'a delta and a marker each')
        return config

    def assert_refused(self, config, why):
        text = self.assert_ends(self.start(config), 74)
        self.assertIn(f'changelog {self.changelog}/0 lost records', text)
        self.assertIn(why, text)
        self.assertEqual(self.verify(config)[1]['inputs'], RECORDS)

    def assert_goes_on(self):
        """Without the lost records: no record is written twice, and the next start finds nothing amiss."""
        config = self.write_config(state={'on_changelog_loss': 'continue'})
        service = self.start(config)
        self.wait_drained(service)
        self.assertEqual(service.decided(), 0)
        self.wait(lambda: service.metric('neardup_changelog_losses_total') > 0, 'the loss counted', services=[service])
        self.assertEqual(service.terminate()[0], 0)
        self.assertIn('going on without them', service.text())
        self.assert_promises_kept(config, RECORDS)
        again = self.run_to_end(self.write_config(state={'on_changelog_loss': 'fail'}))
        self.assertNotIn('lost records', again.text())

    def test_a_deleted_changelog_is_no_first_start(self):
        config = self.first_run(seed=31)
        self.load('drop', '--topic', self.changelog)
        self.assert_refused(config, 'it holds no delta')
        self.assert_goes_on()

    def test_reindex_computes_a_deleted_changelog_again(self):
        config = self.first_run(seed=36)
        before = self.assert_promises_kept(config, RECORDS)
        self.load('drop', '--topic', self.changelog)
        self.assert_refused(config, '`neardup reindex --execute`')
        done = run(NEARDUP, 'reindex', '--config', config, '--execute').stdout
        self.assertIn('the changelog holds nothing', done)
        self.assertIn(f'up to seq {RECORDS}\n', done)
        self.assertIn(f'new index     {before["unique"]:,} entries\n', done)
        self.fill_more(RECORDS // FILLS, 3600)  # the records of the first fill again
        self.assertNotIn('lost records', self.run_to_end(config).text())
        after = self.assert_promises_kept(config, RECORDS + RECORDS // FILLS)
        self.assertEqual(after['unique'], before['unique'], 'copies of earlier records are found')

    def test_a_changelog_without_its_beginning_is_refused(self):
        config = self.first_run(seed=32)
        self.load('delete', '--topic', self.changelog, '--partition', 0, '--before', self.end // 2)
        self.assert_refused(config, 'live entries are missing')
        self.assert_goes_on()

    def test_a_changelog_without_its_end_is_refused(self):
        config = self.first_run(seed=33)
        saved = f'{self.name}-saved'
        self.load('create', '--topic', saved, '--partitions', 1)
        first_deltas = ('--partition', 0, '--offset', 0, '--records', FILLS // 2)
        self.load('copy', '--from', self.changelog, *first_deltas, '--to', saved)
        self.load('drop', '--topic', self.changelog)
        self.load('create', '--topic', self.changelog, '--partitions', 1, '--config', 'retention.ms=-1')
        self.load('copy', '--from', saved, *first_deltas, '--to', self.changelog)
        self.assert_refused(config, 'it ends before the offsets of the consumer group')
        self.assert_goes_on()


if __name__ == '__main__':
    unittest.main(verbosity=2)
