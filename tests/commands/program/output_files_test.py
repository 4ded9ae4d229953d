"""Checks that no command destroys what it reads, or what its other outputs write, and that a run which does
not end well leaves every file as it was.

    output_files_test.py NEARDUP
"""

import gzip
import json
import os
import random
import subprocess
import unittest

from program import NEARDUP, FolderTest, neardup

EXIT_CONFIG = 78
EXIT_IO = 74
WORDS = [stem + ending for stem in ("bridg", "harb", "falc", "orch", "tunn", "ferr", "glac", "viol")
         for ending in ("e", "our", "on", "ard", "el", "y", "ier", "in")]
CHOOSE = random.Random(3)
RECORDS = "".join(json.dumps({"id": f"a{n}", "title": " ".join(CHOOSE.choices(WORDS, k=16))}) + "\n"
                  for n in range(150)).encode()


class OutputFiles(FolderTest):
    def setUp(self):
        super().setUp()
        self.put("f.jsonl", RECORDS)

    def put(self, name, content):
        (self.folder / name).write_bytes(content)

    def run_in(self, *words, **more):
        return neardup(*words, cwd=self.folder, text=False, **more)

    def files(self):
        return {path.name: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}

    def assert_refused(self, reason, *words, code=EXIT_CONFIG, **more):
        """The command names the reason, and every file is as it was."""
        before = self.files()
        done = self.run_in(*words, **more)
        said = done.stderr.decode()
        self.assertEqual(self.files(), before, said)
        self.assertEqual(done.returncode, code, said)
        self.assertIn(reason, said)
        return said

    def filter(self, *words):
        return ["filter", "--input", "f.jsonl", "--fields", "title", *words]

    def generate(self, *words):
        return ["generate", "--fields", "title", *words]

    def test_filter_refuses_its_input_as_an_output(self):
        said = self.assert_refused("--unique f.jsonl", *self.filter("--unique", "f.jsonl"))
        self.assertIn("--input f.jsonl", said)
        self.put("c.yaml", b"app: a\n")
        self.assert_refused("--verdicts c.yaml",
                            *self.filter("--config", "c.yaml", "--verdicts", "c.yaml"))

    def test_filter_sees_its_input_behind_links_and_other_spellings(self):
        (self.folder / "folder").mkdir()
        (self.folder / "soft").symlink_to("f.jsonl")
        (self.folder / "hard").hardlink_to(self.folder / "f.jsonl")
        (self.folder / "here").symlink_to(".")
        for name in ("soft", "hard", "folder/../f.jsonl", "here/f.jsonl", self.folder / "f.jsonl"):
            self.assert_refused(f"--unique {name}", *self.filter("--unique", str(name)))

    def test_filter_sees_its_input_behind_standard_streams(self):
        before = self.files()
        with open(self.folder / "f.jsonl", "ab") as appended:
            done = subprocess.run([NEARDUP, *self.filter("--unique", "-")], cwd=self.folder,
                                  stdout=appended, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(self.files(), before)
        self.assertEqual(done.returncode, EXIT_CONFIG, done.stderr)
        with open(self.folder / "f.jsonl", "rb") as read:
            self.assert_refused("--unique f.jsonl", "filter", "--input", "-", "--unique", "f.jsonl",
                                stdin=read)

    def test_two_outputs_are_two_files(self):
        for pair in (("u", "u"), ("u", "./u"), ("-", "-"), ("-", "/dev/stdout")):
            said = self.assert_refused(f"--duplicate {pair[1]}", *self.filter(
                "--unique", pair[0], "--duplicate", pair[1]))
            self.assertIn(f"--unique {pair[0]}", said)
        self.assert_refused("--verdicts -", *self.filter("--unique", "-", "--verdicts", "-"))
        (self.folder / "dangling").symlink_to("u")
        self.assert_refused("--duplicate dangling", *self.filter("--unique", "u", "--duplicate",
                                                                 "dangling"))
        self.put("old", b"old\n")
        (self.folder / "hard").hardlink_to(self.folder / "old")
        self.assert_refused("--verdicts hard", *self.filter("--unique", "old", "--verdicts", "hard"))

    def test_other_commands_also_refuse_to_overwrite_what_they_read(self):
        self.assert_refused("--report x", "tune", "--input", "f.jsonl", "--output", "x",
                            "--report", "x")
        self.assert_refused("x.model.json", "tune", "--input", "f.jsonl", "--output", "x.yaml",
                            "--report", "x.model.json")
        self.assert_refused("--input f.jsonl", "tune", "--input", "f.jsonl", "--output",
                            "f.jsonl", "--force")
        self.put("c.yaml", b"app: a\n")
        self.assert_refused("--report c.yaml", "tune", "--input", "f.jsonl", "--config", "c.yaml",
                            "--output", "x.yaml", "--report", "c.yaml", "--force")
        self.assert_refused("--input f.jsonl", "evaluate", "--input", "f.jsonl", "--scheme", "md5",
                            "--verdicts", "f.jsonl")
        self.assert_refused("--config c.yaml", "report", "--config", "c.yaml", "--topics", "t",
                            "--cases", "c.yaml")
        self.assert_refused("--labels g", *self.generate(
            "--input", "f.jsonl", "--output", "g", "--labels", "g"))
        self.assert_refused("--input f.jsonl", *self.generate(
            "--input", "f.jsonl", "--output", "f.jsonl", "--labels", "g"))

    def test_a_run_that_fails_changes_no_file(self):
        self.put("cut.gz", gzip.compress(RECORDS)[:-40])
        self.put("u", b"old unique\n")
        said = self.assert_refused("ends in the middle of the gzip data", "filter", "--input",
                                   "cut.gz", "--unique", "u", "--verdicts", "v", code=EXIT_IO)
        self.assertIn("; not written: u, v", said)
        self.put("x.yaml", b"old\n")
        self.assert_refused("no-such/y.html", "tune", "--input", "f.jsonl", "--output", "x.yaml",
                            "--report", "no-such/y.html", "--force", code=EXIT_IO)
        self.assert_refused("no-such/labels", *self.generate(
            "--input", "f.jsonl", "--output", "u", "--labels", "no-such/labels"), code=EXIT_IO)

    @unittest.skipUnless(os.path.exists("/dev/full"), "needs /dev/full")
    def test_a_full_disk_of_one_output_leaves_the_others_as_they_were(self):
        self.put("u", b"old unique\n")
        said = self.assert_refused("/dev/full: cannot be written: No space left", *self.filter(
            "--unique", "u", "--verdicts", "/dev/full"), code=EXIT_IO)
        self.assertIn("; not written: u", said)

    def test_an_output_keeps_its_permissions_and_links(self):
        self.put("real", b"old\n")
        os.chmod(self.folder / "real", 0o640)
        (self.folder / "folder").mkdir()
        (self.folder / "folder" / "soft").symlink_to("../real")
        done = self.run_in(*self.filter("--unique", "folder/soft", "--verdicts", "new"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue((self.folder / "folder" / "soft").is_symlink())
        self.assertEqual((self.folder / "real").read_bytes(), RECORDS)
        self.assertEqual((self.folder / "real").stat().st_mode & 0o777, 0o640)
        mask = os.umask(0)
        os.umask(mask)
        self.assertEqual((self.folder / "new").stat().st_mode & 0o777, 0o666 & ~mask)
        self.assertEqual(sorted(self.files()), ["f.jsonl", "new", "real"])

    def test_pipes_and_devices_are_written_directly(self):
        read, write = os.pipe()
        done = self.run_in(*self.filter("--unique", f"/dev/fd/{write}", "--duplicate", "/dev/null",
                                        "--dead-letter", "/dev/null", "--verdicts", "/dev/stdout"),
                           pass_fds=[write])
        os.close(write)
        self.assertEqual(done.returncode, 0, done.stderr)
        with os.fdopen(read, "rb") as pipe:
            self.assertEqual(pipe.read(), RECORDS)
        self.assertEqual(len(done.stdout.splitlines()), 151)
        with open(self.folder / "shared", "wb") as shared:
            shared.write(b"before\n")
            shared.flush()
            subprocess.run([NEARDUP, *self.filter("--unique", "/dev/stdout")], cwd=self.folder,
                           check=True, stdout=shared, stderr=subprocess.DEVNULL)
        self.assertEqual((self.folder / "shared").read_bytes(), b"before\n" + RECORDS)


if __name__ == "__main__":
    unittest.main()
