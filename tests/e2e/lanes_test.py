"""Several lanes of one app on a real Kafka: each decides its own partitions exactly once, and what happens to one lane
does not disturb another."""
import unittest

from harness import NEARDUP, KafkaTest, run

CONFIG_ERROR = 78


class Lanes(KafkaTest):
    def config(self, count, lanes=None, **sections):
        path = self.write_config(lanes={'count': count, **(lanes or {})}, **sections)
        return path.replace(path.with_name(f'{self.name}.{count}.yaml'))

    def start_lane(self, config, lane, *more):
        return self.start(config, '--set', f'lanes.lane={lane}', *more)

    def rows(self, kind):
        """[(partition, header)] of all records of the output topics of this kind."""
        rows = [row for topic in self.topics for row in self.load('dump', '--topic', f'{topic}.{kind}').splitlines()]
        return [(int(row.split('\t')[0]), bytes.fromhex(row.rsplit('neardup=0x', 1)[1]).decode()) for row in rows]

    def assert_lanes_kept(self, config, count, records):
        report = self.assert_no_violation(config)
        self.assertEqual(len(report['lanes']), count)
        self.assertEqual(sum(lane['inputs'] for lane in report['lanes']), records)
        self.assertTrue(all(lane['inputs'] > 0 for lane in report['lanes']))

    def fails(self, config, lane, text):
        self.assertIn(text, self.assert_ends(self.start_lane(config, lane), CONFIG_ERROR))

    def test_four_lanes_decide_their_partitions_and_a_kill_disturbs_only_its_lane(self):
        self.create_topics(partitions=4)
        feed = self.feed(per_second=2000)
        config = self.config(4)
        lanes = [self.start_lane(config, lane) for lane in range(4)]
        for service in lanes:
            self.wait(lambda: self.is_active(service) and service.decided() > 50, 'active', services=[service])
        standby = self.start_lane(config, 2)
        self.wait(lambda: standby.get('/readyz')[0] == 200, 'ready', services=[standby])
        lanes[2].kill()
        others = [service for lane, service in enumerate(lanes) if lane != 2]
        self.wait(lambda: self.is_active(standby) and standby.decided() > 50, 'active', services=[standby])
        lanes[2] = standby
        at_least = [service.decided() + 50 for service in others]
        self.wait(lambda: all(service.decided() >= least for service, least in zip(others, at_least)),
                  'more records in all lanes', services=others)
        for service in others:
            self.assertEqual(service.metric('neardup_promotions_total'), 1)
        # A lane that ends in order, and begins again without a standby.
        self.assertEqual(lanes[1].terminate()[0], 0)
        lanes[1] = self.start_lane(config, 1)
        records = self.finish(feed)
        for service in lanes:
            self.end_drained(service)
        self.assert_lanes_kept(config, 4, records)
        rows = self.rows('unique') + self.rows('duplicate') + self.rows('dead-letter')
        self.assertEqual(len(rows), records)
        for partition, header in rows:
            self.assertIn(f';lane={partition % 4};', header)
        self.assertEqual(len(self.bounds(f'{self.app}-changelog')), 4)

    def test_another_number_of_lanes_is_refused(self):
        self.fill(records=800, partitions=4)
        two = self.config(2)
        services = [self.start_lane(two, lane) for lane in range(2)]
        for service in services:
            self.end_drained(service)
        self.assert_lanes_kept(two, 2, 800)
        self.fails(self.config(4), 0, 'belongs to one of 2 lane(s), and lanes.count is 4')
        # This lane has no changelog yet.
        self.fails(self.config(4), 3, 'belongs to one of 2 lane(s), and lanes.count is 4')
        self.fails(self.config(1), 0, 'belongs to one of 2 lane(s), and lanes.count is 1')
        self.assertEqual(len(self.bounds(f'{self.app}-changelog')), 2, 'a refused lane changes nothing')
        self.assert_lanes_kept(two, 2, 800)

    def test_topics_with_other_numbers_of_partitions_or_too_few_are_refused(self):
        for topic, partitions in zip(self.topics, (4, 3)):
            self.load('create', '--topic', topic, '--partitions', partitions)
        self.fails(self.config(2), 0, 'all input topics need as many')
        self.topics = self.topics[1:]
        self.fails(self.config(4), 1, 'so that lane 3 would read nothing; expected at most 3 lane(s)')

    def test_a_lane_with_a_new_partition_waits_unless_the_settings_allow_it(self):
        self.topics = self.topics[:1]
        self.fill(records=600, partitions=2)
        often = {'input': {'partitions_refresh_ms': '1s'}}
        strict = self.config(2, **often)
        services = [self.start_lane(strict, lane) for lane in range(2)]
        for service in services:
            self.wait_drained(service)
        self.load('grow', '--topic', self.topics[0], '--partitions', 3)
        self.wait(lambda: 'has a new partition, 2: producers now send some keys to other partitions' in services[0].text(),
                  'the lane that says why it waits', services=services)
        for service in services:
            self.assertEqual(service.terminate()[0], 0)

        lenient = self.config(2, lanes={'on_partition_growth': 'continue'}, **often)
        self.fill_more(600, seed=2)
        services = [self.start_lane(lenient, lane) for lane in range(2)]
        for service in services:
            self.wait_drained(service)
        self.assertEqual(services[0].metric('neardup_lane_partitions_added_total'), 1)
        self.assertIn('keys have moved between the lanes', services[0].text())
        for service in services:
            self.assertEqual(service.terminate()[0], 0)
        self.assert_lanes_kept(lenient, 2, 1200)

    def test_reset_forgets_all_lanes(self):
        self.fill(records=600, partitions=2)
        config = self.config(2)
        for lane in range(2):
            service = self.start_lane(config, lane)
            self.wait(lambda: service.decided() >= 100, 'records', services=[service])
            self.assertEqual(service.terminate()[0], 0)
        shown = run(NEARDUP, 'reset', '--config', config, '--all').stdout
        self.assertIn('all 2 lanes', shown)
        self.assertIn(f'{self.app}-lease-0, {self.app}-lease-1', shown)
        run(NEARDUP, 'reset', '--config', config, '--all', '--execute')
        again = self.config(4, output={name: '{topic}.again-' + name for name in
                                       ('unique_topic', 'duplicate_topic', 'dead_letter_topic')})
        self.fails(again, 0, 'so that lane 2 would read nothing')


if __name__ == '__main__':
    unittest.main(verbosity=2)
