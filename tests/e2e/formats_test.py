"""Topics whose values are not JSON, on a real Kafka: they are compared by what they mean, and leave byte for byte as
they came. A schema registry that cannot be reached makes records wait, and loses none."""
import json
import random
import unittest

from harness import KafkaTest, NEARDUP, as_line, run
from schema_registry import SchemaRegistry, avro, framed

WORDS = [''.join(chr(97 + (n * 7 + i * i * 5) % 26) for i in range(4 + n % 5)) + str(n) for n in range(3000)]


def field(name, kind='string', **more):
    return {'name': name, 'type': kind, **more}


def article(*fields):
    return {'type': 'record', 'name': 'Article', 'namespace': 'news', 'fields': list(fields)}


ID, TITLE, MADE = field('id', 'long'), field('title'), field('made', {'type': 'long', 'logicalType': 'timestamp-millis'})
PRICE = field('price', ['null', {'type': 'bytes', 'logicalType': 'decimal', 'precision': 9, 'scale': 2}])
# The second version has one more field. The third renames one, and says so.
VERSIONS = {
    101: article(ID, TITLE, field('text'), MADE, PRICE),
    102: article(ID, TITLE, field('text'), MADE, PRICE, field('lang', ['null', 'string'], default=None)),
    103: article(ID, TITLE, field('body', aliases=['text']), MADE, PRICE),
}


def value_of(version, number, words):
    fields = {'id': number, 'title': ' '.join(words[:6]), 'text': ' '.join(words), 'body': ' '.join(words),
              'made': 1_700_000_000_000 + number, 'price': None if number % 3 else b'\x04\xd2', 'lang': 'en'}
    return framed(version, avro(VERSIONS[version], fields))


def articles(count, seed, versions):
    """[(key, value)]: each third record is a copy, in any of the versions, of an earlier one."""
    chance = random.Random(seed)
    texts, records = [], []
    for number in range(count):
        version = chance.choice(versions)
        if number % 3 == 2:
            records.append((f'copy-{seed}-{number}', value_of(version, number, chance.choice(texts))))
        else:
            texts.append(chance.sample(WORDS, 40))
            records.append((f'first-{seed}-{number}', value_of(version, number, texts[-1])))
    return records


class Formats(KafkaTest):
    def setUp(self):
        super().setUp()
        self.topics = self.topics[:1]
        self.load('create', '--topic', self.topics[0], '--partitions', 1)
        self.records = []

    def send(self, records):
        self.records += records
        self.put(self.topics[0], [as_line(value, key=key.encode()) for key, value in records])

    def registry(self, **options):
        registry = SchemaRegistry(**options)
        self.addCleanup(registry.stop)
        for number, schema in VERSIONS.items():
            registry.add(number, schema)
        return registry

    def config(self, registry, **sections):
        return self.write_config(record={'fields': ['title', 'text']}, registry={'url': registry.url}, **sections)

    def outputs(self, kind):
        return {row[2].decode(): row[3] for row in self.dump(f'{self.topics[0]}.{kind}')}

    def assert_joined_by_key(self, dead=()):
        """The keys tell which records are copies. Every value is what was sent."""
        found = {kind: self.outputs(kind) for kind in ('unique', 'duplicate', 'dead-letter')}
        sent = dict(self.records)
        self.assertEqual({**found['unique'], **found['duplicate'], **found['dead-letter']}, sent)
        self.assertEqual(sum(map(len, found.values())), len(sent))
        self.assertEqual(set(found['dead-letter']), set(dead))
        self.assertEqual(set(found['duplicate']), {key for key in sent if key.startswith('copy')})

    def test_avro_of_three_versions_through_kills_and_a_registry_out_of_reach(self):
        registry = self.registry(path='/apis/ccompat/v7', login='reader:s3cret')
        state = self.directory / f'{self.name}-state'
        config = self.config(registry, state={'dir': str(state), 'snapshot_interval_ms': 1000})
        login = ('--set', 'registry.username=reader', '--set', 'registry.password=s3cret')
        registry.stop()
        self.send(articles(3000, 1, [101, 102]))
        service = self.start(config, *login)
        self.wait(lambda: 'does not answer' in service.text(), 'a warning about the registry', services=[service])
        self.wait(lambda: (service.metric('neardup_inputs_unreachable') or 0) > 0, 'a metric', services=[service])
        self.assertEqual(self.count(f'{self.topics[0]}.unique'), 0)
        registry.start()
        self.wait(lambda: service.decided() > 0, 'decisions', services=[service])
        service.kill()
        self.send(articles(2000, 2, [101, 102]))
        # The schemas of these records are known on disk.
        registry.stop()
        service = self.start(config, *login)
        self.wait_drained(service)
        # The third version is not.
        self.send(articles(3000, 3, [101, 103]))
        self.send([('unknown', framed(999, b'\2\4'))])
        self.wait(lambda: 'does not answer' in service.text(), 'a warning about the registry', services=[service])
        service.kill()
        service = self.start(config, *login)
        self.wait(lambda: 'does not answer' in service.text(), 'a warning about the registry', services=[service])
        registry.start()
        self.end_drained(service)
        self.assertIn('registry is Avro, news.Article', service.text())
        self.assertNotIn('s3cret', service.text() + ' '.join(registry.asked))
        self.assert_joined_by_key(dead=['unknown'])
        dead = [header for header in self.headers('dead-letter')]
        self.assertRegex(dead[0], r'reason=schema;error=\S*schema%20999|reason=schema;error=.*schema 999')
        with_login = self.config(registry)
        settings = json.loads(with_login.read_text())
        settings['registry'].update(username='reader', password='s3cret')
        with_login.write_text(json.dumps(settings))
        self.assertNotIn('s3cret', run(NEARDUP, 'config', 'show', '--config', with_login).stdout)
        self.assert_promises_kept(with_login, len(self.records))
        report = run(NEARDUP, 'report', '--config', with_login).stdout
        self.assertIn('schema', report)
        offset = next(i for i, (key, _) in enumerate(self.records) if key.startswith('copy'))
        explained = run(NEARDUP, 'explain', '--config', with_login, f'{self.topics[0]}/0/{offset}').stdout
        self.assertIn('text', explained)

    def test_a_schema_may_refer_to_another_and_json_may_have_a_frame(self):
        registry = self.registry()
        person = {'type': 'record', 'name': 'Person', 'namespace': 'people', 'fields': [field('name')]}
        registry.subjects['people.Person'] = {'schema': json.dumps(person)}
        message = article(field('text'), field('by', 'people.Person'))
        registry.add(7, message, references=['people.Person'])
        registry.add(8, {'type': 'object'}, kind='JSON')
        registry.add(9, 'syntax = "proto3";', kind='PROTOBUF')
        text = ' '.join(WORDS[:40])
        whole = article(field('text'), field('by', person))
        self.send([
            ('first', framed(7, avro(whole, {'text': text, 'by': {'name': 'Ann'}}))),
            ('copy-1', framed(8, json.dumps({'text': text, 'by': {'name': 'Ann'}}).encode())),
            ('copy-2', json.dumps({'text': text}).encode()),
            ('protobuf', framed(9, b'\0\x0a\x01a')),
            ('broken', framed(7, b'\x08abc')),
        ])
        config = self.write_config(record={'fields': ['text']}, registry={'url': registry.url})
        self.run_to_end(config)
        self.assert_joined_by_key(dead=['protobuf', 'broken'])
        reasons = [header.split('reason=')[1].split(';')[0] for header in self.headers('dead-letter')]
        self.assertEqual(reasons, ['schema', 'parse'])
        self.assert_promises_kept(config, len(self.records))

    def test_a_lane_learns_from_avro(self):
        registry = self.registry()
        self.send(articles(900, 5, [101, 102, 103]))
        config = self.write_config(registry={'url': registry.url}, match={'mode': 'auto'}, auto={'records_min': 200})
        settings = json.loads(config.read_text())
        del settings['record']
        config.write_text(json.dumps(settings))
        service = self.run_to_end(config)
        self.assertRegex(service.text(), r'fields compared: \S*(title|text)')
        self.assertGreater(len(self.outputs('duplicate')), 250)
        self.assertFalse(self.outputs('dead-letter'))
        self.assert_promises_kept(config, len(self.records))

    def test_text_is_compared_and_leaves_as_it_came(self):
        first, other = ' '.join(WORDS[:40]), ' '.join(WORDS[50:90])
        texts = [first, other, first.upper(), 'caf\xe9 \xa0 au lait'.encode('latin-1')]
        self.send([(key, text if isinstance(text, bytes) else text.encode())
                   for key, text in zip(['first', 'other', 'copy', 'broken'], texts)])
        config = self.write_config(record={'fields': ['text'], 'format': 'text'})
        self.run_to_end(config)
        self.assert_joined_by_key(dead=['broken'])
        self.assert_promises_kept(config, 4)

    def test_messagepack_is_compared_and_leaves_as_it_came(self):
        def packed(text):
            return b'\x82\xa4text\xda' + len(text).to_bytes(2, 'big') + text.encode() + b'\xa1n\xcd\x01\x00'
        first, other = ' '.join(WORDS[:40]), ' '.join(WORDS[50:90])
        self.send([('first', packed(first)), ('other', packed(other)), ('copy', packed(first)), ('broken', b'\x82\xa1a')])
        config = self.write_config(record={'fields': ['text'], 'format': 'msgpack'})
        self.run_to_end(config)
        self.assert_joined_by_key(dead=['broken'])
        self.assert_promises_kept(config, 4)

    def test_validate_names_what_is_wrong_with_the_registry(self):
        registry = self.registry(path='/api', login='reader:s3cret')
        self.send(articles(30, 6, [101]) + [('unknown', framed(999, b'\2\4'))])
        config = self.config(registry)

        def validate(*sets, code):
            options = [part for each in sets for part in ('--set', each)]
            done = run(NEARDUP, 'validate', '--online', '--config', config, *options, code=code)
            return done.stdout
        right = ('registry.username=reader', 'registry.password=s3cret')
        found = validate(*right, code=0)
        self.assertRegex(found, r'ok +registry: ')
        self.assertRegex(found, r'warning +records: .*the schema registry has no schema 999')
        self.assertRegex(validate('registry.username=reader', 'registry.password=wrong', code=None),
                         r'wrong +registry: .* 401 .*check registry.username and registry.password')
        self.assertRegex(validate(*right, f'registry.url=http://127.0.0.1:{registry.port}', code=None),
                         r'wrong +registry: .* 404 .*check registry.url')
        registry.stop()
        self.assertRegex(validate(*right, code=None), r'wrong +registry: .* does not answer: .*check registry.url')


if __name__ == '__main__':
    unittest.main()
