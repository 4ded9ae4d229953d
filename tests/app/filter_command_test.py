"""What `neardup filter` says about its dead letters, as a person at a terminal sees it."""
import pathlib
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


if __name__ == '__main__':
    unittest.main()
