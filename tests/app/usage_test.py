"""Checks what the program says about a wrong command line.

    usage_test.py NEARDUP
"""

import subprocess
import sys
import unittest

NEARDUP = sys.argv.pop(1)
EXIT_USAGE = 64


class Usage(unittest.TestCase):
    def assert_says(self, words, expected):
        done = subprocess.run([NEARDUP, *words.split()], capture_output=True, text=True)
        self.assertEqual(done.returncode, EXIT_USAGE, words)
        self.assertEqual(done.stderr, f"neardup: {expected}\n", words)

    def test_names_an_unknown_word_before_what_is_missing(self):
        self.assert_says("foo", "foo: unknown command; `neardup --help` lists all commands")
        self.assert_says("config foo",
                         "foo: unknown command; `neardup config --help` lists all commands")
        self.assert_says("filter --foo F", "--foo: unknown option; see `neardup filter --help`")
        self.assert_says("filter F", "F: found an extra word; see `neardup filter --help`")

    def test_names_the_command_or_option_that_was_probably_meant(self):
        self.assert_says("fliter --input F", "fliter: unknown command; did you mean `neardup filter`?")
        self.assert_says("config shwo", "shwo: unknown command; did you mean `neardup config show`?")
        self.assert_says("filter --inptu F", "--inptu: unknown option; did you mean --input?")
        self.assert_says("filter --inptu=F", "--inptu: unknown option; did you mean --input?")
        self.assert_says("--verison", "--verison: unknown option; did you mean --version?")
        self.assert_says("help fliter", "fliter: unknown command; did you mean `neardup filter`?")

    def run_well(self, words):
        done = subprocess.run([NEARDUP, *words.split()], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def test_prints_help_and_version_in_both_forms(self):
        self.assertEqual(self.run_well("help"), self.run_well("--help"))
        self.assertEqual(self.run_well("help filter"), self.run_well("filter --help"))
        self.assertEqual(self.run_well("help config show"), self.run_well("config show --help"))
        self.assertEqual(self.run_well("version"), self.run_well("--version"))
        self.assertRegex(self.run_well("--version"), r"^neardup \d+\.\d+\.\d+ \(.*\), librdkafka \S+\n$")

    def test_names_a_missing_command_or_option(self):
        self.assert_says("", "found no command; `neardup --help` lists all commands")
        self.assert_says("filter", "--input is required; see `neardup filter --help`")

    def test_says_which_values_an_option_takes(self):
        self.assert_says("tune --records abc", "--records: found abc, expected a whole number "
                         "from 1 to 20000; see `neardup tune --help`")
        self.assert_says("demo --seed -1", "--seed: found -1, expected a whole number from 0 to "
                         "18446744073709551615; see `neardup demo --help`")
        self.assert_says("generate --strength 5%", "--strength: found 5%, expected a number from "
                         "0.01 to 1; see `neardup generate --help`")

    def test_counts_the_values_of_an_option(self):
        self.assert_says("filter --input",
                         "--input: found no value, expected one; see `neardup filter --help`")
        self.assert_says("filter --input a --input b", "--input: found more than one value, "
                         "expected one; see `neardup filter --help`")

    def test_tune_takes_one_source(self):
        self.assert_says("tune -o x", "found neither --sample nor --topic, expected one of them; "
                         "see `neardup tune --help`")
        self.assert_says("tune -o x --sample a --topic b", "found both --sample and --topic, "
                         "expected one of them; see `neardup tune --help`")
        self.assert_says("tune -o x --sample a --latest", "--latest: found with --sample, "
                         "expected with --topic; see `neardup tune --help`")


if __name__ == "__main__":
    unittest.main()
