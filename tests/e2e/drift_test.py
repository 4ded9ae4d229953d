"""Drift on a real Kafka: the service warns of a stream that changes half-way, and is silent about one that
goes on as it was. A window of records begins at most once a minute, so this takes two to three minutes, in
which the machine has little to do."""
import json
import random
import time
import unittest

from harness import KafkaTest, RUN

SAMPLE = 500  # the size of a window, too
BATCH = 250  # records that a topic gets at a time
PAUSE_S = 4
WARNING = 'the settings may no longer fit the stream'


class Writer:
    """Makes up news of one kind: random words of one list, and about as many of them each time."""

    def __init__(self, seed, prefix, words):
        self.random = random.Random(seed)
        self.prefix = prefix
        self.words = words
        self.number = 0

    def text(self, words):
        return ' '.join(f'{self.prefix}{self.random.randrange(2000)}' for _ in range(words))

    def lines(self, records):
        """Records as `e2e_load put` reads them."""
        for _ in range(records):
            self.number += 1
            news = {'id': f'{self.prefix}-{self.number}', 'title': self.text(8),
                    'text': self.text(self.random.randrange(self.words, 2 * self.words))}
            yield f'0\t{int(time.time() * 1000)}\t-\t0x{json.dumps(news).encode().hex()}\t'


class Drift(KafkaTest):
    def put(self, topic, writer, records):
        path = self.directory / f'{topic}.tsv'
        path.write_text('\n'.join(writer.lines(records)) + '\n')
        self.load('put', '--topic', topic, '--file', path)

    def take_turn(self, topic):
        """From now on the test works on the app of this topic."""
        self.app, self.topics, self.name = topic, [topic], topic

    def start_on(self, topic, writer):
        """Starts a service that learns from the first records of a topic of its own."""
        self.load('create', '--topic', topic, '--partitions', 1)
        self.put(topic, writer, SAMPLE)
        self.take_turn(topic)
        path = self.write_config(auto={'records_max': SAMPLE})
        config = json.loads(path.read_text())
        del config['record'], config['match']
        path.write_text(json.dumps(config))
        return self.start(path), path

    def shares(self, service):
        """The ratios of the last window by aspect; empty before the first window has ended."""
        return [float(line.split()[-1]) for line in service.get('/metrics')[1].splitlines()
                if line.startswith('neardup_drift_ratio{')]

    def test_a_stream_that_changes_half_way_is_reported_and_a_stable_one_is_not(self):
        stable, changing = Writer(1, 'a', 40), Writer(2, 'a', 40)
        silent_topic, warning_topic = f'stable-{RUN}', f'changing-{RUN}'
        silent, silent_config = self.start_on(silent_topic, stable)
        warning, warning_config = self.start_on(warning_topic, changing)
        services = [silent, warning]
        self.wait(lambda: all(self.shares(service) for service in services), 'the first window',
                  services=services)
        changed = Writer(3, 'b', 160)
        put = {silent: SAMPLE, warning: SAMPLE}
        deadline = time.monotonic() + 500
        while warning.metric('neardup_drift_detected') != 1:
            self.assertLess(time.monotonic(), deadline, warning.text()[-3000:])
            for service, topic, writer in ((silent, silent_topic, stable), (warning, warning_topic, changed)):
                self.put(topic, writer, BATCH)
                put[service] += BATCH
            time.sleep(PAUSE_S)
        self.assertEqual(warning.text().count(WARNING), 1)
        self.assertIn('neardup tune --compare', warning.text())
        self.assertGreater(max(self.shares(warning)), 1)
        self.assertEqual(silent.metric('neardup_drift_detected'), 0)
        self.assertLess(max(self.shares(silent)), 1)
        self.assertNotIn(WARNING, silent.text())
        for topic, service, config in ((silent_topic, silent, silent_config), (warning_topic, warning, warning_config)):
            self.take_turn(topic)
            self.end_drained(service)
            self.assert_promises_kept(config, put[service])


if __name__ == '__main__':
    unittest.main(verbosity=2)
