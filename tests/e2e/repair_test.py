"""The commands that repair a pipeline, on a real Kafka, as an operator uses them: replay, reset and
reindex. Each is judged by `neardup verify`."""
import json
import re
import unittest

from harness import KafkaTest, NEARDUP, run


class Repair(KafkaTest):
    def setUp(self):
        super().setUp()
        self.topics = self.topics[:1]
        self.topic = self.topics[0]

    def neardup(self, command, config, *options, code=0):
        done = run(NEARDUP, command, '--config', config, *options, code=code)
        return done.stdout + done.stderr

    def config_named(self, name, **sections):
        return self.write_config(**sections).replace(self.directory / f'{self.name}.{name}.yaml')

    def rows(self, topic):
        return self.load('dump', '--topic', topic).splitlines()

    def outputs(self):
        return {kind: len(self.rows(f'{self.topic}.{kind}'))
                for kind in ('unique', 'duplicate', 'dead-letter')}

    def first_of(self, kind):
        """Returns the position in the input, and the value, of the first record of partition 0."""
        _, _, _, value, headers = next(row for row in self.rows(f'{self.topic}.{kind}') if row[0] == '0').split('\t')
        header = bytes.fromhex(headers.rsplit('neardup=0x', 1)[1]).decode()
        return re.search(r'origin=([^;]*)', header).group(1), json.loads(bytes.fromhex(value[2:]))

    def test_explain_reads_the_records_of_topics(self):
        self.fill(records=2000)
        config = self.config_named('explained')
        self.run_to_end(config)
        position = f'{self.topic}.duplicate/0/0'

        alone = json.loads(self.neardup('explain', config, position, '--json'))
        self.assertEqual(alone['verdict'], 'duplicate')
        self.assertEqual(alone['later']['name'], position)
        original = alone['earlier']['name']
        self.assertRegex(original, rf'^{self.topic}/\d/\d+$')
        # The service wrote the same, or the explanation would say that it differs.
        self.assertEqual(alone['notes'], [
            f'The service called it a duplicate of {original} ({alone["kind"]}, distance {alone["distance"]}).'])
        both = json.loads(self.neardup('explain', config, original, position, '--json'))
        self.assertEqual(both['simhash_difference'], alone['simhash_difference'])

        for words, expected in (
                ([f'{self.topic}/0/99999999', position], 'found no such record; the partition holds the offsets 0 to'),
                ([f'{self.topic}/7/0', position], 'has 2 partitions, expected one of 0 to 1'),
                ([f'{self.app}-none/0/0', position], f'{self.app}-none'),
                (['--id', 'none', '--id-field', 'id'], 'a record with id none: found in none of the topics')):
            self.assertIn(expected, self.neardup('explain', config, *words, code=66))

        # The same record by its position in the input, and by its id.
        origin, _ = self.first_of('duplicate')
        self.assertEqual(json.loads(self.neardup('explain', config, origin, '--json')), alone)
        origin, value = self.first_of('unique')
        told = self.neardup('explain', config, f'{self.topic}.unique/0/0', code=1)
        self.assertIn(f'{self.topic}.unique/0/0: unique. The service decided {origin} as seq ', told)
        self.assertEqual(self.neardup('explain', config, origin, code=1), told)
        self.assertEqual(self.neardup('explain', config, '--id', value['id'], '--id-field', 'id', code=1), told)

        # An original that its input no longer holds is found on the unique topic.
        topic, partition, offset = original.rsplit('/', 2)
        self.load('delete', '--topic', topic, '--partition', partition, '--before', int(offset) + 1)
        kept = json.loads(self.neardup('explain', config, position, '--json'))
        self.assertRegex(kept['earlier']['name'], rf'^{self.topic}.unique/\d/\d+$')
        self.assertEqual(kept['distance'], alone['distance'])

    def test_a_wrong_field_name_is_repaired_by_reindex_and_replay(self):
        self.fill(records=3000)
        wrong_fields = {'fields': ['titel', 'naem']}
        stopped = self.start(self.config_named('wrong', record=wrong_fields))
        self.assert_ends(stopped, 78)
        self.assertRegex(stopped.text(), r'stopped before the first commit: .* missing_field .*found `(title|name)`')
        # A person may insist, and notice the mistake later.
        self.run_to_end(self.config_named('wrong', record=wrong_fields, dead_letters={'share_max': 1}))
        dead = self.outputs()['dead-letter']
        self.assertEqual(dead, 3000)

        right = self.config_named('right')
        refused = self.start(right)
        self.assert_ends(refused, 78)
        self.assertIn('neardup reindex', refused.text())

        self.assertIn('add --execute', self.neardup('reindex', right))
        self.assertIn('done', self.neardup('reindex', right, '--execute'))
        self.fill_more(1000, seed=2)
        self.run_to_end(right)
        self.assert_promises_kept(right, 4000)
        self.assertLess(self.outputs()['dead-letter'], dead + 100)

        letters = f'{self.topic}.dead-letter'
        before = self.outputs()
        text = self.neardup('replay', right, '--topic', letters, '--reason', 'missing_field')
        self.assertRegex(text, r'missing_field +[23],\d\d\d')
        self.assertIn('add --execute', text)
        self.assertEqual(self.outputs(), before)
        self.neardup('replay', right, '--topic', letters, '--reason', 'missing_field',
                     '--execute')
        self.assertIn('\n0 records went', '\n' + self.neardup(
            'replay', right, '--topic', letters, '--reason', 'missing_field', '--execute'))
        self.run_to_end(right)
        after = self.outputs()
        self.assertGreater(after['unique'], before['unique'] + 1000)
        self.assert_no_violation(right)

        # What was not replayed because of its reason is still due.
        rest = self.neardup('replay', right, '--topic', letters)
        self.assertIn('parse', rest)
        self.assertNotIn('missing_field    2,', rest)

    def test_after_a_reindex_nothing_is_written_twice_and_old_originals_are_found(self):
        self.fill(records=3000, seed=4)
        old = self.config_named('old')
        self.run_to_end(old)
        before = self.outputs()
        new = self.config_named('new', feature={'features_min': 6})
        running = self.start(old)
        self.wait(lambda: running.get('/readyz')[0] == 200, 'active', services=[running])
        self.assertIn('stop them first', self.neardup('reindex', new, '--execute', code=69))
        self.assertEqual(running.terminate()[0], 0)
        self.neardup('reindex', new, '--execute')
        # The same stream again: every unique record has its original in the index.
        self.fill_more(3000, seed=4)
        self.run_to_end(new, '--state-dir', str(self.directory / f'{self.name}.state'))
        after = self.outputs()
        self.assertEqual(sum(after.values()), 6000)
        # Beyond the guaranteed distance a few originals are not found.
        self.assertLess(after['unique'] - before['unique'], 60)
        self.assert_no_violation(new)

    def test_inputs_go_on_where_reset_puts_them(self):
        self.fill(records=2000, partitions=1, seed=5)
        config = self.write_config()
        self.run_to_end(config)
        self.fill_more(2000, seed=6)
        # Retention deletes 100 records that were not read.
        self.load('delete', '--topic', self.topic, '--partition', 0, '--before', 2100)
        place = f'{self.topic}/0'
        text = self.neardup('reset', config, '--partition', place, '--to', 'earliest')
        self.assertIn(f'{place}: goes forward from offset 2000 to 2100; 100 offsets are skipped: '
                      '100 are gone from the log, and up to 0 records', text)
        self.assertIn('add --execute', text)
        self.assertIn('expected earliest, latest or an offset that the log holds, 2100 to 4000',
                      self.neardup('reset', config, '--partition', place, '--to', 5000, code=78))
        self.neardup('reset', config, '--partition', place, '--to', 'earliest', '--execute')
        self.run_to_end(config)
        self.assertEqual(sum(self.outputs().values()), 3900)
        self.assert_no_violation(config)

    def test_a_second_app_does_not_write_into_the_outputs_of_the_first(self):
        self.fill(records=1000, seed=8)
        config = self.write_config()
        self.run_to_end(config)
        before = self.outputs()
        second = self.start(config, '--app', f'{self.app}-second')
        self.assert_ends(second, 78)
        self.assertIn('its output topics hold records of another app', second.text())
        self.assertIn('neardup reindex', second.text())
        self.assertEqual(self.outputs(), before)
        self.assert_promises_kept(config, 1000)

        third = f'{self.app}-third'
        self.run_to_end(config, '--app', third, '--set', 'output.on_foreign_records=continue', app=third)
        done = run(NEARDUP, 'verify', '--config', config, code=1)
        self.assertIn('cause: the outputs hold records of more than one lane', done.stdout)

    def test_after_a_reset_of_all_the_next_start_is_a_first_start(self):
        self.fill(records=1000, seed=7)
        config = self.write_config()
        state = self.directory / f'{self.name}.state'
        self.run_to_end(config, '--state-dir', state)
        self.assertTrue((state / 'lane-0').exists())
        options = ('--all', '--topics', self.topic, '--state-dir', str(state))  # as for `run`
        text = self.neardup('reset', config, *options)
        self.assertIn('read again: ' + self.topic, text)
        self.assertTrue((state / 'lane-0').exists())
        self.neardup('reset', config, *options, '--execute')
        self.assertFalse((state / 'lane-0').exists())
        for kind in ('unique', 'duplicate', 'dead-letter'):
            for partition in (0, 1):
                self.load('delete', '--topic', f'{self.topic}.{kind}', '--partition', partition,
                          '--before', -1)
        self.run_to_end(config)
        self.assert_promises_kept(config, 1000)


if __name__ == '__main__':
    unittest.main(verbosity=2)
