"""Another number of lanes on a real Kafka: no lane forgets a record that the old lanes knew, even if the migration is
killed, and no lane starts before it is complete."""
import json
import random
import subprocess
import unittest

from harness import LOADER, NEARDUP, KafkaTest, run

CONFIG_ERROR = 78
BASE_MS = 1_769_860_800_000
PARTITIONS = 8


class Migration(KafkaTest):
    def setUp(self):
        super().setUp()
        self.topics = self.topics[:1]
        self.draw = random.Random(7)
        self.texts = []  # (partition, text) of each record so far; the first of each pair is unique
        self.ends = [0] * PARTITIONS
        self.first = {}  # offset of the first record by (partition, text)

    def config(self, count, **sections):
        path = self.write_config(record={'fields': ['title']}, window={'window_ms': '24h'}, lanes={'count': count},
                                 **sections)
        return path.replace(path.with_name(f'{self.name}.{count}.yaml'))

    def put(self, records):
        """Writes records, of which about a third repeat the text of an earlier one of the same partition."""
        lines = []
        for _ in range(records):
            if self.texts and self.draw.random() < 0.35:
                partition, text = self.draw.choice(self.texts)
            else:
                partition = self.draw.randrange(PARTITIONS)
                text = ' '.join(f'w{self.draw.randrange(1_000_000)}' for _ in range(20))
            self.first.setdefault((partition, text), self.ends[partition])
            self.ends[partition] += 1
            self.texts.append((partition, text))
            value = json.dumps({'title': text}).encode().hex()
            lines.append(f'{partition}\t{BASE_MS + self.draw.randrange(3_600_000)}\t-\t0x{value}\t\n')
        path = self.directory / f'{self.name}.lines'
        path.write_text(''.join(lines))
        self.load('put', '--topic', self.topics[0], '--file', path)

    def decide(self, config, count):
        """Runs all lanes until every record is decided."""
        lanes = [self.start(config, '--set', f'lanes.lane={lane}') for lane in range(count)]
        for service in lanes:
            self.wait(lambda: self.is_active(service), 'active', services=[service])
        self.wait_drained(lanes[0])
        for service in lanes:
            self.assertEqual(service.terminate()[0], 0)

    def headers(self, kind):
        rows = self.load('dump', '--topic', f'{self.topics[0]}.{kind}').splitlines()
        return [bytes.fromhex(row.rsplit('neardup=0x', 1)[1]).decode() for row in rows]

    def assert_each_text_is_unique_once(self):
        topic = self.topics[0]
        uniques = [header.split('origin=')[1].split(';')[0] for header in self.headers('unique')]
        expected = [f'{topic}/{partition}/{offset}' for (partition, _), offset in self.first.items()]
        self.assertEqual(sorted(uniques), sorted(expected))
        self.assertEqual(len(self.headers('duplicate')), len(self.texts) - len(expected))

    def assert_verified(self, config):
        code, report = self.verify(config)
        self.assertEqual(code, 0, json.dumps(report, indent=1)[:6000])
        lanes = report.get('lanes', [report])
        self.assertEqual(sum(lane['inputs'] for lane in lanes), len(self.texts))

    def migrate(self, config, to, *more, code=0):
        return run(NEARDUP, 'lanes', 'migrate', '--config', config, '--to', to, *more, code=code)

    def kill_migration(self, config, to):
        """Kills a migration when it has written to one of the changelogs, once or twice. Whether it had not ended."""
        topic, ends = f'{self.app}-changelog', self.bounds(f'{self.app}-changelog')
        partition = self.draw.randrange(len(ends))
        passed = ends[f'{topic}/{partition}'][1] + 2 * self.draw.randrange(2)
        watch = subprocess.Popen([str(LOADER), '--brokers', self.brokers, 'await-end', '--topic', topic, '--partition',
                                  str(partition), '--offset', str(passed)])
        with subprocess.Popen([str(NEARDUP), 'lanes', 'migrate', '--config', str(config), '--to', str(to),
                               '--execute'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            # What an earlier one has written for good is not written again.
            self.wait(lambda: watch.poll() is not None or process.poll() is not None, 'a write or the end')
            process.kill()
            watch.kill()
            watch.wait()
            return process.wait() < 0

    def fails_to_start(self, config, lane, text):
        service = self.start(config, '--set', f'lanes.lane={lane}')
        service.process.wait(timeout=180)
        service.log.close()
        self.assertEqual(service.process.returncode, CONFIG_ERROR, service.text()[-3000:])
        self.assertIn(text, service.text())

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
            for _ in range(4):
                if not self.kill_migration(self.config(count), to):
                    break
                newest = self.migrate(self.config(count), to, code=None)
                if newest.returncode == CONFIG_ERROR:  # it was killed after its last write
                    break
                service = self.start(self.config(to), '--set', 'lanes.lane=0')
                self.wait(lambda: service.process.poll() is not None or self.is_active(service), 'an answer')
                if service.process.poll() is None:
                    # Lane 0 is complete, and others may be not. It waits for no other lane.
                    self.assertEqual(service.terminate()[0], 0)
                    continue
                service.log.close()
                self.assertEqual(service.process.returncode, CONFIG_ERROR, service.text()[-3000:])
                unfinished += f'neardup lanes migrate --to {to} --execute' in service.text()
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
        self.assertIn('expected --to 8 or less', self.migrate(config, 9, code=CONFIG_ERROR).stderr)
        self.assertIn('other than lanes.count, which is 2', self.migrate(config, 2, code=CONFIG_ERROR).stderr)
        self.assertIn('belongs to one of 2 lane(s), and lanes.count is 3',
                      self.migrate(self.config(3), 4, code=CONFIG_ERROR).stderr)
        self.decide(config, 2)
        self.assert_verified(config)


if __name__ == '__main__':
    unittest.main(verbosity=2)
