"""Shared by the tests of what lanes begin with: records whose verdicts are known, and commands that are killed."""
import json
import random

from harness import NEARDUP, KafkaTest

CONFIG_ERROR = 78
BASE_MS = 1_769_860_800_000
PARTITIONS = 8


class LaneTexts(KafkaTest):
    def setUp(self):
        super().setUp()
        self.topics = self.topics[:1]
        self.draw = random.Random(7)
        self.texts = []  # (partition, text) of each record so far; the first of each pair is unique
        self.ends = [0] * PARTITIONS
        self.first = {}  # offset of the first record by (partition, text)

    def config(self, count, **sections):
        path = self.write_config(**{'record': {'fields': ['title']}, 'window': {'window_ms': '24h'},
                                    'lanes': {'count': count}, **sections})
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

    def assert_each_text_is_unique_once(self):
        topic = self.topics[0]
        uniques = [header.split('origin=')[1].split(';')[0] for header in self.headers('unique')]
        expected = [f'{topic}/{partition}/{offset}' for (partition, _), offset in self.first.items()]
        self.assertEqual(sorted(uniques), sorted(expected))
        self.assertEqual(len(self.headers('duplicate')), len(self.texts) - len(expected))

    def assert_verified(self, config):
        report = self.assert_no_violation(config)
        lanes = report.get('lanes', [report])
        self.assertEqual(sum(lane['inputs'] for lane in lanes), len(self.texts))

    def kill_command(self, number, *arguments):
        """Kills a command of neardup when it has written to one of the changelogs, once or twice; if it is number 0,
        when it has written to the first one. Whether it had not ended."""
        topic = f'{self.app}-changelog'
        ends = self.bounds(topic)
        partition = self.draw.randrange(len(ends)) if number > 0 else 0
        passed = ends[f'{topic}/{partition}'][1] + (2 * self.draw.randrange(2) if number > 0 else 0)
        shown = self.load('kill-at-end', '--topic', topic, '--partition', partition, '--offset', passed, '--', NEARDUP,
                          *arguments)
        return shown.splitlines()[-1] == 'killed'

    def start_shortly(self, config, lane, interrupted, untouched=None):
        """Whether the lane was refused because this command was interrupted. A lane that the command has not reached
        may say `untouched` instead."""
        service = self.start(config, '--set', f'lanes.lane={lane}')
        self.wait(lambda: service.process.poll() is not None or self.is_active(service), 'an answer')
        if service.process.poll() is None:  # this lane has all that it needs, whatever others have
            self.assertEqual(service.terminate()[0], 0)
            return False
        service.log.close()
        self.assertEqual(service.process.returncode, CONFIG_ERROR, service.text()[-3000:])
        if untouched is None or untouched not in service.text():
            self.assertIn(interrupted, service.text())
        return interrupted in service.text()

    def fails_to_start(self, config, lane, text):
        service = self.start(config, '--set', f'lanes.lane={lane}')
        self.assertIn(text, self.assert_ends(service, CONFIG_ERROR))
