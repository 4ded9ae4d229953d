"""What a package holds: `cmake --install` into a folder, the manual page and the unit."""

import gzip
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
NEARDUP = os.environ["NEARDUP"]
BUILD = os.environ["BUILD"]
UNIT = ROOT / "config/package/neardup.service"
# Tenths. systemd-analyze rates a service without any protection as 96.
EXPOSURE_MAX = 20


def run(*command, **options):
    return subprocess.run([str(part) for part in command], text=True, capture_output=True, **options)


class Files(unittest.TestCase):
    def test_an_installation_holds_what_the_packages_hold(self):
        with tempfile.TemporaryDirectory() as folder:
            done = run("cmake", "--install", BUILD, "--prefix", "/usr", "--strip", env={**os.environ, "DESTDIR": folder})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            found = {str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*") if path.is_file()}
            unit = UNIT.read_text()
            program, _, *arguments = re.search(r"(?m)^ExecStart=/(.*)", unit).group(1).split()
            config = arguments[arguments.index("--config") + 1]
            expected = {program, config[1:], "usr/lib/systemd/system/neardup.service", "usr/share/man/man1/neardup.1",
                        "usr/share/bash-completion/completions/neardup", "usr/share/zsh/vendor-completions/_neardup",
                        "usr/share/fish/vendor_completions.d/neardup.fish",
                        "usr/share/doc/neardup/examples/articles.jsonl.gz",
                        "usr/share/doc/neardup/examples/neardup.yaml", "usr/share/doc/neardup/LICENSE"}
            self.assertLessEqual(expected, found)
            lane_unit = (pathlib.Path(folder) / "usr/lib/systemd/system/neardup@.service").read_text()
            self.assertIn("\nEnvironment=NEARDUP_LANES__LANE=%i\n", lane_unit)
            self.assertIn("topics, lane %i\n", lane_unit)
            self.assertEqual(set(unit.splitlines()) - set(lane_unit.splitlines()), {unit.splitlines()[1]},
                             "all else is as in neardup.service")
            self.assertEqual((ROOT / "config/package/conffiles").read_text().split(), [config])

    def test_the_sample_is_what_the_script_prints(self):
        sample = ROOT / "config/examples/articles.jsonl.gz"
        printed = run(ROOT / "scripts/synthetic-articles", 500, check=True).stdout
        self.assertEqual(gzip.decompress(sample.read_bytes()).decode(), printed)

    def test_the_manual_page_names_each_command_and_each_exit_code(self):
        manual = run(NEARDUP, "manual").stdout
        commands = re.search(r"Subcommands:\n(.*?)\n\n", run(NEARDUP, "--help").stdout, re.S).group(1)
        for command in re.findall(r"(?m)^  (\w+)", commands):
            self.assertIn(f"\n.B {command}\n", manual)
        codes = re.search(r"## Exit codes\n(.*?)\n\n[^|\n]", (ROOT / "docs/configure.md").read_text() + "\n\n.", re.S)
        for code in re.findall(r"(?m)^\| (\d+)", codes.group(1)):
            self.assertRegex(manual, rf"\n\.BR? {code}\b")

    def test_the_default_configuration_lacks_only_the_input_topics(self):
        path = ROOT / "config/package/neardup.yaml"
        done = run(NEARDUP, "run", "--config", path)
        self.assertEqual(done.returncode, 78, done.stderr)
        self.assertIn("input.topics: found no topics", done.stderr)
        done = run(NEARDUP, "validate", "--config", path, "--set", "input.topics=[news]")
        self.assertEqual((done.returncode, done.stdout), (0, "valid\n"), done.stderr)

    def test_the_unit_does_not_start_again_after_exit_codes_that_need_a_person(self):
        section = (ROOT / "docs/configure.md").read_text().split("## Exit codes\n", 1)[1]
        rows = dict(re.findall(r"(?m)^\| (\d+) \|.*\| ([^|]*) \|$", section))
        person = {code for code, action in rows.items() if action == "a person has to change something"}
        again = {code for code, action in rows.items() if action == "a start may succeed later"}
        named = set(re.findall(r"= (\d+),", (ROOT / "src/commands/program/message.h").read_text()))
        # 65 is of commands over files only.
        self.assertEqual(person | again | {"0", "1", "65", "128"}, named)
        unit = re.search(r"(?m)^RestartPreventExitStatus=(.*)$", UNIT.read_text()).group(1).split()
        self.assertEqual(set(unit), person)
        page = (ROOT / "docs/deploy-systemd.md").read_text()
        listed = re.search(r"except after the exit codes ([\d, and]+)\.", page).group(1)
        self.assertEqual(re.findall(r"\d+", listed), unit)

    def test_the_unit_leaves_little_exposed(self):
        done = run("systemd-analyze", "security", "--offline=true", f"--threshold={EXPOSURE_MAX}", "--no-pager", UNIT)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
