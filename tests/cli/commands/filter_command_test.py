"""What `neardup filter` says about its dead letters, and what it writes, as a person at a terminal sees it."""
import gzip
import json
import pathlib
import random
import subprocess
import sys
import tempfile
import unittest

NEARDUP = pathlib.Path(sys.argv.pop(1)).resolve()


class TooManyDeadLetters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='neardup-filter-')
        self.addCleanup(folder.cleanup)
        self.records = pathlib.Path(folder.name) / 'records.jsonl'
        self.records.write_text(''.join(
            f'{{"title": "record number {i} of a stream", "text": "x"}}\n' for i in range(300)))

    def filter(self, *options):
        return subprocess.run([str(NEARDUP), 'filter', '--input', str(self.records), *options],
                              text=True, capture_output=True)

    def test_a_wrong_field_name_is_a_warning_that_names_the_right_one(self):
        done = self.filter('--fields', 'titel')
        self.assertEqual(done.returncode, 0)
        self.assertIn('warning: too many dead letters: 300 of 300 records are dead letters (100 %)',
                      done.stderr)
        self.assertIn('this record has no field titel, did you mean title?', done.stderr)

    def test_with_the_right_name_there_is_no_warning(self):
        done = self.filter('--fields', 'title')
        self.assertEqual(done.returncode, 0)
        self.assertNotIn('warning', done.stderr)

    def test_on_request_it_is_an_error(self):
        done = self.filter('--fields', 'titel', '--set', 'dead_letters.on_excess=fail')
        self.assertEqual(done.returncode, 78)
        self.assertIn('stopped before the commit because dead_letters.on_excess is fail', done.stderr)


class Learning(unittest.TestCase):
    """Records with prose and fields of their sources; a fifth are copies with one other word, by another source."""

    WORDS = [a + b for a in ('har', 'bri', 'cou', 'deb', 'tra', 'mor', 'win', 'sto', 'gar', 'lan')
             for b in ('bour', 'dge', 'ncil', 'ate', 'ffic', 'ning', 'ter', 'ry', 'den', 'tern')]

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='neardup-filter-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.random = random.Random(7)
        texts = []
        for _ in range(1000):
            text = ' '.join(self.random.choices(self.WORDS, k=30))
            if texts and self.random.random() < .2:
                text = self.random.choice(texts).replace(' ', ' another ', 1)
            texts.append(text)
        self.records = [json.dumps({'id': i, 'site': f'site {i % 7} of the north', 'author': f'writer {i % 31}', 'text': text})
                        for i, text in enumerate(texts)]

    def filter(self, *options):
        path = self.folder / 'records.jsonl'
        path.write_text('\n'.join(self.records) + '\n')
        done = subprocess.run([str(NEARDUP), 'filter', '--input', str(path), '--json', *options],
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stderr)

    def fields(self, summary):
        return [field['path'] for field in summary['learned']['record.fields']]

    def test_only_the_prose_is_compared_in_any_order(self):
        sorted_by_site = sorted(self.records, key=lambda record: json.loads(record)['site'])
        for records in (self.records, sorted_by_site, self.random.sample(self.records, len(self.records))):
            self.records = records
            found = self.filter()
            self.assertEqual(self.fields(found), ['text'])
            self.assertGreater(found['near_duplicates'], 120)
            self.assertTrue(any(reason.startswith('measured: of planted copies') for reason in found['learned']['reasons']))

    def test_naming_the_fields_fixes_the_fields_and_nothing_else(self):
        chosen, named = self.filter(), self.filter('--fields', 'text')
        for key in ('unique', 'near_duplicates'):
            self.assertEqual(named[key], chosen[key])
        self.assertEqual(named['learned']['match.distance_max'], chosen['learned']['match.distance_max'])
        self.assertNotIn('learned', self.filter('--fields', 'text', '--set', 'match.mode=near'))

    def test_naming_a_distance_fixes_the_distance_and_nothing_else(self):
        found = self.filter('--set', 'match.distance_max=2')
        self.assertEqual(found['learned']['match.distance_max'], 2)
        self.assertEqual(self.fields(found), ['text'])

    def test_the_window_holds_the_whole_file_unless_a_person_says_otherwise(self):
        self.assertEqual(self.filter()['learned']['window.entries_max'], 1_000_000)
        self.assertEqual(self.filter('--set', 'window.entries_max=1000')['learned']['window.entries_max'], 1000)


TITLE = 'Council approves the new harbour bridge after a long debate on cost and traffic in the city'
LINES = ['{"id": "a1", "title": "%s"}' % TITLE,
         '{"id": "a2", "title": "%s"}' % TITLE.upper(),
         '{"id": "a3", "title": "%s"}' % TITLE.replace('the city', 'our city'),
         '{"id": "a4", "title": "Rain expected over the weekend in the north while the south stays dry and sunny"}',
         '{"id": "a5"}']
VERDICTS = ['a1\tunique\t\t\t', 'a2\tduplicate\ta1\t0\texact', 'a3\tduplicate\ta1\t2\tnear', 'a4\tunique\t\t\t',
            'a5\tdead-letter\t\t\t']


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix='neardup-filter-')
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def filter(self, *options, lines=None):
        done = subprocess.run([str(NEARDUP), 'filter', '--input', '-', '--fields', 'title', '--id-field', 'id',
                               *map(str, options)],
                              text=True, capture_output=True, input=''.join(f'{line}\n' for line in lines or LINES))
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_a_name_that_ends_with_gz_is_compressed(self):
        names = {'--unique': 'u.gz', '--duplicate': 'd.gz', '--dead-letter': 'x.gz', '--verdicts': 'v.gz', '--pairs': 'p.gz'}
        self.filter(*(word for option, name in names.items() for word in (option, self.folder / name)))
        text = {name: gzip.open(self.folder / name, 'rt').read().splitlines() for name in names.values()}
        self.assertEqual(text['u.gz'], [LINES[0], LINES[3]])
        self.assertEqual(text['d.gz'], LINES[1:3])
        self.assertEqual(text['x.gz'], LINES[4:])
        self.assertEqual(text['v.gz'][1:], VERDICTS)
        self.assertEqual(len(text['p.gz']), 2)

    def test_much_is_compressed_and_read_again(self):
        lines = [json.dumps({'id': str(i), 'title': f'{i} {TITLE} {i * 7919}'}) for i in range(20000)]
        self.filter('--set', 'match.distance_max=0', '--unique', self.folder / 'u.jsonl.gz', lines=lines)
        packed = (self.folder / 'u.jsonl.gz').read_bytes()
        self.assertEqual(gzip.decompress(packed).decode().splitlines(), lines)
        again = subprocess.run([str(NEARDUP), 'filter', '--input', str(self.folder / 'u.jsonl.gz'), '--fields', 'title',
                                '--json'], text=True, capture_output=True)
        self.assertEqual(json.loads(again.stderr)['records'], len(lines))

    def test_pairs_hold_each_duplicate_beside_its_original(self):
        pairs = [json.loads(line) for line in self.filter('--pairs', '-').splitlines()]
        self.assertEqual([(pair['kind'], pair['distance'], pair['original']['id'], pair['duplicate']['id']) for pair in pairs],
                         [('exact', 0, 'a1', 'a2'), ('near', 2, 'a1', 'a3')])
        for pair, line in zip(pairs, LINES[1:3]):
            self.assertEqual(pair['original']['record'], json.loads(LINES[0]))
            self.assertEqual(pair['duplicate']['record'], json.loads(line))

    def test_line_mode_answers_each_line_before_the_next_one_comes(self):
        process = subprocess.Popen([str(NEARDUP), 'filter', '--input', '-', '--fields', 'title', '--id-field', 'id',
                                    '--line-mode'], text=True, bufsize=1, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        for line, verdict in zip(LINES, VERDICTS):
            process.stdin.write(line + '\n')
            process.stdin.flush()
            self.assertEqual(process.stdout.readline(), verdict + '\n')
        process.stdin.close()
        self.assertEqual(process.stdout.read(), '')
        process.stdout.close()
        self.assertEqual(process.wait(), 0)

    def test_any_number_of_threads_gives_the_same_verdicts_in_the_same_order(self):
        words = TITLE.split()
        lines = [json.dumps({'id': str(i), 'title': ' '.join(words[i % 7:] + [f'w{i * k % 41}' for k in range(2, 8)])})
                 for i in range(5000)]
        one, many = (self.filter('--verdicts', '-', '--set', f'threads.fingerprint={threads}', lines=lines)
                     for threads in (1, 5))
        self.assertEqual(len(one.splitlines()), len(lines) + 1)
        self.assertIn('near', one)
        self.assertEqual(one, many)


if __name__ == '__main__':
    unittest.main()
