"""Checks what the program says about a wrong command line.

    usage_test.py NEARDUP
"""

import http.server
import os
import pathlib
import re
import ssl
import subprocess
import tempfile
import threading
import unittest

from program import NEARDUP, neardup


EXIT_USAGE = 64

# Each script prints the completions of its last argument, one per line. The script for zsh replaces the functions that
# show completions by functions that print them.
COMPLETE = {
    "bash": """source <("$1" completion bash); shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _neardup
               printf '%s\\n' "${COMPREPLY[@]}" """,
    "zsh": """compdef() { }
              _files() { print -l -- "${words[CURRENT]}"*(N) }
              _describe() { local -a all=("${(@P)@[-1]}"); print -l -- "${all[@]%%:*}" }
              source <("$1" completion zsh); shift; words=("$@"); CURRENT=$#; _neardup || true""",
    "fish": """$argv[1] completion fish | source
               complete --do-complete (string escape -- $argv[2..-2] | string join ' ')" $argv[-1]" """,
}
QUIET = {"zsh": ["-f"], "fish": ["--no-config"]}
ZEROTH = {"bash": ["bash"], "zsh": ["zsh"]}  # fish has no $0


class Usage(unittest.TestCase):
    def assert_says(self, words, expected):
        done = neardup(*words.split())
        self.assertEqual(done.returncode, EXIT_USAGE, words)
        self.assertEqual(done.stderr, f"neardup: {expected}\n", words)

    def test_names_an_unknown_word_before_what_is_missing(self):
        self.assert_says("foo", "foo: unknown command; `neardup --help` lists all commands")
        self.assert_says("config foo",
                         "foo: unknown command; `neardup config --help` lists all commands")
        self.assert_says("filter --foo F", "--foo: unknown option; see `neardup filter --help`")
        self.assert_says("filter F", "F: found an extra word; did you mean --input F?")

    def test_names_the_command_or_option_that_was_probably_meant(self):
        self.assert_says("fliter --input F", "fliter: unknown command; did you mean `neardup filter`?")
        self.assert_says("config shwo", "shwo: unknown command; did you mean `neardup config show`?")
        self.assert_says("filter --inptu F", "--inptu: unknown option; did you mean --input?")
        self.assert_says("filter --inptu=F", "--inptu: unknown option; did you mean --input?")
        self.assert_says("--verison", "--verison: unknown option; did you mean --version?")
        self.assert_says("help fliter", "fliter: unknown command; did you mean `neardup filter`?")

    def test_reset_takes_inputs_as_run_does_only_with_all(self):
        self.assert_says("reset --partition news/0", "--partition requires --to; see `neardup reset --help`")
        self.assert_says("reset --all --to latest --partition news/0", "--to excludes --all; see `neardup reset --help`")
        # It takes the options of `run`, and gets as far as the broker that does not answer.
        done = neardup("reset", "--all", "--brokers", "localhost:1", "--topics", "news,notes", "--fields",
                               "title", "--state-dir", "s", "--metrics-port", "0", "--set",
                               "kafka.answer_timeout_ms=100ms")
        self.assertEqual(done.returncode, 69, done.stderr)

    def run_well(self, words):
        done = neardup(*words.split())
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return done.stdout

    def test_prints_help_and_version_in_both_forms(self):
        self.assertEqual(self.run_well("help"), self.run_well("--help"))
        self.assertEqual(self.run_well("help filter"), self.run_well("filter --help"))
        self.assertEqual(self.run_well("help config show"), self.run_well("config show --help"))
        self.assertEqual(self.run_well("version"), self.run_well("--version"))
        self.assertRegex(self.run_well("--version"), r"^neardup \d+\.\d+\.\d+ \(.*\), librdkafka \S+\n$")

    def commands(self, *names):
        """All commands that take no other command."""
        text = self.run_well(" ".join([*names, "--help"]))
        found = re.search(r"(?ms)^Subcommands:\n(.*?)\n\n", text + "\n\n")
        if not found:
            return [names]
        return [leaf for name in re.findall(r"(?m)^  (\w+)", found.group(1)) for leaf in self.commands(*names, name)]

    def test_the_help_of_each_command_has_an_example_that_the_command_takes(self):
        commands = self.commands()
        self.assertGreater(len(commands), 20)
        for names in commands:
            text = self.run_well(" ".join([*names, "--help"]))
            self.assertRegex(text, rf"(?m)^Examples:\n  .*neardup {' '.join(names)}\b", names)
            options = set(re.findall(r"(?m)^  (?:-\w,)?(--[\w-]+)", text.split("Examples:")[0]))
            examples = re.search(r"(?ms)^Examples:\n(.*?)(?:\n\n|\Z)", text).group(1)
            self.assertLessEqual(set(re.findall(r"\s(--[\w-]+)", examples)), options, names)

    def test_help_lists_exit_codes_and_schemes(self):
        self.assertRegex(self.run_well("--help"), r"(?s)Exit codes:\n  0 +success\n.*  78 +the configuration")
        self.assertIn("Schemes: neardup, ", self.run_well("evaluate --help"))
        self.assertIn("minhash", self.run_well("evaluate --help").split("Schemes:")[1])

    def complete(self, shell, *words):
        """The completions of the last word."""
        done = subprocess.run([shell, *QUIET.get(shell, []), "-c", COMPLETE[shell], *ZEROTH.get(shell, []), NEARDUP,
                               "neardup", *words], capture_output=True, text=True, cwd=pathlib.Path(__file__).parent,
                              env={**os.environ, "PATH": f"{pathlib.Path(NEARDUP).parent}:{os.environ['PATH']}"})
        self.assertEqual((done.returncode, done.stderr), (0, ""), (shell, words))
        found = [line.split("\t")[0] for line in done.stdout.splitlines()]
        return [word for word in found if word and word.startswith(words[-1])]

    def test_shells_complete_commands_options_and_files(self):
        for shell in COMPLETE:
            with self.subTest(shell):
                self.assertEqual(self.complete(shell, "fil"), ["filter"])
                self.assertEqual(self.complete(shell, "--ver"), ["--version"])
                self.assertEqual(self.complete(shell, "config", "sh"), ["show"])
                self.assertEqual(self.complete(shell, "filter", "--uni"), ["--unique"])
                self.assertEqual(self.complete(shell, "filter", "--fields", ""), [])
                self.assertEqual(self.complete(shell, "filter", "--input", "usage_t"), ["usage_test.py"])
                self.assertEqual(self.complete(shell, "filter", "-i", "usage_t"), ["usage_test.py"])
                self.assertEqual(self.complete(shell, "explain", "usage_t"), ["usage_test.py"])
                self.assertEqual(self.complete(shell, "explain", "--js"), ["--json"])
                self.assertEqual(self.complete(shell, "help", "conf"), ["config"])
                self.assertEqual(self.complete(shell, "completion", "b"), ["bash"])
                for names in self.commands():
                    self.assertIn("--help", self.complete(shell, *names, "--h"), names)
        self.assert_says("completion tcsh", "SHELL: found tcsh, expected bash, zsh, fish; see `neardup completion --help`")

    def test_former_names_of_options_stay_valid_and_no_help_shows_them(self):
        both = "found both --input and --topic, expected one of them; see `neardup tune --help`"
        for words in ("--sample a", "--sample=a", "--input a"):
            self.assert_says(f"tune -o x {words} --topic b", both)
        for command, former, value in (("run", "--input", "news"), ("tune", "--labels", "x"), ("tune", "--window", "5000"),
                                       ("evaluate", "--records", "x"),
                                       ("lanes migrate", "--to", "4"), ("import", "--from", "x"),
                                       ("replay", "--dead-letter", "x"), ("reset", "--input", "news/0")):
            with self.subTest(f"{command} {former}"):
                done = neardup(*command.split(), former, value, "--config", "no-such.yaml")
                self.assertNotIn("unknown option", done.stderr)
                shown = neardup(*command.split(), "--help").stdout
                self.assertNotRegex(shown, rf"(?m)^  (-\w,)?{former}\b(?!-)")
        self.assert_says("tune -o x --window", "--window-entries: found no value, expected one; see `neardup tune --help`")

    def test_healthcheck_asks_where_the_configuration_says(self):
        for host, shown in (("0.0.0.0", "127.0.0.1"), ("127.0.0.1", "127.0.0.1"), ('"::"', "[::1]")):
            done = neardup("healthcheck", "--set", f"metrics.host={host}", "--metrics-port", "9")
            self.assertEqual(done.returncode, 69, done.stderr)
            self.assertIn(f"http://{shown}:9/readyz: cannot connect", done.stderr)
        done = neardup("healthcheck", "--set", "metrics.port=0")
        self.assertEqual(done.returncode, 78)
        self.assertIn("metrics.port: found 0", done.stderr)
        self.assert_says("healthcheck --config a --url b",
                         "--config excludes --url; see `neardup healthcheck --help`")

    def test_healthcheck_asks_by_tls_where_the_pages_have_a_certificate(self):
        class Ready(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"active\n")

            def log_message(self, *arguments):
                pass

        with tempfile.TemporaryDirectory() as folder:
            certificate, key = f"{folder}/tls.crt", f"{folder}/tls.key"
            subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=elsewhere",
                            "-keyout", key, "-out", certificate], check=True, capture_output=True)
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            with http.server.HTTPServer(("127.0.0.1", 0), Ready) as server:
                server.socket = context.wrap_socket(server.socket, server_side=True)
                threading.Thread(target=server.serve_forever, daemon=True).start()
                for arguments in (["--url", f"https://127.0.0.1:{server.server_port}/readyz"],
                                  ["--set", f"metrics.tls_certificate_path={certificate}", "--set",
                                   f"metrics.tls_key_path={key}", "--set", f"metrics.port={server.server_port}"]):
                    done = neardup("healthcheck", *arguments)
                    self.assertEqual((done.returncode, done.stdout), (0, "200 active\n"), done.stderr)
                server.shutdown()

    def test_names_a_missing_command_or_option(self):
        self.assert_says("", "found no command; `neardup --help` lists all commands")
        self.assert_says("filter", "--input is required; see `neardup filter --help`")

    def test_says_which_values_an_option_takes(self):
        self.assert_says("tune --records abc", "--records: found abc, expected a whole number "
                         "from 1 to 100000; see `neardup tune --help`")
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
        self.assert_says("tune -o x", "found neither --input nor --topic, expected one of them; "
                         "see `neardup tune --help`")
        self.assert_says("tune -o x --input a --topic b", "found both --input and --topic, "
                         "expected one of them; see `neardup tune --help`")
        self.assert_says("tune -o x --input a --latest", "--latest: found with --input, "
                         "expected with --topic; see `neardup tune --help`")


if __name__ == "__main__":
    unittest.main()
