"""A lane on a real Kafka that keeps the newest record of each group: a compacted topic ends with exactly these records,
through kills and take-overs, and the groups topic counts the copies."""
import collections
import json
import random
import unittest

from harness import NEARDUP, KafkaTest, run

BASE_MS = 1_769_860_800_000
HOUR_MS = 3_600_000
RECORDS = 4000
FAMILIES = 600


def hex_cell(text):
    return '-' if text is None else '0x' + text.encode().hex()


def unhexed(cell):
    return None if cell == '-' else bytes.fromhex(cell[2:]).decode()


def stream(seed):
    """Records as (family, id, time, key, value): copies of few texts, with shuffled times and keys that say nothing."""
    draw = random.Random(seed)
    texts = [' '.join(f'w{draw.randrange(100_000)}' for _ in range(25)) for _ in range(FAMILIES)]
    times = draw.sample(range(HOUR_MS), RECORDS)
    rows = []
    for number, time_ms in enumerate(times):
        family = draw.randrange(FAMILIES)
        title = texts[family].upper() if draw.random() < 0.3 else texts[family]
        value = json.dumps({'id': number, 'title': title})
        key = f'k{draw.randrange(50)}' if draw.random() < 0.8 else None
        rows.append((family, number, BASE_MS + time_ms, key, value))
    return rows


class Groups(KafkaTest):
    def put(self, rows):
        path = self.directory / f'{self.name}.lines'
        path.write_text(''.join(f'{number % 3}\t{time_ms}\t{hex_cell(key)}\t{hex_cell(value)}\t\n'
                                for _, number, time_ms, key, value in rows))
        self.load('put', '--topic', self.topics[0], '--file', path)

    def dump(self, topic):
        """Returns [(partition, key, value, headers)] in the order of each partition."""
        rows = []
        for line in self.load('dump', '--topic', topic).splitlines():
            partition, _, key, value, headers = line.split('\t')
            named = dict(header.split('=', 1) for header in headers.split(';') if header)
            rows.append((int(partition), unhexed(key), unhexed(value),
                         {name: unhexed(cell) for name, cell in named.items()}))
        return rows

    def compacted(self, topic):
        """What a compacted topic keeps: the last record of each key. A key is in one partition only."""
        kept, partition_of = {}, {}
        for partition, key, value, _ in self.dump(topic):
            self.assertEqual(partition_of.setdefault(key, partition), partition, key)
            kept[key] = json.loads(value)
        return kept

    def test_a_compacted_topic_keeps_the_newest_of_each_group_through_kills_and_take_overs(self):
        self.topics = self.topics[:1]
        self.create_topics(partitions=3)
        groups = f'{self.app}-groups'
        config = self.write_config(record={'fields': ['title']}, routing={'keep': 'newest'},
                                   window={'window_ms': '24h'},
                                   output={'unique_key': 'group', 'groups_topic': groups})
        rows = stream(seed=3)
        parts = 5
        active = self.start(config)
        for part in range(parts):
            self.put(rows[RECORDS * part // parts:RECORDS * (part + 1) // parts])
            self.wait(lambda: active.decided() > 100, 'records', services=[active])
            standby = self.start(config)
            self.wait(lambda: standby.get('/readyz')[0] == 200, 'ready', services=[standby])
            if part % 2:
                self.assertEqual(active.terminate()[0], 0)
            else:
                active.kill()
            active = standby
        self.wait_drained(active)
        replaced = active.metric('neardup_replaced_records_total')
        groups_of_several = sum(sum(row[0] == family for row in rows) > 1 for family in range(FAMILIES))
        self.wait(lambda: active.metric('neardup_groups') == groups_of_several, f'{groups_of_several} groups',
                  services=[active])
        self.assertEqual(active.terminate()[0], 0)

        newest = {}
        for family, number, time_ms, _, _ in rows:
            newest[family] = max(newest.get(family, (0, 0)), (time_ms, number))
        unique = f'{self.topics[0]}.unique'
        self.assertEqual(sorted(value['id'] for value in self.compacted(unique).values()),
                         sorted(number for _, number in newest.values()))
        own_keys = {number: key for _, number, _, key, _ in rows}
        for _, _, value, headers in self.dump(unique):
            self.assertEqual(headers['neardup-key'], own_keys[json.loads(value)['id']])

        kept = self.compacted(groups)
        sizes = {}
        for family, *_ in rows:
            sizes[family] = sizes.get(family, 0) + 1
        self.assertEqual(sorted(group['copies'] for group in kept.values()),
                         sorted(size - 1 for size in sizes.values() if size > 1))
        self.assertEqual(sorted(group['last_time_ms'] for group in kept.values()),
                         sorted(newest[family][0] for family, size in sizes.items() if size > 1))
        part = run(NEARDUP, 'verify', '--config', config, '--since', '1h', code=78)
        self.assertIn('with output.unique_key: group a record may be in the partition', part.stderr)
        report = self.assert_promises_kept(config, RECORDS)
        self.assertGreaterEqual(report['replacing'], replaced)
        self.assertGreater(report['replacing'], 200)
        self.assertEqual(report['unique'], len(newest))

    def test_the_groups_stay_when_the_lane_is_indexed_again_and_records_keep_their_keys(self):
        self.topics = self.topics[:1]
        self.create_topics(partitions=3)
        rows = stream(seed=4)
        groups = f'{self.app}-groups'
        for part, features_min in ((rows[:RECORDS // 2], 12), (rows[RECORDS // 2:], 6)):
            self.put(part)
            config = self.write_config(record={'fields': ['title']}, routing={'keep': 'newest'},
                                       window={'window_ms': '24h'}, feature={'features_min': features_min},
                                       output={'groups_topic': groups})
            if features_min == 6:
                run(NEARDUP, 'reindex', '--config', config, '--execute')
            self.run_to_end(config)
        own_keys = {number: key for _, number, _, key, _ in rows}
        # The record that stands for each group, as a consumer follows it by the header.
        standing = {}
        for _, key, value, headers in self.dump(f'{self.topics[0]}.unique'):
            number = json.loads(value)['id']
            self.assertEqual(key, own_keys[number])
            fields = dict(field.partition('=')[::2] for field in headers['neardup'].split(';'))
            standing[int(fields['seq'])] = (fields['origin'], fields.get('replaces'), number)
        kept = {}
        for _, (origin, replaces, number) in sorted(standing.items()):
            if replaces is not None:
                del kept[replaces]
            kept[origin] = number
        newest = {}
        for family, number, time_ms, _, _ in rows:
            newest[family] = max(newest.get(family, (0, 0)), (time_ms, number))
        self.assertEqual(sorted(kept.values()), sorted(number for _, number in newest.values()))
        # Copies that were decided before the lane was indexed again stay counted.
        sizes = collections.Counter(family for family, *_ in rows)
        self.assertEqual(sorted(group['copies'] for group in self.compacted(groups).values()),
                         sorted(size - 1 for size in sizes.values() if size > 1))
        self.assert_promises_kept(config, RECORDS)


if __name__ == '__main__':
    unittest.main(verbosity=2)
