"""Nobody names a field: the lane learns from its topics on a real Kafka, before its first record. Each
way to start must give one choice, and `neardup verify` must find every promise kept under it."""
import json
import random
import re
import signal
import time
import unittest

from harness import KafkaTest, NEARDUP, run

RECORDS = 2_000


class Learning(KafkaTest):
    def config(self, **sections):
        path = self.write_config(**{'auto': {'wait_ms': '20s'}, 'log': {'level': 'debug'}, **sections})
        config = json.loads(path.read_text())
        if 'record' not in sections:
            del config['record']
        if 'mode' not in sections.get('match', {}):
            del config['match']['mode']
        path.write_text(json.dumps(config))
        return path

    def in_force(self, config):
        """Returns the learnable settings that the brokers have."""
        shown = run(NEARDUP, 'config', 'show', '--config', config, '--in-force', '--json')
        settings = json.loads(shown.stdout)['settings']
        return {section: settings[section] for section in ('record', 'feature', 'match')}

    def reasons(self, service):
        return re.findall(r'learned settings: (.*)', service.text())

    def reference(self, service):
        """Returns what drift is measured against."""
        return re.search(r'drift is measured against (.*)', service.text()).group(1)

    def settle(self, config, service, records):
        """The service decides everything, stops, and has kept its promises. Returns what it learned."""
        self.end_drained(service)
        self.assert_promises_kept(config, records)
        return self.reasons(service)

    def test_a_topic_with_history_is_learned_from_and_a_restart_takes_the_same(self):
        self.fill(records=RECORDS)
        config = self.config()
        service = self.start(config)
        self.wait(lambda: service.decided() > 0, 'the first records', services=[service])
        shown = json.loads(service.get('/status')[1])['settings']
        learned = self.settle(config, service, RECORDS)
        self.assertEqual({section: shown[section] for section in ('record', 'feature', 'match')},
                         self.in_force(config))
        self.assertGreaterEqual(len(learned), 3)
        self.assertLessEqual(len(learned), 5)
        self.assertIn('mode near', ' '.join(learned))
        self.assertNotIn('nothing', learned[1])
        choice = self.in_force(config)
        self.assertIn('the sample that the settings were chosen from', self.reference(service))
        self.fill_again(seed=2)
        restarted = self.start(config)
        again = self.settle(config, restarted, 2 * RECORDS)
        self.assertEqual(again, learned)
        self.assertEqual(self.reference(restarted), self.reference(service))
        self.assertEqual(self.in_force(config), choice)

    def fill_again(self, seed):
        self.fill_more(RECORDS, seed)

    def test_an_empty_topic_is_waited_for_and_a_standby_takes_what_the_other_learned(self):
        self.create_topics(2)
        config = self.config()
        both = [self.start(config), self.start(config)]
        for service in both:
            self.wait(lambda: service.metric('neardup_state{state="learning"}') == 1
                      or 'neardup_state{state="learning"} 1' in service.get('/metrics')[1],
                      'the learning', services=both)
            self.assertEqual(service.get('/readyz')[0], 200)
            self.assertEqual(service.get('/healthz')[0], 200)
        self.fill_again(seed=3)
        self.wait(lambda: all(self.reasons(service) for service in both), 'both have learned',
                  services=both)
        self.assertEqual(self.reasons(both[0]), self.reasons(both[1]))
        active, standby = both
        if not self.is_active(active):
            active, standby = standby, active
        self.wait(lambda: active.decided() > 0, 'the first records', services=both)
        active.kill()
        self.settle(config, standby, RECORDS)

    def test_a_configuration_that_changes_while_the_lane_learns_is_read_again(self):
        self.create_topics(1)
        service = self.start(self.config())
        self.wait(lambda: 'learning from the input topics' in service.text(), 'the learning', services=[service])
        config = self.config(window={'window_ms': '1h'})
        service.process.send_signal(signal.SIGHUP)
        self.wait(lambda: service.text().count('learning from the input topics') == 2, 'the learning again',
                  services=[service])
        self.assertIn('starts again with: window.window_ms', service.text())
        self.fill_again(seed=10)
        self.wait_drained(service)
        self.assertIn('"window_ms":3600000', service.get('/status')[1].replace(' ', ''))
        self.settle(config, service, RECORDS)

    def test_a_trickle_does_not_wait_for_ever_and_learns_again_when_it_has_grown(self):
        self.create_topics(1)
        self.fill_more(40, seed=9)
        config = self.config(auto={'wait_ms': '3s'})
        service = self.start(config)
        learned = self.settle(config, service, 40)
        self.assertIn('40 records are too few to learn from; expected at least 200', learned[0])
        self.assertIn('mode near', ' '.join(learned))
        self.assertIn('the lane learns again by itself when it has decided 200 records', service.text())
        shown = run(NEARDUP, 'config', 'show', '--config', config, '--in-force')
        self.assertIn('40 records are too few to learn from', shown.stderr)
        self.assertIn('these settings are provisional', shown.stderr)
        # A reindex does not wait for records that may never come.
        refused = run(NEARDUP, 'reindex', '--config', self.config(auto={'wait_ms': '1h'}), code=66,
                      timeout=180)
        self.assertIn('found 40 records, expected at least 200 to learn from', refused.stderr)
        config = self.config(auto={'wait_ms': '3s'})
        service = self.start(config)
        self.wait_drained(service)
        self.assertEqual(self.reasons(service), learned)
        self.fill_again(seed=4)
        self.wait(lambda: 'learned from' in service.text(), 'the lane learns again', services=[service])
        again = self.settle(config, service, 40 + RECORDS)[len(learned):]
        self.assertIn('mode near', again[2])
        self.assertEqual(service.text().count('learning again'), 1)
        choice = self.in_force(config)
        self.fill_again(seed=14)
        self.assertEqual(self.settle(config, self.start(config), 40 + 2 * RECORDS), again)
        self.assertEqual(self.in_force(config), choice)

    def start_two_on_empty_topics(self):
        """Two instances that read only new records, one of them active. They have learned nothing."""
        self.create_topics(2)
        config = self.config(input={'start': 'latest'}, state={'snapshot_interval_ms': 1000})
        both = [self.start_with_snapshots(config, number) for number in range(2)]
        self.wait(lambda: any('lane is active' in service.text() for service in both)
                  and all(self.reasons(service) for service in both), 'one is active', services=both)
        for service in both:
            self.assertIn('0 records are too few to learn from', self.reasons(service)[0])
        return config, both

    def start_with_snapshots(self, config, number):
        return self.start(config, '--set', f'state.dir={self.directory / self.name}.state-{number}')

    def has_learned(self, service):
        return any(reason.startswith('mode near') for reason in self.reasons(service))

    def test_from_the_end_of_an_empty_topic_it_learns_later_and_the_standby_takes_it(self):
        config, both = self.start_two_on_empty_topics()
        self.fill_again(seed=11)
        self.wait(lambda: all(self.has_learned(service) for service in both), 'both have learned', services=both)
        self.assertEqual(self.reasons(both[0])[-3:], self.reasons(both[1])[-3:])
        self.assertEqual(sum(service.text().count('learning again') for service in both), 1)
        self.fill_again(seed=12)
        active, standby = both
        self.wait(lambda: any(service.decided() > 0 for service in both), 'more records', services=both)
        if not self.is_active(active):
            active, standby = standby, active
        active.kill()
        learned = self.settle(config, standby, 2 * RECORDS)
        # Snapshots of the provisional settings must not come back.
        for number in range(2):
            self.fill_again(seed=20 + number)
            again = self.settle(config, self.start_with_snapshots(config, number), (3 + number) * RECORDS)
            self.assertEqual(again, learned[-len(again):])

    def test_a_lane_that_finds_too_few_records_again_says_so_and_tries_later(self):
        self.topics = self.topics[:1]
        topic = self.topics[0]
        self.load('create', '--topic', topic, '--partitions', 1)
        config = self.config(input={'start': 'latest'})
        service = self.start(config)
        self.wait(lambda: 'lane is active' in service.text(), 'the lane', services=[service])

        def put(records, seed):
            self.load('fill', '--topics', topic, '--records', records, '--seed', seed)
        put(150, 31)
        self.wait_drained(service)
        self.load('delete', '--topic', topic, '--partition', 0, '--before=-1')
        put(60, 32)
        self.wait(lambda: 'could not learn again' in service.text(), 'the attempt', services=[service])
        self.assertIn('the input topics hold 60 records, expected at least 200; the next attempt is when it '
                      'has decided 420 records', service.text())
        self.wait_drained(service)
        self.wait_decided(service, 210)
        put(250, 33)
        self.wait(lambda: any('learned from 310 records' in reason for reason in self.reasons(service)),
                  'the lane learns', services=[service])
        self.end_drained(service)
        self.assertEqual(self.verify(config)[0], 0)

    def test_a_lane_that_has_learned_to_join_only_equal_records_refuses_a_distance(self):
        self.topics = self.topics[:1]
        topic = self.topics[0]
        self.load('create', '--topic', topic, '--partitions', 1)
        sections = {'input': {'start': 'latest'}}
        config = self.config(**sections)
        service = self.start(config)
        self.wait(lambda: 'lane is active' in service.text(), 'the lane', services=[service])
        self.config(**sections, match={'distance_max': 4})
        service.process.send_signal(signal.SIGHUP)
        self.wait(lambda: 'match.distance_max needs a restart' in service.text(), 'the refusal', services=[service])
        self.assertIn('fingerprints would change', service.text())
        self.load('fill', '--topics', topic, '--records', 100, '--seed', 41)
        self.end_drained(service)
        self.assertEqual(self.verify(self.config(**sections))[0], 0)

    def test_a_lane_goes_on_when_its_unique_records_cannot_be_indexed_again(self):
        self.topics = self.topics[:1]
        topic = self.topics[0]
        self.load('create', '--topic', topic, '--partitions', 1)
        service = self.start(self.config(input={'start': 'latest'}))
        self.wait(lambda: 'lane is active' in service.text(), 'the lane', services=[service])
        foreign = self.directory / f'{self.name}.tsv'
        foreign.write_text(f'0\t{int(time.time() * 1000)}\t-\t0x7b7d\t\n')
        self.load('put', '--topic', f'{topic}.unique', '--file', foreign)
        self.load('fill', '--topics', topic, '--records', 250, '--seed', 34)
        self.wait(lambda: 'could not learn again' in service.text(), 'the attempt', services=[service])
        self.load('fill', '--topics', topic, '--records', 100, '--seed', 35)
        self.wait(lambda: service.decided() == 350, 'the records after the attempt', services=[service])
        self.assertEqual(service.terminate()[0], 0)
        self.assertNotIn('starting again', service.text())

    def test_an_instance_that_dies_while_it_learns_again_leaves_that_to_the_other(self):
        config, both = self.start_two_on_empty_topics()
        self.fill_again(seed=13)

        def learning():
            return next((service for service in both if 'learning again' in service.text()), None)
        self.wait(learning, 'one learns again')
        first = learning()
        first.kill()
        other = both[1 - both.index(first)]
        self.wait(lambda: self.has_learned(other), 'the other has learned', services=[other])
        self.settle(config, other, RECORDS)

    def test_a_lane_that_began_without_learning_goes_on_as_it_was(self):
        self.fill(records=RECORDS)
        config = self.config(match={'mode': 'near'})
        self.assertEqual(self.settle(config, self.start(config), RECORDS), [])
        config = self.config()
        self.fill_again(seed=5)
        service = self.start(config)
        self.assertEqual(self.settle(config, service, 2 * RECORDS), [])
        self.assertIn('began without learned settings', service.text())
        self.assertIn('the first records that this process decides', self.reference(service))
        done = run(NEARDUP, 'reindex', '--config', config, '--execute')
        self.assertIn('learned from', done.stdout)
        self.fill_again(seed=6)
        self.assertIn('mode near', ' '.join(self.settle(config, self.start(config), 3 * RECORDS)))
        # A second reindex learns something else, which replaces what the first one learned.
        other = self.config(auto={'records_max': 1000})
        done = run(NEARDUP, 'reindex', '--config', other, '--execute')
        self.assertIn('learned from 1,000 records', done.stdout)
        self.fill_again(seed=7)
        self.assertIn('learned from 1,000 records', self.settle(config, self.start(config), 4 * RECORDS)[0])

    def test_of_events_without_a_text_only_those_leave_that_are_delivered_twice(self):
        draw = random.Random(46)
        now = int(time.time() * 1000) - 3_600_000
        events = {
            'readings': lambda i: {'sensor': f's{draw.randrange(12)}', 'at': now + 500 * i,
                                   'celsius': draw.randrange(180, 260) / 10, 'humidity': draw.randrange(30, 60)},
            'orders': lambda i: {'order_id': f'A-{50_000 + i}', 'customer': f'c{draw.randrange(80)}',
                                 'article': f'p{draw.randrange(40)}', 'quantity': draw.randrange(1, 5),
                                 'created_at': now + 500 * i},
            'payments': lambda i: {'id': f'pay_{draw.getrandbits(40):010x}', 'from': f'acc{draw.randrange(300)}',
                                   'to': f'acc{draw.randrange(300)}', 'amount': draw.randrange(90) + 0.5}}
        app, topic = self.app, self.topics[0]
        for kind, event in events.items():
            with self.subTest(kind):
                self.app, self.topics = f'{app}-{kind}', [f'{topic}-{kind}']
                lines, delivered_twice = [], 0
                for i in range(1500):
                    payload = json.dumps(event(i)).encode()
                    twice = i % 10 == 9
                    delivered_twice += twice
                    lines += [f'0\t{now + 500 * i}\t-\t0x{payload.hex()}\t'] * (1 + twice)
                file = self.directory / f'{self.app}.tsv'
                file.write_text('\n'.join(lines) + '\n')
                self.create_topics(1)
                self.load('put', '--topic', self.topics[0], '--file', file)
                config = self.config()
                self.settle(config, self.start(config), len(lines))
                self.assertEqual(self.verify(config)[1]['unique'], 1500)
                shown = json.loads(run(NEARDUP, 'report', '--config', config, '--json').stdout)
                self.assertEqual((shown['unique'], shown['exact'], shown['near']), (1500, delivered_twice, 0))

    def test_what_a_person_sets_wins(self):
        self.fill(records=RECORDS)
        config = self.config(match={'distance_max': 2})
        self.settle(config, self.start(config), RECORDS)
        self.assertEqual(self.in_force(config)['match']['distance_max'], 2)

    def test_a_purged_changelog_still_says_what_was_learned(self):
        # Only the deltas of one commit in 256 repeat what was learned, so this takes more commits than that.
        self.create_topics()
        sections = {'window': {'entries_max': 1000}, 'transaction': {'interval_ms': 10}}
        config = self.config(**sections, state={'dir': str(self.directory / f'{self.name}.state'),
                                                'snapshot_interval_ms': 1000})
        feed = self.feed(500, seed=8)
        first = self.start(config)
        self.wait(lambda: first.metric('neardup_changelog_purged_offset') > 0, 'a purge', services=[first])
        records = self.finish(feed)
        learned = self.settle(config, first, records)
        second = self.start(self.config(**sections))
        self.wait_drained(second)
        self.assertEqual(self.reasons(second), learned)
        self.assertEqual(second.terminate()[0], 0)


if __name__ == '__main__':
    unittest.main(verbosity=2)
