"""Checks what a signal leaves of a command that reads and writes files: no output is touched, the message
says how far the command came, and the exit code is 128 and the number of the signal.

    stop_signals_test.py NEARDUP EARLY_SIGNAL
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest

from program import NEARDUP, FolderTest

EARLY_SIGNAL = sys.argv.pop(1)
WAIT_S = 120
CHOOSE = random.Random(4)
LINES = [json.dumps({"id": f"a{n}", "title": " ".join(f"w{CHOOSE.randrange(9000)}" for _ in range(30))})
         for n in range(1000)]
RECORDS = ("\n".join(LINES) + "\n").encode()


def take_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGXCPU):
        signal.signal(number, signal.SIG_DFL)


class StopSignals(FolderTest):
    def setUp(self):
        super().setUp()
        (self.folder / "u").write_text("old\n")

    def start(self, *words):
        process = subprocess.Popen([NEARDUP, *words], cwd=self.folder, stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   preexec_fn=take_signals)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def names(self):
        return sorted(path.name for path in self.folder.iterdir())

    def stop(self, process, number):
        """Returns the rest of standard output, and standard error."""
        process.send_signal(number)
        rest = process.stdout.read()
        said = process.stderr.read().decode()
        process.wait(WAIT_S)
        process.stdout.close()
        process.stderr.close()
        self.assertEqual(process.returncode, 128 + number, said)
        self.assertEqual((self.folder / "u").read_text(), "old\n")
        return rest, said

    def test_filter_that_waits_for_records_to_learn_from_ends_at_the_first_signal(self):
        for number in (signal.SIGTERM, signal.SIGQUIT, signal.SIGXCPU):
            process = self.start("filter", "--input", "-", "--fields", "title", "--unique", "u")
            while self.names() == ["u"]:
                time.sleep(0.02)
            process.stdin.write(RECORDS[:1000])
            process.stdin.flush()
            _, said = self.stop(process, number)
            process.stdin.close()
            self.assertIn(f"stopped by {number.name} while ", said)
            self.assertEqual(self.names(), ["u"])

    def test_filter_says_how_many_records_it_decided_and_writes_no_file(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            process = self.start("filter", "--input", "-", "--fields", "title", "--unique", "u",
                                 "--verdicts", "-")
            process.stdin.write(RECORDS)
            process.stdin.flush()
            first = process.stdout.readline() + process.stdout.readline()
            rest, said = self.stop(process, number)
            process.stdin.close()
            verdicts = (first + rest).decode().splitlines()[1:]
            self.assertGreater(len(verdicts), 0)
            self.assertIn(f"stopped by {number.name} after {len(verdicts):,} records; standard "
                          "output holds the lines of these records; not written: u", said)
            self.assertIn(f"head -n {len(verdicts)} INPUT", said)
            self.assertEqual(self.names(), ["u"])

    def test_filter_ends_well_at_the_end_of_its_input(self):
        process = self.start("filter", "--input", "-", "--fields", "title", "--unique", "all")
        process.communicate(RECORDS, WAIT_S)
        self.assertEqual(process.returncode, 0)
        self.assertEqual((self.folder / "all").read_bytes(), RECORDS)

    def stop_while_reading(self, number, temporary, *words):
        """Stops a command that reads standard input and has opened its outputs."""
        process = self.start(*words)
        end = time.monotonic() + WAIT_S
        while not (self.folder / temporary).exists():
            self.assertLess(time.monotonic(), end, "the command never opened its outputs")
            self.assertIsNone(process.poll(), "the command ended")
            time.sleep(0.01)
        process.stdin.write(RECORDS)  # does not fit into the pipe, so the command is reading now
        process.stdin.flush()
        _, said = self.stop(process, number)
        process.stdin.close()
        return said

    def test_generate_and_tune_say_what_they_were_doing(self):
        said = self.stop_while_reading(
            signal.SIGTERM, "labels.0.tmp", "generate", "--input", "-", "--fields", "title",
            "--output", "u", "--labels", "labels")
        self.assertEqual(said, "neardup: stopped by SIGTERM while reading records; not written: "
                         "labels, u\n")
        said = self.stop_while_reading(signal.SIGHUP, "c.html.0.tmp", "tune", "--input", "-",
                                       "--output", "c.yaml")
        self.assertIn("stopped by SIGHUP while reading the sample; not written: ", said)
        self.assertEqual(self.names(), ["u"])

    def test_an_ignored_signal_stays_ignored(self):
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
        process = subprocess.Popen([NEARDUP, "filter", "--input", "-", "--fields", "title",
                                    "--unique", "all", "--verdicts", "-"], cwd=self.folder,
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=subprocess.DEVNULL, preexec_fn=ignore)
        process.stdin.write(RECORDS)
        process.stdin.flush()
        process.stdout.readline()
        process.stdout.readline()
        os.kill(process.pid, signal.SIGHUP)
        process.communicate(b"", WAIT_S)
        self.assertEqual(process.returncode, 0)
        self.assertEqual((self.folder / "all").read_bytes(), RECORDS)

    def test_a_reload_signal_does_not_end_a_service_that_has_just_begun(self):
        early = {**os.environ, "LD_PRELOAD": EARLY_SIGNAL,
                 "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"}
        ends = {command: subprocess.run([NEARDUP, command, "--config", "none.yaml"], cwd=self.folder, env=early,
                                        preexec_fn=take_signals, capture_output=True, timeout=WAIT_S).returncode
                for command in ("run", "validate")}
        self.assertEqual(ends["validate"], -signal.SIGHUP)
        self.assertGreater(ends["run"], 0)

    def test_a_reader_that_goes_away_is_an_error_and_leaves_no_file(self):
        process = self.start("filter", "--input", "-", "--fields", "title", "--unique", "u",
                             "--verdicts", "-")
        process.stdout.close()
        said = process.communicate(RECORDS, WAIT_S)[1].decode()
        self.assertEqual(process.returncode, 74, said)
        self.assertIn("standard output: cannot be written: Broken pipe; not written: u", said)
        self.assertEqual(self.names(), ["u"])


if __name__ == "__main__":
    unittest.main()
