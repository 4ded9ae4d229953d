"""Every kind of bad input on a real Kafka: each record becomes a dead letter with a reason and with
unchanged bytes, and none is lost. A bad set-up ends with a message that says what to do."""
import json
import re
import unittest

from harness import KafkaTest, NEARDUP, as_line, run

DEEP = b'{"title":' + b'[' * 2000 + b']' * 2000 + b'}'
BAD = {
    'binary garbage': (bytes(range(256)) * 4, 'parse|encoding'),
    'zero bytes': (b'', 'parse'),
    'deep nesting': (DEEP, 'too_deep'),
    'invalid UTF-8': (b'{"title":"\xff\xfe\xfd"}', 'encoding|parse'),
    'lone surrogate': (b'{"title":"a\\ud800b"}', 'encoding|parse'),
    'duplicate key': (b'{"title":"one","title":"two"}', 'duplicate_key'),
    'null value': (None, 'null_value'),
    'missing field': (b'{"other":"x"}', 'missing_field'),
    'not an object': (b'[1,2,3]', 'not_object'),
    'a bare number': (b'17', 'not_object'),
    'cut short': (b'{"title":"one', 'parse'),
    'trailing text': (b'{"title":"one"} x', 'parse'),
}


class BadInput(KafkaTest):
    def test_every_kind_of_bad_record_is_a_dead_letter_with_its_reason(self):
        topic = self.topics[0]
        self.topics = [topic]
        self.load('create', '--topic', topic, '--partitions', 1)
        good = b'{"title":"a good record with more than twelve words in it so that it is compared"}'
        headers = [('trace', b'\x00\xff'), ('trace', None), ('empty', b'')]
        lines = [as_line(good)]
        lines += [as_line(value, headers=headers) for value, _ in BAD.values()]
        lines += [as_line(good, key=None)]
        self.put(topic, lines)
        config = self.write_config()
        self.run_to_end(config)
        dead = self.dump(f'{topic}.dead-letter')
        self.assertEqual(len(dead), len(BAD))
        for (kind, (value, reason)), row in zip(BAD.items(), dead):
            with self.subTest(kind):
                self.assertEqual(row[1:4], (1_700_000_000_000, b'k', value))
                self.assertEqual(row[4][:3], headers)
                self.assertEqual(row[4][3][0], 'neardup')
                self.assertRegex(row[4][3][1].decode(), rf';reason=({reason});error=\S+')
        self.assertEqual([row[3] for row in self.dump(f'{topic}.unique')], [good])
        self.assertEqual([row[2:4] for row in self.dump(f'{topic}.duplicate')], [(None, good)])
        self.assert_promises_kept(config, len(BAD) + 2)

    def test_a_ten_megabyte_record_passes_if_the_topics_take_it(self):
        topic = self.topics[0]
        self.topics = [topic]
        self.load('create', '--topic', topic, '--partitions', 1, '--config',
                  'max.message.bytes=12000000')
        words = ' '.join(f'word{n}' for n in range(900_000))
        large = json.dumps({'title': words}).encode()
        self.assertGreater(len(large), 9_000_000)
        self.put(topic, [as_line(large), as_line(large), as_line(b'{"title":"small"}')])
        config = self.write_config(record={'record_bytes_max': '16MiB'})
        self.run_to_end(config)
        self.assertEqual([len(row[3]) for row in self.dump(f'{topic}.unique')],
                         [len(large), len(b'{"title":"small"}')])
        self.assertEqual([row[3] for row in self.dump(f'{topic}.duplicate')], [large])
        self.assert_promises_kept(config, 3)

    def test_a_record_that_its_output_refuses_is_a_dead_letter_by_reference(self):
        topic = self.topics[0]
        self.topics = [topic]
        self.load('create', '--topic', topic, '--partitions', 1, '--config',
                  'max.message.bytes=12000000')
        for route in ('unique', 'duplicate', 'dead-letter'):
            self.load('create', '--topic', f'{topic}.{route}', '--partitions', 1)
        large = json.dumps({'title': 'x ' * 2_000_000}).encode()
        self.put(topic, [as_line(b'{"title":"before"}'), as_line(large), as_line(b'{"title":"after"}')])
        config = self.write_config()
        self.run_to_end(config)
        self.assertEqual([row[3] for row in self.dump(f'{topic}.unique')],
                         [b'{"title":"before"}', b'{"title":"after"}'])
        dead = self.dump(f'{topic}.dead-letter')
        self.assertEqual(len(dead), 1)
        self.assertEqual(dead[0][2:4], (None, None))
        self.assertRegex(dead[0][4][-1][1].decode(),
                         rf'origin={re.escape(topic)}/0/1;reason=too_large;error=')
        self.assert_promises_kept(config, 3)

    def test_a_wrong_field_name_stops_a_service_before_it_has_written_anything(self):
        self.topics = self.topics[:1]
        self.fill(records=500, partitions=1)
        found = r'500 of 500 records are dead letters .*expected field `titel`, found `title` in [0-9.]+ % of records'
        config = self.write_config(record={'fields': ['titel']})
        checked = run(NEARDUP, 'validate', '--online', '--config', config, code=78)
        self.assertRegex(checked.stdout, f'wrong +records: {found}')
        self.fails(78, f'stopped before the first commit: .*titel', record={'fields': ['titel']})
        for kind in ('unique', 'duplicate', 'dead-letter'):
            self.assertEqual(self.dump(f'{self.topics[0]}.{kind}'), [])
        # The name is corrected, and the service decides all records.
        config = self.write_config()
        checked = run(NEARDUP, 'validate', '--online', '--config', config)
        self.assertEqual(checked.returncode, 0, checked.stdout)
        self.assertRegex(checked.stdout, 'ok +records: [0-9]+ of 500 sampled records can be compared')
        self.run_to_end(config)
        self.assert_promises_kept(config, 500)

    def fails(self, code, pattern, *more, **sections):
        config = self.write_config(**sections)
        done = run(NEARDUP, 'run', '--config', config, '--metrics-port', '0', *more, code=code, timeout=180)
        self.assertRegex(done.stderr, pattern)

    def test_an_unknown_topic_is_named(self):
        self.fails(66, r'no-such-topic', input={'topics': ['no-such-topic']})

    def test_a_broker_that_does_not_answer_is_named(self):
        self.fails(69, r'127\.0\.0\.1:1\b', kafka={'brokers': '127.0.0.1:1'})

    def test_a_wrong_config_names_file_line_and_nearest_name(self):
        config = self.directory / 'wrong.yaml'
        config.write_text('app: a\nwindow:\n  window_m: 5\n  entries_max: many\n')
        done = run(NEARDUP, 'run', '--config', config, code=78)
        self.assertRegex(done.stderr, r'wrong\.yaml:3.*window_m\b.*window_ms')
        self.assertRegex(done.stderr, r'wrong\.yaml:4.*entries_max')

    def test_a_changelog_of_other_fields_is_refused_and_the_difference_is_named(self):
        self.fill(records=2000, partitions=1)
        config = self.write_config()
        self.run_to_end(config)
        self.fails(78, r'(?s)record\.fields|fields', record={'fields': ['title']})
        self.run_to_end(self.write_config())
        self.assert_promises_kept(config, 2000)


if __name__ == '__main__':
    unittest.main(verbosity=2)
