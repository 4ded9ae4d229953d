"""The shared broker: a second start goes on with the one that runs, a dead one is replaced, and a stop leaves
nothing."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest

import shared_kafka

SCRIPT = pathlib.Path(shared_kafka.__file__)


class SharedKafka(unittest.TestCase):
    def run_script(self, command):
        done = subprocess.run([sys.executable, '-B', str(SCRIPT), command, '--dir', str(self.folder)], text=True,
                              capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def pid(self):
        return int((self.folder / 'kafka/1/pid').read_text())

    def test_a_second_start_goes_on_and_a_dead_broker_is_replaced(self):
        parent = tempfile.TemporaryDirectory(prefix='neardup-shared-')
        self.addCleanup(parent.cleanup)
        self.folder = pathlib.Path(parent.name) / 'shared'
        self.addCleanup(self.run_script, 'stop')
        self.run_script('start')
        first = self.pid()
        self.assertTrue(shared_kafka.answers((self.folder / 'brokers').read_text().strip()))
        self.assertIn('goes on', self.run_script('start'))
        self.assertEqual(self.pid(), first)
        os.kill(first, signal.SIGKILL)
        self.run_script('start')
        second = self.pid()
        self.assertNotEqual(second, first)
        address = (self.folder / 'brokers').read_text().strip()
        self.assertTrue(shared_kafka.answers(address))
        self.run_script('stop')
        self.assertFalse(self.folder.exists())
        self.assertFalse(shared_kafka.answers(address))


if __name__ == '__main__':
    unittest.main(verbosity=2)
