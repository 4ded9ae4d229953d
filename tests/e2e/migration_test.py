"""Another number of lanes on a real Kafka: no lane forgets a record that the old lanes knew, even if the migration is
killed, and no lane starts before it is complete."""
import unittest

from harness import NEARDUP, run
from lane_texts import CONFIG_ERROR, PARTITIONS, LaneTexts


class Migration(LaneTexts):
    def migrate(self, config, to, *more, code=0):
        return run(NEARDUP, 'lanes', 'migrate', '--config', config, '--lanes', to, *more, code=code)

    def test_lanes_that_take_over_from_another_number_know_every_record(self):
        self.create_topics(partitions=PARTITIONS)
        count = 1
        self.put(2000)
        self.decide(self.config(count), count)
        for to in (4, 8, 3, 1):
            shown = self.migrate(self.config(count), to).stdout
            self.assertIn('nothing is changed yet', shown)
            done = self.migrate(self.config(count), to, '--execute').stdout
            self.assertEqual(done.rsplit('done:', 1)[0], shown.rsplit('nothing', 1)[0])
            self.assertIn(f'done: set lanes.count: {to}', done)
            self.fails_to_start(self.config(count), 0, f'belongs to one of {to} lane(s), and lanes.count is {count}')
            if to < count:  # a lane that there is no more
                self.fails_to_start(self.config(count), count - 1, f'belongs to one of {to} lane(s)')
            again = self.migrate(self.config(count), to, code=CONFIG_ERROR)
            self.assertIn(f'already has {to} lane(s); set lanes.count: {to}', again.stderr)
            count = to
            self.put(1500)
            self.decide(self.config(count), count)
            self.assert_each_text_is_unique_once()
            self.assert_verified(self.config(count))

    def test_a_migration_that_is_killed_is_refused_by_the_lanes_and_can_be_repeated(self):
        self.create_topics(partitions=PARTITIONS)
        count = 2
        self.put(2000)
        self.decide(self.config(count), count)
        unfinished = 0
        for to in (5, 2, 6):
            for number in range(4):
                if not self.kill_command(number, 'lanes', 'migrate', '--config', self.config(count), '--lanes', to,
                                         '--execute'):
                    break
                again = self.migrate(self.config(count), to, code=None)
                if again.returncode == CONFIG_ERROR:  # it was killed after its last write
                    break
                unfinished += self.start_shortly(self.config(to), to - 1,
                                                 f'`neardup lanes migrate --lanes {to} --execute` was interrupted',
                                                 f'belongs to one of {count} lane(s), and lanes.count is {to}')
            done = self.migrate(self.config(count), to, '--execute', code=None)
            self.assertTrue(done.returncode == 0 or f'already has {to} lane(s)' in done.stderr, done.stderr)
            count = to
            self.put(1000)
            self.decide(self.config(count), count)
            self.assert_each_text_is_unique_once()
            self.assert_verified(self.config(count))
        self.assertGreater(unfinished, 0, 'no kill came between the first and the last write')

    def test_groups_move_with_their_originals(self):
        self.create_topics(partitions=PARTITIONS)
        newest = {'routing': {'keep': 'newest'}}
        self.put(1500)
        self.decide(self.config(1, **newest), 1)
        self.migrate(self.config(1, **newest), 3, '--execute')
        self.put(1500)
        self.decide(self.config(3, **newest), 3)
        self.assert_verified(self.config(3, **newest))
        replacing = [header for header in self.headers('unique') if ';replaces=' in header and ';lane=' in header]
        self.assertGreater(len(replacing), 50, 'the new lanes replace records')

    def test_a_running_lane_and_wrong_numbers_are_refused(self):
        self.create_topics(partitions=PARTITIONS)
        self.put(300)
        config = self.config(2)
        lanes = [self.start(config, '--set', f'lanes.lane={lane}') for lane in range(2)]
        for service in lanes:
            self.wait(lambda: self.is_active(service), 'active', services=[service])
        running = self.migrate(config, 4, '--execute', code=None)
        self.assertIn('are running (members of group', running.stderr)
        self.wait_drained(lanes[0])
        for service in lanes:
            self.assertEqual(service.terminate()[0], 0)
        self.assertIn('expected --lanes 8 or less', self.migrate(config, 9, code=CONFIG_ERROR).stderr)
        self.assertIn('other than lanes.count, which is 2', self.migrate(config, 2, code=CONFIG_ERROR).stderr)
        self.assertIn('belongs to one of 2 lane(s), and lanes.count is 3',
                      self.migrate(self.config(3), 4, code=CONFIG_ERROR).stderr)
        self.decide(config, 2)
        self.assert_verified(config)


if __name__ == '__main__':
    unittest.main(verbosity=2)
