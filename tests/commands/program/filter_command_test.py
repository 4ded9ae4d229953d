"""What `neardup filter` says about its dead letters, and what it writes, as a person at a terminal sees it."""
import gzip
import json
import random
import subprocess
import threading
import time
import unittest

from program import NEARDUP, FolderTest, neardup


class Against(FolderTest):
    """New records are decided as in one file that begins with the old ones."""

    def world(self, seed):
        """Old and new records: each list has copies of its own, and the new ones have copies of old ones."""
        choose = random.Random(seed)
        words = [a + b + c for a in 'bdfgklmn' for b in 'aeiou' for c in ('st', 'rn', 'lp', 'nd')]
        texts, old, new = [], [], []
        for part, count in ((old, choose.randrange(1, 120)), (new, choose.randrange(1, 120))):
            for i in range(count):
                text = choose.choices(words, k=30)
                if texts and choose.random() < 0.4:
                    text = list(choose.choice(texts))
                    if choose.random() < 0.5:
                        text[choose.randrange(30)] = 'edited'
                texts.append(text)
                part.append({'id': f'r{len(texts)}', 'at': choose.randrange(1, 5000) * 1000, 'text': ' '.join(text)})
        return old, new

    def write(self, name, records):
        (self.folder / name).write_text(''.join(json.dumps(record) + '\n' for record in records))

    def table(self, *options):
        done = neardup('filter', '--verdicts', 'v.tsv', *options, cwd=self.folder)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [line.split('\t') for line in (self.folder / 'v.tsv').read_text().splitlines()[1:]], done

    def test_the_verdicts_are_those_of_one_file(self):
        settings = ([], ['--fields', 'text'], ['--fields', 'text', '--set', 'window.entries_max=1000000'],
                    ['--fields', 'text', '--set', 'record.time_field=at', '--set', 'record.time_format=milliseconds',
                     '--set', 'window.window_ms=20m', '--set', 'window.lateness_ms=1h'])
        for seed in range(8):
            old, new = self.world(seed)
            cut = random.Random(seed).randrange(len(old) + 1)
            for name, records in (('b.jsonl', old[:cut]), ('a.jsonl', old[cut:]), ('new.jsonl', new), ('all.jsonl', old + new)):
                self.write(name, records)
            options = settings[seed % len(settings)]
            for ids in ([], ['--id-field', 'id']):
                whole, _ = self.table('--input', 'all.jsonl', *ids, *options)
                expected = whole[len(old):]
                if not ids:  # lines of the files instead of lines of the one file
                    names = [f'b.jsonl:{i + 1}' for i in range(cut)] + [f'a.jsonl:{i + 1}' for i in range(len(old) - cut)]
                    names += [str(i + 1) for i in range(len(new))]
                    name = {str(i + 1): name for i, name in enumerate(names)}
                    expected = [[name[row[0]], row[1], name.get(row[2], ''), *row[3:]] for row in expected]
                found, done = self.table('--input', 'new.jsonl', '--against', 'b.jsonl', '--against', 'a.jsonl', *ids, *options,
                                         '--unique', 'u.jsonl', '--json')
                self.assertEqual(found, expected, (seed, options))
                unique = (self.folder / 'u.jsonl').read_text().splitlines()
                kept = [json.dumps(record) for record, row in zip(new, found) if row[1] == 'unique']
                self.assertEqual(unique, kept)
                summary = json.loads(done.stderr.splitlines()[-1])
                self.assertEqual(summary['records'], len(new))
                self.assertEqual(summary['unique'], len(kept))
                if old:
                    self.assertEqual(summary['against']['records'], len(old))

    def test_pairs_and_groups_hold_the_old_record(self):
        self.write('old.jsonl', [{'id': 'o', 'text': 'one text of old days'}])
        self.write('new.jsonl', [{'id': 'n', 'text': 'One text of old days.'}])
        self.table('--input', 'new.jsonl', '--against', 'old.jsonl', '--fields', 'text', '--pairs', 'p', '--groups', 'g')
        pair = json.loads((self.folder / 'p').read_text())
        self.assertEqual(pair['original'], {'id': 'old.jsonl:1', 'record': {'id': 'o', 'text': 'one text of old days'}})
        self.assertEqual(pair['duplicate']['id'], '1')
        members = json.loads((self.folder / 'g').read_text())['members']
        self.assertEqual([member['id'] for member in members], ['old.jsonl:1', '1'])

    def test_what_makes_no_sense_is_refused_before_the_work(self):
        self.write('new.jsonl', [{'text': 'a b c'}])
        self.write('old.jsonl', [{'other': 'a b c'}])
        (self.folder / 'array.json').write_text('[{"text": "a"}]')
        for options, code, said in (
                (['--against', 'new.jsonl'], 78, 'new.jsonl: found the file twice'),
                (['--against', 'none.jsonl'], 66, 'none.jsonl: cannot be opened'),
                (['--against', 'array.json'], 65, 'array.json: found a JSON array'),
                (['--against', 'old.jsonl', '--fields', 'text'], 65, '--against: found 1 record, and only dead letters'),
                (['--against', 'old.jsonl', '--lanes', '4', '--lanes-field', 'text'], 78, '--against: does not go with --lanes'),
                (['--against', 'old.jsonl', '--keep', 'newest', '--set', 'record.time_field=at'], 78,
                 '--against: does not go with --keep newest')):
            done = neardup('filter', '--input', 'new.jsonl', '--unique', 'u', *options, cwd=self.folder)
            self.assertEqual(done.returncode, code, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertFalse((self.folder / 'u').exists(), options)


class TooManyDeadLetters(FolderTest):
    def setUp(self):
        super().setUp()
        self.records = self.folder / 'records.jsonl'
        self.records.write_text(''.join(
            f'{{"title": "record number {i} of a stream", "text": "x"}}\n' for i in range(300)))

    def filter(self, *options):
        return neardup('filter', '--input', self.records, *options)

    def test_a_field_that_no_record_has_is_named_with_the_one_that_was_meant(self):
        self.records.write_text('{"t": "alpha", "user": "ann"}\n{"t": "alpha", "user": "bob"}\n')
        for options in (['--fields', 't', '--keys', 'usr'], ['--fields', 't,usr'], ['--free', 'usr']):
            self.assertIn('warning: none of 2 sampled records has a value in the field usr; did you mean '
                          'user?', self.filter(*options).stderr)
        self.assertNotIn('warning', self.filter('--fields', 't', '--keys', 'user').stderr)

    def test_a_standard_stream_that_is_closed_is_no_empty_file(self):
        for words in ('filter --input IN --fields title --unique - >&-', 'filter --input - --fields title --unique U <&-',
                      'config example >/dev/full', 'filter --help >/dev/full'):
            words = words.replace('IN', str(self.records)).replace('U', str(self.records.with_name('u')))
            done = subprocess.run(['sh', '-c', f'{NEARDUP} {words}'], capture_output=True, text=True)
            self.assertEqual(done.returncode, 74, (words, done.stderr))
            self.assertRegex(done.stderr, 'standard output|^neardup: -: .*cannot be read')
        self.assertFalse(self.records.with_name('u').exists())

    def test_one_record_is_not_several(self):
        one = self.records.with_name('one.jsonl')
        for text, code in (('{"title": "a"}', 0), ('[1, 2', 65)):
            one.write_text(text)
            done = neardup('filter', '--input', one)
            self.assertEqual(done.returncode, code)
            self.assertIn('1 record is too few to learn from', done.stderr)
            self.assertNotRegex(done.stderr, r'\b1 records')

    def test_if_no_record_can_be_compared_it_fails_and_names_the_field_that_was_meant(self):
        unique = self.records.with_name('unique.jsonl')
        unique.write_text('of an earlier run\n')
        done = self.filter('--fields', 'titel', '--unique', str(unique))
        self.assertEqual(done.returncode, 65)
        self.assertIn(f'{self.records}: all 300 records are dead letters; the most frequent reason is missing_field '
                      '(300 records), such as line 1: ', done.stderr)
        self.assertIn('expected field `titel`, found `title` in 100 % of records', done.stderr)
        self.assertIn(f'not written: {unique}', done.stderr)
        self.assertEqual(unique.read_text(), 'of an earlier run\n')

    def test_one_record_that_cannot_be_compared_is_all_of_them(self):
        self.records.write_text('{"title": "x"}\n')
        done = self.filter('--fields', 'titel')
        self.assertEqual(done.returncode, 65)
        self.assertIn('expected field `titel`, found `title` in 100 % of records', done.stderr)

    def test_if_most_records_cannot_be_compared_it_warns(self):
        self.records.write_text(self.records.read_text() + '{"titel": "x"}\n')
        done = self.filter('--fields', 'titel')
        self.assertEqual(done.returncode, 0)
        self.assertIn('warning: too many dead letters: 300 of 301 records are dead letters (99.7 %)', done.stderr)
        self.assertIn('found `title` in 100 % of records', done.stderr)

    def test_a_file_of_another_format_is_named_with_what_to_do(self):
        for content, what, remedy in (
                ('[\n {"title": "a"},\n {"title": "b"}\n]\n', 'found a JSON array', "jq -c '.[]'"),
                ('[{"title": "a"}, {"title": "b"}]\n', 'found a JSON array', "jq -c '.[]'"),
                ('{\n  "title": "a"\n}\n', 'JSON object that has several lines', 'jq -c .'),
                ('id,title\n1,a\n2,b\n', 'found what looks like CSV', 'mlr --icsv --ojsonl cat'),
                ('just a line of text\nand more\n', 'found what looks like plain text', "jq -cR '{text: .}'")):
            self.records.write_text(content)
            for options in ((), ('--fields', 'title')):
                done = self.filter(*options)
                self.assertEqual(done.returncode, 65, done.stderr)
                self.assertIn(what, done.stderr)
                self.assertIn(remedy, done.stderr)

    def test_an_output_that_would_have_to_be_compressed_with_zstd_is_refused(self):
        done = self.filter('--fields', 'title', '--unique', str(self.records.with_name('u.zst')))
        self.assertEqual(done.returncode, 78)
        self.assertIn('u.zst: cannot be written, because outputs are not compressed with zstd', done.stderr)

    def test_with_the_right_name_there_is_no_warning(self):
        done = self.filter('--fields', 'title')
        self.assertEqual(done.returncode, 0)
        self.assertNotIn('warning', done.stderr)

    def test_on_request_it_is_an_error(self):
        done = self.filter('--fields', 'titel', '--set', 'dead_letters.on_excess=fail')
        self.assertEqual(done.returncode, 78)
        self.assertIn('stopped before the commit because dead_letters.on_excess is fail', done.stderr)


class Learning(FolderTest):
    """Records with prose and fields of their sources; a fifth are copies with one other word, by another source."""

    WORDS = [a + b for a in ('har', 'bri', 'cou', 'deb', 'tra', 'mor', 'win', 'sto', 'gar', 'lan')
             for b in ('bour', 'dge', 'ncil', 'ate', 'ffic', 'ning', 'ter', 'ry', 'den', 'tern')]

    def setUp(self):
        super().setUp()
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
        done = neardup('filter', '--input', path, '--json', *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stderr)

    def fields(self, summary):
        """Those that are compared by likeness."""
        return [field['path'] for field in summary['learned']['record.fields']
                if not field['key'] and not field.get('free')]

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
            # The fields that must agree are part of the text keys, so one pair or another may be beyond their reach.
            self.assertAlmostEqual(named[key], chosen[key], delta=2)
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


class Outputs(FolderTest):
    def filter(self, *options, lines=None):
        done = neardup('filter', '--input', '-', '--fields', 'title', '--id-field', 'id', *options,
                       input=''.join(f'{line}\n' for line in lines or LINES))
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
        again = neardup('filter', '--input', self.folder / 'u.jsonl.gz', '--fields', 'title', '--json')
        self.assertEqual(json.loads(again.stderr)['records'], len(lines))

    def test_pairs_hold_each_duplicate_beside_its_original(self):
        pairs = [json.loads(line) for line in self.filter('--pairs', '-').splitlines()]
        self.assertEqual([(pair['kind'], pair['distance'], pair['original']['id'], pair['duplicate']['id']) for pair in pairs],
                         [('exact', 0, 'a1', 'a2'), ('near', 2, 'a1', 'a3')])
        for pair, line in zip(pairs, LINES[1:3]):
            self.assertEqual(pair['original']['record'], json.loads(LINES[0]))
            self.assertEqual(pair['duplicate']['record'], json.loads(line))

    def test_groups_hold_the_original_first_and_then_its_duplicates(self):
        lines = LINES + ['{"id": "a6", "title": "%s"}' % TITLE, LINES[3]]
        groups = [json.loads(line) for line in self.filter('--groups', '-', lines=lines).splitlines()]
        self.assertEqual(groups, [
            {'size': 4, 'members': [{'id': 'a1'}, {'id': 'a2', 'kind': 'exact', 'distance': 0},
                                    {'id': 'a3', 'kind': 'near', 'distance': 2},
                                    {'id': 'a6', 'kind': 'exact', 'distance': 0}]},
            {'size': 2, 'members': [{'id': 'a4'}, {'id': 'a4', 'kind': 'exact', 'distance': 0}]}])

    def test_an_id_is_a_text_everywhere_as_the_record_writes_it(self):
        ids = ['17', '12345678901234567890123', '1.50', 'true', '"a\\u0042"', 'null']
        lines = ['{"id": %s, "title": "%s"}' % (id, TITLE) for id in ids]
        expected = ['17', '12345678901234567890123', '1.50', 'true', 'aB', 'line 6']
        verdicts = self.filter('--verdicts', '-', lines=lines).splitlines()[1:]
        self.assertEqual([line.split('\t')[0] for line in verdicts], expected)
        group, = map(json.loads, self.filter('--groups', '-', lines=lines).splitlines())
        self.assertEqual([member['id'] for member in group['members']], expected)
        pairs = [json.loads(line) for line in self.filter('--pairs', '-', lines=lines).splitlines()]
        self.assertEqual([pair['duplicate']['id'] for pair in pairs], expected[1:])
        self.assertEqual({pair['original']['id'] for pair in pairs}, {'17'})

    def test_without_an_id_field_lines_are_numbered(self):
        path = self.folder / 'r.jsonl'
        path.write_text(''.join(f'{line}\n' for line in LINES))
        done = neardup('filter', '--input', path, '--fields', 'title', '--groups', '-')
        self.assertEqual([member['id'] for member in json.loads(done.stdout)['members']], ['1', '2', '3'])

    def test_an_id_field_that_no_record_has_is_an_error_that_names_the_nearest(self):
        path = self.folder / 'r.jsonl'
        path.write_text(''.join(f'{line}\n' for line in LINES))
        unique = self.folder / 'u.jsonl'
        done = neardup('filter', '--input', path, '--fields', 'title', '--id-field', 'ids', '--unique', unique)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn('--id-field ids: none of the first 4 records has this field, did you mean id?; the first of them has '
                      'the fields id, title.', done.stderr)
        self.assertFalse(unique.exists())

    def summary(self, lines):
        path = self.folder / 'r.jsonl'
        path.write_text(''.join(f'{line}\n' for line in lines))
        command = ['filter', '--input', path, '--fields', 'title', '--verdicts', '-']
        done = neardup(*command, '--json')
        kinds = [line.split('\t')[4] for line in done.stdout.splitlines()[1:]]
        return json.loads(done.stderr), kinds, neardup(*command).stderr

    def keep_newest(self, lines, *options, code=0):
        records = self.folder / 'records.jsonl'
        records.write_text(''.join(f'{line}\n' for line in lines))
        done = neardup('filter', '--input', records, '--fields', 'title', '--id-field', 'id', '--set', 'match.mode=near',
                       '--keep', 'newest', '--set', 'window.window_ms=30d', '--set', 'record.time_format=milliseconds', *options)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def test_the_newest_of_each_group_is_kept_whatever_the_order_of_the_times(self):
        draw = random.Random(5)
        texts = [' '.join(f'w{draw.randrange(100_000)}' for _ in range(20)) for _ in range(300)]
        newest, lines = {}, []
        for number, at in enumerate(draw.sample(range(10_000_000), 3000)):
            family = draw.randrange(300)
            lines.append(json.dumps({'id': number, 'at': 1_700_000_000_000 + at,
                                     'title': texts[family].upper() if number % 3 else texts[family]}))
            newest[family] = max(newest.get(family, (0, 0)), (at, number))
        lines.insert(700, '{"id": "no time", "title": "%s"}' % texts[0])
        unique, duplicate, dead = (self.folder / name for name in ('unique', 'duplicate', 'dead'))
        # A file is none of the topics of a service, and its settings apply all the same.
        done = self.keep_newest(lines, '--set', 'input.topics=[listings]', '--set', 'output.unique_key=group',
                                '--set', 'record.time_field=at', '--unique', unique, '--duplicate', duplicate,
                                '--dead-letter', dead, '--groups', self.folder / 'groups')
        kept = unique.read_text().splitlines()
        self.assertEqual(sorted(json.loads(line)['id'] for line in kept), sorted(number for _, number in newest.values()))
        self.assertEqual(kept, [line for line in lines if line in set(kept)], 'in the order of the input')
        self.assertEqual(duplicate.read_text().splitlines(),
                         [line for number, line in enumerate(lines) if line not in set(kept) and number != 700])
        self.assertEqual(dead.read_text(), lines[700] + '\n')
        self.assertIn('newer than others', done.stderr)
        for line in (self.folder / 'groups').read_text().splitlines():
            group = json.loads(line)
            numbers = [int(member['id']) for member in group['members']]
            latest = max(numbers, key=lambda number: json.loads(lines[number + (number >= 700)])['at'])
            self.assertEqual(int(group.get('newest', numbers[0])), latest)

    def test_to_keep_the_newest_a_time_and_a_file_are_needed(self):
        refused = self.keep_newest(LINES, code=78)
        self.assertIn('--set record.time_field=FIELD', refused.stderr)
        pipe = neardup('filter', '--input', '-', '--fields', 'title', '--keep', 'newest',
                       '--set', 'record.time_field=at', input='')
        self.assertEqual(pipe.returncode, 78)
        self.assertIn('reads the input twice, which standard input does not allow', pipe.stderr)

    def test_a_record_that_equals_an_earlier_duplicate_counts_as_exact(self):
        near = LINES[2].replace('a3', 'b1')
        summary, kinds, text = self.summary([LINES[0], near, near, near.upper().replace('TITLE', 'title'), LINES[1]])
        self.assertEqual(kinds, ['', 'near', 'near', 'near', 'exact'])
        self.assertEqual((summary['exact_duplicates'], summary['near_duplicates']), (3, 1))
        self.assertEqual(summary['exact_duplicates_of_kind_near'], 2)
        self.assertRegex(text, r'exact duplicates +3\n')
        self.assertIn('2 of the exact duplicates are equal to an earlier near duplicate', text)

    def test_line_mode_answers_each_line_before_the_next_one_comes(self):
        process = subprocess.Popen([NEARDUP, 'filter', '--input', '-', '--fields', 'title', '--id-field', 'id',
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


class Forms(FolderTest):
    """Files as people have them."""

    def filter(self, content, *options, fields=('--fields', 'title')):
        path = self.folder / 'r.jsonl'
        path.write_bytes(content)
        unique = self.folder / 'u.jsonl'
        done = neardup('filter', '--input', path, *fields, '--json', '--unique', unique, *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stderr), unique.read_bytes()

    def test_an_empty_file_holds_no_records(self):
        for fields in ((), ('--fields', 'title')):
            summary, unique = self.filter(b'', fields=fields)
            self.assertEqual((summary['records'], unique), (0, b''))

    def test_the_last_line_may_lack_its_end(self):
        summary, unique = self.filter('\n'.join(LINES[:2]).encode())
        self.assertEqual((summary['unique'], summary['exact_duplicates'], summary['dead_letters']), (1, 1, 0))
        self.assertEqual(unique, LINES[0].encode() + b'\n')

    def test_lines_of_windows_stay_as_they_are(self):
        summary, unique = self.filter('\r\n'.join([*LINES[:4], '']).encode())
        self.assertEqual((summary['unique'], summary['exact_duplicates'], summary['near_duplicates']), (2, 1, 1))
        self.assertEqual(unique, f'{LINES[0]}\r\n{LINES[3]}\r\n'.encode())

    def test_a_byte_order_mark_is_no_part_of_the_first_record(self):
        summary, unique = self.filter(b'\xef\xbb\xbf' + '\n'.join(LINES[:2]).encode())
        self.assertEqual((summary['unique'], summary['exact_duplicates']), (1, 1))
        self.assertEqual(unique, LINES[0].encode() + b'\n')

    def test_a_folder_is_named(self):
        done = neardup('filter', '--input', self.folder)
        self.assertEqual((done.returncode, done.stderr),
                         (74, f'neardup: {self.folder}: found a folder, expected a file\n'))

    def test_a_file_that_grows_for_ever_is_read_to_its_old_end(self):
        path = self.folder / 'r.jsonl'
        path.write_text(''.join(f'{line}\n' for line in LINES[:4]) * 3000)
        writing = threading.Event()

        def append():
            with path.open('a') as file:
                while not writing.is_set():
                    file.write(f'{LINES[0]}\n' * 10)
                    file.flush()
                    time.sleep(0.001)
        writer = threading.Thread(target=append)
        writer.start()
        try:
            done = neardup('filter', '--input', path, '--fields', 'title', '--json')
        finally:
            writing.set()
            writer.join()
        summary = json.loads(done.stderr)
        self.assertEqual((done.returncode, summary['dead_letters']), (0, 0))
        self.assertGreaterEqual(summary['records'], 12000)


class Reproducible(unittest.TestCase):
    """What is forgotten, and when, depends on the records only: not on the speed of the run, the threads or batches."""

    def run_twice(self, lines, *options):
        outputs = []
        fast = ('--set', 'threads.fingerprint=1')
        slow = ('--set', 'threads.fingerprint=3', '--set', 'transaction.batch_records_max=137',
                '--set', 'transaction.interval_ms=10', '--set', 'transaction.bytes_max=64KiB')
        for more, wait_s in ((fast, 0), (slow, 0.02)):
            process = subprocess.Popen(
                [NEARDUP, 'filter', '--input', '-', '--fields', 'title', '--set', 'match.mode=near',
                 '--verdicts', '-', *options, *more],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            reader = threading.Thread(target=lambda: outputs.append(process.stdout.read()))
            reader.start()
            for begin in range(0, len(lines), 701):
                process.stdin.write(''.join(lines[begin:begin + 701]).encode())
                process.stdin.flush()
                time.sleep(wait_s)
            process.stdin.close()
            reader.join()
            self.assertEqual(process.wait(), 0, process.stderr.read())
            process.stdout.close()
            process.stderr.close()
        self.assertEqual(len(outputs[0].splitlines()), len(lines) + 1)
        self.assertTrue(outputs[0] == outputs[1], 'the verdicts of two runs differ')
        return outputs[0].decode()

    def lines(self, count, time_of):
        """Each second record repeats one that came up to `count / 5` records before; each fourth with another word."""
        choose = random.Random(7)
        numbers = []
        lines = []
        for i in range(count):
            number = i
            if i % 2 and numbers:
                number = numbers[max(0, len(numbers) - 1 - choose.randrange(count // 10))]
            else:
                numbers.append(i)
            words = [f'w{number * k % 7919}' for k in range(1, 16)]
            if i % 4 == 1:
                words[choose.randrange(15)] = 'other'
            lines.append(json.dumps({'title': ' '.join(words), **time_of(i)}) + '\n')
        return lines

    def test_with_room_for_a_tenth_of_the_unique_records(self):
        lines = self.lines(20000, lambda i: {})
        few = self.run_twice(lines, '--set', 'window.entries_max=1000')
        all_of_them = self.run_twice(lines, '--set', 'window.entries_max=100000')
        self.assertIn('near', few)
        self.assertGreater(few.count('unique'), 1.2 * all_of_them.count('unique'))
        self.assertGreaterEqual(all_of_them.count('unique'), 10000)

    def test_with_records_that_expire_or_come_late(self):
        def time_of(i):
            late_ms = 40_000 if i % 50 == 0 else 0
            return {'at': 1_700_000_000_000 + 10 * i - late_ms}
        lines = self.lines(20000, time_of)
        options = ('--set', 'record.time_field=at', '--set', 'record.time_format=milliseconds')
        short = self.run_twice(lines, *options, '--set', 'window.window_ms=5s', '--set', 'window.lateness_ms=1s')
        long = self.run_twice(lines, *options, '--set', 'window.window_ms=1h')
        self.assertGreater(short.count('unique'), 1.2 * long.count('unique'))

    def test_another_length_of_commits_is_another_moment_to_forget(self):
        lines = self.lines(20000, lambda i: {})
        each, default = (self.run_twice(lines, '--set', 'window.entries_max=1000', '--set', f'filter.commit_records={n}')
                         for n in (1, 2000))
        self.assertNotEqual(each, default)


if __name__ == '__main__':
    unittest.main()
