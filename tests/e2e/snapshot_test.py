"""Starts from snapshots on a real Kafka: after kill -9, with a damaged snapshot, with the snapshot of
another app, and with a purged changelog. `neardup verify` checks the outputs."""
import json
import re
import unittest

from harness import KafkaTest, NEARDUP, run

RECORDS = 5_000


class Snapshots(KafkaTest):
    def setUp(self):
        super().setUp()
        self.state = self.directory / f'{self.name}.state'

    def config(self, **sections):
        state = {'dir': str(self.state), 'snapshot_interval_ms': 1000}
        return self.write_config(state={**state, **sections.pop('state', {})}, **sections)

    def snapshots(self, command='verify'):
        done = run(NEARDUP, 'snapshot', command, '--state-dir', self.state, '--json', code=None)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, json.loads(done.stdout)['snapshots']

    def await_snapshot(self, service, entries=1):
        self.wait(lambda: service.metric('neardup_snapshot_entries') >= entries, 'a snapshot',
                  services=[service])

    def restored_entries(self, service):
        """Returns the entries restored from the snapshot; None if no snapshot was used."""
        found = re.search(r'snapshot restored: (\d+) entries', service.text())
        return int(found.group(1)) if found else None

    def test_a_killed_instance_resumes_from_its_snapshot(self):
        self.fill(records=RECORDS, seed=11)
        config = self.config()
        first = self.start(config)
        self.await_snapshot(first, entries=1000)
        # The changelog goes on after the snapshot.
        feed = self.feed(500, seed=111)
        before = first.decided()
        self.wait(lambda: first.decided() > before, 'more output', services=[first])
        first.kill()
        records = self.finish(feed)
        code, found = self.snapshots()
        self.assertEqual(code, 0, found)
        self.assertGreaterEqual(found[0]['entries'], 1000)
        self.assertTrue(found[0]['verified'])
        second = self.start(config)
        self.wait_drained(second)
        self.assertEqual(self.restored_entries(second), found[0]['entries'])
        self.assertEqual(second.terminate()[0], 0)
        self.assert_promises_kept(config, records)
        # A clean stop writes a snapshot that includes the last decisions.
        third = self.start(config)
        self.wait_drained(third)
        self.assertEqual(third.decided(), 0)
        self.assertEqual(third.terminate()[0], 0)

    def test_a_damaged_snapshot_is_refused_and_costs_no_verdict(self):
        self.fill(records=RECORDS, seed=12)
        config = self.config()
        first = self.start(config)
        self.await_snapshot(first, entries=1000)
        first.kill()
        for segment in (self.state / 'lane-0').glob('*.segment'):
            damaged = bytearray(segment.read_bytes())
            damaged[20] ^= 0x10  # in the first delta, which the older snapshot contains too
            segment.write_bytes(damaged)
        code, found = self.snapshots()
        self.assertEqual(code, 1)
        self.assertIn('checksum', found[0]['error'])
        second = self.start(config)
        self.wait_drained(second)
        self.assertIn('a snapshot is refused', second.text())
        self.assertIsNone(self.restored_entries(second))
        self.assertGreater(second.metric('neardup_state_discarded_total'), 0)
        self.await_snapshot(second, entries=1000)
        self.assertEqual(second.terminate()[0], 0)
        self.assert_promises_kept(config, RECORDS)
        self.assertEqual(self.snapshots()[0], 0)

    def test_a_purged_changelog_is_enough_for_a_start_without_a_snapshot(self):
        self.create_topics()
        # With few live entries, most of the changelog soon holds only dead ones.
        config = self.config(window={'entries_max': 1000}, transaction={'interval_ms': 20})
        feed = self.feed(1000, seed=13)
        first = self.start(config)
        self.wait(lambda: first.decided() > 1500, 'more than the window holds', services=[first])
        first.kill()
        second = self.start(config)
        self.wait(lambda: second.metric('neardup_changelog_purged_offset') > 0, 'a purge', services=[second])
        purged = int(second.metric('neardup_changelog_purged_offset'))
        self.finish(feed)
        self.end_drained(second)
        for file in (self.state / 'lane-0').iterdir():
            file.unlink()
        self.fill_more(1000, seed=14)
        third = self.start(config)
        self.wait_drained(third)
        self.assertIsNone(self.restored_entries(third))
        self.assertEqual(third.terminate()[0], 0)
        print(f'\nchangelog purged below offset {purged}')
        self.assert_promises_kept(config, self.count(*self.topics))

    def test_a_snapshot_of_another_app_is_not_used(self):
        self.fill(records=RECORDS // 4, seed=15)
        config = self.config()
        self.run_to_end(config)
        other = self.config()
        text = json.loads(other.read_text())
        text['app'] = self.app + '-other'
        text['output'] = {'unique_topic': '{topic}.u', 'duplicate_topic': '{topic}.d',
                          'dead_letter_topic': '{topic}.x'}
        other.write_text(json.dumps(text))
        second = self.start(other)
        self.wait_drained(second, app=f'{self.app}-other')
        self.assertIn(f'the snapshot is of changelog {self.app}-changelog/0', second.text())
        self.assertEqual(second.terminate()[0], 0)
        self.assert_promises_kept(other, RECORDS // 4)

    def test_two_instances_do_not_share_a_folder(self):
        self.fill(records=1000, seed=16)
        config = self.config()
        first = self.start(config)
        self.wait_drained(first)
        second = self.start(config)
        self.wait(lambda: second.process.poll() is not None, 'the second to leave')
        self.assertEqual(second.process.returncode, 69)
        self.assertIn('another process has this folder in use', second.text())
        self.assertEqual(first.terminate()[0], 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
