"""`scripts/build` shows how far it is, and the log of a build that fails. A program named cmake takes the place of
the real one: it writes what ninja writes."""
import os
import pathlib
import pty
import shutil
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CMAKE = '''#!/usr/bin/env bash
[[ $1 == --build ]] || exit 0
for step in 1 2 3; do
  echo "[$step/3] Building number_$step"
  sleep 1
done
exit "$CODE"
'''


class BuildScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        for name in ('scripts', 'bin'):
            (self.folder / name).mkdir()
        shutil.copy(ROOT / 'scripts/build', self.folder / 'scripts/build')
        for tool in ('cmake', 'ninja', 'c++'):
            path = self.folder / 'bin' / tool
            path.write_text(CMAKE)
            path.chmod(0o755)

    def build(self, code=0, **options):
        environment = {**os.environ, 'PATH': f'{self.folder / "bin"}:{os.environ["PATH"]}', 'CODE': str(code)}
        return subprocess.run([self.folder / 'scripts/build', 'release', 'neardup'], env=environment, timeout=60,
                              **options)

    def build_on_a_terminal(self, code=0):
        """Returns the exit code and what the terminal shows."""
        ours, theirs = pty.openpty()
        done = self.build(code, stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        text = b''
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:
                break
            if not part:
                break
            text += part
        os.close(ours)
        return done.returncode, text.decode()

    def test_a_terminal_shows_how_many_steps_are_done(self):
        code, text = self.build_on_a_terminal()
        self.assertEqual(code, 0, text)
        self.assertRegex(text, r'\rscripts/build: [123]/3 steps, \d+:\d\d min')
        self.assertNotIn('Building', text)
        self.assertTrue(text.endswith('\r\x1b[K'), 'the line is gone at the end')

    def test_a_short_build_writes_no_progress_into_a_file(self):
        done = self.build(capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn('steps', done.stderr)

    def test_a_build_that_fails_shows_its_log(self):
        done = self.build(code=3, capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertIn('[3/3] Building number_3', done.stderr)
        self.assertIn('failed; its output is shown above', done.stderr)


if __name__ == '__main__':
    unittest.main(verbosity=2)
