"""Starts a real Kafka with a filled topic, and runs install.sh in a clean system of a Debian release.

    scripts/package test RELEASE    builds the packages and runs this
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RELEASE = sys.argv.pop(1)
NUMBER = {"bookworm": "12", "trixie": "13"}[RELEASE]
RECORDS = 5000


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


class Package(unittest.TestCase):
    def test_it_installs_runs_and_goes_without_a_trace(self):
        folder = pathlib.Path(tempfile.mkdtemp(prefix="neardup-package-"))
        self.addCleanup(shutil.rmtree, folder)
        self.addCleanup(run, ROOT / "scripts/kafka", "stop", "--dir", folder / "kafka")
        started = run(ROOT / "scripts/kafka", "start", "--dir", folder / "kafka", "--port", "0", "--property",
                      "auto.create.topics.enable=true", "--property", "num.partitions=2")
        self.assertEqual(started.returncode, 0, started.stderr)
        brokers = started.stdout.split()[-1]
        records = folder / "articles.jsonl"
        records.write_text(run(ROOT / "scripts/synthetic-articles", RECORDS, check=True).stdout)
        run("kcat", "-b", brokers, "-P", "-t", "articles", "-l", records, check=True)
        done = run(ROOT / "scripts/debian", "--clean", RELEASE, "tests/package/install.sh", NUMBER, brokers, RECORDS)
        print(done.stdout, file=sys.stderr)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
