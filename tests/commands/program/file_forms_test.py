"""What `neardup filter` does with files, names and places that are not as plain as they could be."""
import gzip
import json
import os
import random
import re
import subprocess
import threading
import unittest

from program import NEARDUP, FolderTest, neardup


WORDS = [a + b for a in ('har', 'bri', 'cou', 'deb', 'tra', 'mor', 'win', 'sto', 'gar', 'lan')
         for b in ('bour', 'dge', 'ncil', 'ate', 'ffic', 'ning', 'ter', 'ry', 'den', 'tern')]


class Files(FolderTest):
    def setUp(self):
        super().setUp()
        self.input = self.folder / 'in.jsonl'

    def write(self, records):
        self.input.write_text(''.join(json.dumps(record) + '\n' for record in records))

    def filter(self, *options, file='in.jsonl'):
        done = neardup('filter', '--input', file, *options, cwd=self.folder, text=False)
        done.said = done.stderr.decode()
        return done

    def tune(self, *options):
        return neardup('tune', '--input', 'in.jsonl', '--output', 't.yaml', *options, cwd=self.folder)

    def verdicts(self, *options, **how):
        done = self.filter('--verdicts', 'v.tsv', *options, **how)
        self.assertEqual(done.returncode, 0, done.said)
        return [line.split('\t') for line in (self.folder / 'v.tsv').read_text().splitlines()[1:]]


class Forms(Files):
    def test_json_in_another_arrangement_is_refused_and_its_command_makes_json_lines(self):
        records = [{'id': i, 'name': f'place {i} of the map'} for i in range(30)]
        objects = [json.dumps(each) for each in records]
        pretty = [json.dumps(each, indent=1) for each in records]
        array = '[\n' + ',\n'.join(objects) + '\n]'
        forms = {
            'array after a blank line': '\n' + array,
            'module': 'export.part1 = ' + array + ';\n',
            'archive': '\n// made by hand\nwindow.A["places"].part0 = ' + json.dumps(records, indent=1),
            'call': f'load({array});\n',
            'envelope': '{"kind": "list", "found": {"few": [{"a": 1}], "places": ' + array + '}}',
            'envelope on one line': json.dumps({'places': records}),
            'map': json.dumps({each['id']: {'name': each['name']} for each in records}, indent=1),
            'commas at line ends': ',\n'.join(objects) + ',\n',
            'commas at line starts': '\n,'.join(objects) + '\n',
            'joined': ''.join(objects),
            'joined after the first line': objects[0] + '\n' + ''.join(objects[1:]) + ' \n{"id":30}{"id":31}\n',
            'over several lines': '\n'.join(pretty),
            'over several lines, with commas': ',\n'.join(pretty),
            'record separators': ''.join('\x1e' + each for each in objects),
            'zero bytes': '\0'.join(objects) + '\0',
            'line separators of Unicode': '\u2028'.join(objects) + '\u2028',
            'semicolons': ';\n'.join(objects) + ';\n',
            'times': ''.join(f'10:{i} {each}\n' for i, each in enumerate(objects)),
            'UTF-16': '\n'.join(['', *objects]).encode('utf-16-be'),
            'UTF-32': '\n'.join(objects).encode('utf-32')}
        for form, content in forms.items():
            self.input.write_bytes(content if isinstance(content, bytes) else content.encode())
            (self.folder / 'u.jsonl').write_text('of an earlier run\n')
            done = self.filter('--unique', 'u.jsonl')
            self.assertEqual(done.returncode, 65, f'{form}: {done.said}')
            self.assertEqual((self.folder / 'u.jsonl').read_text(), 'of an earlier run\n', form)
            command = re.search('(?:for instance with |as lines: )(.*); not written', done.said)[1]
            command = command.replace('FILE', 'in.jsonl') if 'FILE' in command else command + ' < in.jsonl'
            made = subprocess.run(['bash', '-c', command], cwd=self.folder, capture_output=True, text=True)
            ids = [int(json.loads(line)['id']) for line in made.stdout.splitlines() if line]
            self.assertEqual(ids[:30], list(range(30)), (form, command, made.stderr))

    def test_one_damaged_line_is_one_dead_letter(self):
        for first in ('{"a": "x"}TRAILER', '{"a": "x"},', '{"a":', '{"a": "x"} {"a": "y"}', '\0' * 100 + '{"a": "x"}'):
            self.input.write_text(first + '\n{"a": "good"}\n{"a": "better"}\n')
            self.assertEqual([row[1] for row in self.verdicts()], ['dead-letter', 'unique', 'unique'], first)

    def test_zstd_is_learned_from_like_plain_text(self):
        draw = random.Random(3)
        self.write({'uid': draw.getrandbits(60), 'text': ' '.join(draw.choices(WORDS, k=200))} for _ in range(60_000))
        subprocess.run(['zstd', '-q', 'in.jsonl', '-o', 'in.jsonl.zst'], cwd=self.folder, check=True)
        self.assertIn('fields compared: text; left out: uid', self.filter(file='in.jsonl.zst').said)

    def test_the_window_holds_a_file_that_is_longer_than_its_default(self):
        with gzip.open(self.folder / 'in.jsonl.gz', 'wt', compresslevel=1) as file:
            for i in range(1_005_000):
                file.write('{"n":"value v%d"}\n' % (i % 1_004_000))
        done = self.filter('--fields', 'n', '--json', file='in.jsonl.gz')
        self.assertEqual(json.loads(done.said.splitlines()[-1])['exact_duplicates'], 1000)

    def test_what_a_given_window_forgets_is_said(self):
        self.write({'n': f'value v{i}'} for i in range(3000))
        said = self.filter('--fields', 'n', '--set', 'window.entries_max=1000').said
        self.assertIn('up to 2,000 unique records were forgotten', said)
        self.assertIn('--set window.entries_max=3000', said)


class Names(Files):
    def test_a_field_is_named_as_it_stands_in_the_record(self):
        for name in ('@message', 'Item #', 'Question 2: why?', 'a[0]', 'it\'s', '%s', 'a: b', '- x', 'yes', '*'):
            self.write([{name: 'alpha beta'}, {name: 'alpha beta'}, {name: 'gamma'}])
            self.assertEqual([row[1] for row in self.verdicts('--fields', name)], ['unique', 'duplicate', 'unique'], name)

    def test_what_tune_writes_for_a_name_with_a_line_end_is_taken(self):
        draw = random.Random(5)
        for name in ('Remark\n(free text)', 'two\r\nlines'):
            self.write({'uid': f'{draw.getrandbits(64):016x}', name: ' '.join(draw.choices(WORDS, k=25))} for _ in range(300))
            self.assertEqual(self.tune('--force').returncode, 0)
            done = self.filter('--config', 't.yaml')
            self.assertEqual(done.returncode, 0, done.said)

    def test_a_name_that_is_no_pointer_is_refused(self):
        self.write([{'text': 'alpha'}])
        for options in (['--id-field', '/people~ann/id'], ['--lanes', '2', '--lanes-field', '/a~2'], ['--id-field', b'na\xefve']):
            done = subprocess.run([NEARDUP, 'filter', '--input', 'in.jsonl', *options], cwd=self.folder,
                                  capture_output=True)
            self.assertEqual(done.returncode, 78, done.stderr)
            self.assertIn(options[-2].encode() + b': ', done.stderr)

    def test_a_record_without_the_id_is_named_by_its_line(self):
        self.write([{'id': '2', 'text': 'alpha beta'}, {'text': 'gamma delta'}, {'id': 'x', 'text': 'gamma delta'}])
        rows = self.verdicts('--fields', 'text', '--id-field', 'id')
        self.assertEqual([row[0] for row in rows], ['2', 'line 2', 'x'])
        self.assertEqual(rows[2][2], 'line 2')

    def test_the_fields_are_named_although_a_number_is_large(self):
        self.input.write_text('{"wallet": "a1", "amount": 10000000000000000000000000, "deep": {"more": 1e999}}\n')
        said = self.filter('--id-field', 'walet').said
        self.assertIn('did you mean wallet?; the first of them has the fields wallet, amount, deep, /deep/more. Leave', said)

    def test_messages_hold_no_control_characters(self):
        key = '\x1b[2J\x07\x9bkey'
        self.input.write_text(json.dumps({key: 'x'}, ensure_ascii=False) + '\n' + '{"\\u001b[2J":1,"\\u001b[2J":2}\n')
        for options in (['--fields', 'other'], ['--id-field', 'other'], []):
            said = self.filter(*options).said
            self.assertFalse(set(said) & set('\x1b\x07\x9b'), repr(said))
        self.assertIn('\\u001B', said)

    def test_results_hold_no_control_characters(self):
        draw = random.Random(7)
        texts = [' '.join(draw.choices(WORDS, k=20)) for _ in range(300)]
        self.write({'\x1b[2J\x07': text} for text in texts + texts[:100])
        done = self.tune()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('\\u001B[2J', done.stdout)
        self.assertFalse(set(done.stdout) & set('\x1b\x07'), repr(done.stdout))


class Places(Files):
    def test_an_option_with_an_empty_word_is_refused(self):
        self.write([{'a': 'one'}])
        for option in ('--unique', '--duplicate', '--dead-letter', '--verdicts', '--pairs', '--groups',
                       '--config', '--set', '--id-field', '--fields', '--free'):
            done = self.filter(option, '')
            self.assertEqual(done.returncode, 64, option)
            self.assertIn(f'{option}: found an empty word', done.said)

    def test_a_file_without_its_option_is_named_with_it(self):
        done = subprocess.run([NEARDUP, 'filter', 'in.jsonl'], capture_output=True, text=True)
        self.assertEqual(done.returncode, 64)
        self.assertIn('did you mean --input in.jsonl?', done.stderr)

    def test_messages_that_cannot_be_written_do_not_cost_the_result(self):
        self.write([{'a': 'one'}, {'a': 'two'}, {'a': 'one'}])
        for redirect in ('2>/dev/full', '2>&-', '2>&- <&- >&-', '2> >(exec true)'):
            (self.folder / 'u.jsonl').unlink(missing_ok=True)
            done = subprocess.run(['bash', '-c', f'"$0" filter --input in.jsonl --unique u.jsonl {redirect}', NEARDUP],
                                  cwd=self.folder)
            self.assertEqual(done.returncode, 0, redirect)
            self.assertEqual((self.folder / 'u.jsonl').read_text().count('\n'), 2, redirect)

    def test_a_limit_of_the_file_size_is_an_error_like_a_full_disk(self):
        draw = random.Random(4)
        self.write({'text': ' '.join(draw.choices(WORDS, k=15))} for _ in range(5000))
        (self.folder / 'u.jsonl').write_text('old\n')
        done = subprocess.run(['bash', '-c', 'ulimit -f 100; exec "$0" filter --input in.jsonl --fields text --unique u.jsonl',
                               NEARDUP], cwd=self.folder, capture_output=True, text=True)
        self.assertEqual(done.returncode, 74, done.stderr)
        self.assertIn('u.jsonl', done.stderr)
        self.assertEqual((self.folder / 'u.jsonl').read_text(), 'old\n')
        self.assertEqual([each.name for each in self.folder.iterdir() if each.name.endswith('.tmp')], [])

    def test_keep_newest_refuses_a_pipe(self):
        pipe = self.folder / 'pipe'
        os.mkfifo(pipe)
        writer = threading.Thread(target=lambda: pipe.open('w').close(), daemon=True)
        writer.start()
        done = self.filter('--fields', 'a', '--keep', 'newest', '--set', 'record.time_field=t', file='pipe')
        self.assertEqual(done.returncode, 78, done.said)
        self.assertIn('reads the input twice, which a pipe does not allow', done.said)

    def test_pairs_are_json_whatever_stands_around_a_record(self):
        text = 'Council approves the new harbour bridge after a long debate on cost and traffic in the city'
        lines = [json.dumps({'id': i, 'title': text}).encode() for i in range(2)]
        for content in (b'\r\n'.join(lines) + b'\r\n', b''.join(b'\xef\xbb\xbf' + line + b'\n' for line in lines),
                        b''.join(b'\t' + line + b' \t\r\n' for line in lines),
                        b''.join(line.replace(b'{', b'{\r') + b'\n' for line in lines)):
            self.input.write_bytes(content)
            self.assertEqual(self.filter('--fields', 'title', '--pairs', 'p.jsonl').returncode, 0)
            written = (self.folder / 'p.jsonl').read_bytes()
            self.assertNotIn(b'\r', written)
            self.assertEqual(json.loads(written)['duplicate']['record']['id'], 1)

    def test_the_warning_about_dead_letters_names_a_line(self):
        self.input.write_text('{"a":"good"}\n' + 'broken\n' * 300)
        self.assertIn('such as line 2: ', self.filter().said)


if __name__ == '__main__':
    unittest.main()
