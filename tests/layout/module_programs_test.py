"""`scripts/test FOLDER` builds the programs that the tests of the folder run, so that no test runs an old one."""
import os
import pathlib
import re
import subprocess
import unittest

BUILD = pathlib.Path(os.environ['BUILD'])
# What tests/e2e/harness.py runs from the folder E2E_BUILD.
OF_HARNESS = {'neardup', 'e2e_load'}


def programs_run_in(folder):
    tests = (BUILD / 'tests' / folder / 'CTestTestfile.cmake').read_text()
    programs = set(re.findall(rf'{re.escape(str(BUILD))}/(\w+)(?=["; ])', tests))
    return programs | (OF_HARNESS if f'E2E_BUILD={BUILD}' in tests else set())


def built_with(folder):
    commands = subprocess.run(['ninja', '-t', 'commands', f'tests/{folder}/all'], cwd=BUILD, text=True,
                              capture_output=True, check=True)
    return set(re.findall(r' -o (\w+) ', commands.stdout))


class FolderPrograms(unittest.TestCase):
    def test_each_folder_builds_the_programs_that_its_tests_run(self):
        tests = BUILD / 'tests'
        folders = [path.parent.relative_to(tests) for path in tests.glob('**/CTestTestfile.cmake')
                 if path.parent != tests]
        self.assertIn('neardup', programs_run_in('docs'))
        for folder in folders:
            with self.subTest(folder):
                self.assertEqual(programs_run_in(folder) - built_with(folder), set())


if __name__ == '__main__':
    unittest.main(verbosity=2)
