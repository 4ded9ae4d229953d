"""`scripts/test` builds and selects the tests of a folder, and ends with the exit code of ctest or of its limit.
Programs named cmake and ctest take the place of the real ones. One named awk says what the tests cost."""
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = '#!/usr/bin/env bash\necho "cmake $*" >>"$CALLS"\n'
CTEST = '''#!/usr/bin/env bash
echo "ctest $*" >>"$CALLS"
echo '<testcase name="Lane.IsQuick" classname="Lane.IsQuick" time="0.5" status="run">
<testcase name="Lane.IsSlow" classname="Lane.IsSlow" time="312.5" status="run">' >build/release/tests.xml
exit "$CODE"
'''
# scripts/test asks before and after the tests.
AWK = '''#!/usr/bin/env bash
[[ $1 == *'NR == 2'* ]] || exec "$REAL_AWK" "$@"
if [[ -f $CALLS.asked ]]; then echo "$SECONDS_OF_TESTS"; else echo 0; fi
touch "$CALLS.asked"
'''


class TestScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ('scripts', 'bin', 'tests/detect', 'tests/stream'):
            (self.folder / name).mkdir(parents=True)
        for folder in ('detect', 'stream'):
            (self.folder / 'tests' / folder / 'CMakeLists.txt').touch()
        for script in ('test', 'build'):
            shutil.copy(ROOT / 'scripts' / script, self.folder / 'scripts' / script)
        for name, text in (('cmake', CMAKE), ('ninja', CMAKE), ('c++', CMAKE), ('ctest', CTEST), ('awk', AWK)):
            path = self.folder / 'bin' / name
            path.write_text(text)
            path.chmod(0o755)

    def run_script(self, *arguments, code=0, seconds=0):
        """Returns what scripts/test gives, and the commands that it called."""
        calls = self.folder / 'calls'
        environment = {**os.environ, 'PATH': f'{self.folder / "bin"}:{os.environ["PATH"]}', 'CODE': str(code),
                       'CALLS': str(calls), 'SECONDS_OF_TESTS': str(seconds), 'REAL_AWK': shutil.which('awk')}
        done = subprocess.run([self.folder / 'scripts/test', '--no-install', *arguments], env=environment,
                              capture_output=True, text=True)
        return done, calls.read_text().splitlines() if calls.exists() else []

    def test_folders_select_targets_and_tests(self):
        done, (configure, build, ctest) = self.run_script('detect', 'stream', '-LE', 'broker')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('-DNEARDUP_TESTS_ALL=OFF', configure)
        self.assertTrue(build.endswith('--target tests/detect/all tests/stream/all'), build)
        self.assertTrue(ctest.endswith('-L ^(detect|stream)$ -LE broker'), ctest)

    def test_sanitizers_have_a_build_of_their_own_and_leave_the_broker_out(self):
        done, (configure, build, ctest) = self.run_script('--sanitize', 'asan', 'stream')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('--preset asan', configure)
        self.assertIn('--preset asan', build)
        self.assertIn('--preset asan', ctest)
        self.assertTrue(ctest.endswith('-L ^(stream)$ -LE ^(broker|root|simulation)$'), ctest)

    def test_all_configures_the_tests_that_take_long(self):
        done, (configure, build, ctest) = self.run_script('--all')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn('-DNEARDUP_TESTS_ALL=ON', configure)
        self.assertNotIn('--target', build)
        self.assertNotIn('-L', ctest)

    def test_an_unknown_folder_or_limit_is_refused_before_the_build(self):
        for arguments, text in ((['detct'], "found 'detct'"), (['--limit', '0'], "found '0'"),
                                (['--limit'], 'whole number of minutes'), (['--sanitize', 'x'], "found 'x'")):
            with self.subTest(arguments):
                done, calls = self.run_script(*arguments)
                self.assertEqual((done.returncode, calls), (2, []), done.stderr)
                self.assertIn(text, done.stderr)

    def test_failed_tests_give_the_exit_code(self):
        self.assertEqual(self.run_script(code=8)[0].returncode, 8)

    def test_the_limit_counts_the_processor_time_of_two_cores(self):
        within, _ = self.run_script('--limit', '2', seconds=240)
        self.assertEqual(within.returncode, 0, within.stderr)
        self.assertNotIn('Lane', within.stdout)

    def test_beyond_the_limit_it_fails_and_names_the_longest_tests_first(self):
        beyond, _ = self.run_script('--limit', '2', seconds=241)
        self.assertEqual(beyond.returncode, 1)
        self.assertIn('expected at most 2 minutes of two cores', beyond.stderr)
        self.assertRegex(beyond.stdout, r'312\.5 Lane\.IsSlow\n0\.5 Lane\.IsQuick')


if __name__ == '__main__':
    unittest.main(verbosity=2)
