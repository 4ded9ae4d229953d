"""pages.py finds what is wrong with a page, and accepts what is right."""

import os
import pathlib
import sys
import tempfile
import textwrap
import unittest

sys.dont_write_bytecode = True
import pages  # noqa: E402

# Stands for neardup: prints its arguments, and fails when told to.
FAKE = """#!/bin/sh
if [ "$1" = config ]; then printf '| `match.distance_max` | 8 |\\n'; exit 0; fi
echo "$@"
[ "$1" != fail ] || exit 78
"""


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.neardup = self.root / "fake-neardup"
        self.neardup.write_text(FAKE)
        self.neardup.chmod(0o755)

    def breach(self, text, kind="plain"):
        """What is wrong with a page, None if nothing is."""
        text = textwrap.dedent(text)
        try:
            pages.Page(self.root, str(self.neardup), "docs/a.md", text).run(kind)
        except pages.Breach as breach:
            return str(breach)
        return None

    def assert_holds(self, text):
        self.assertIsNone(self.breach(text))

    def assert_fails(self, text, start, *words):
        found = self.breach(text)
        self.assertIsNotNone(found, "the page was accepted")
        self.assertTrue(found.startswith(start), found)
        for word in words:
            self.assertIn(word, found)

    def test_accepts_the_output_that_is_shown(self):
        self.assert_holds("""
            ```console
            $ neardup one two
            one two
            ```
            """)

    def test_refuses_a_wrong_output(self):
        self.assert_fails("""
            Text.

            ```console
            $ neardup one two
            one three
            ```
            """, "docs/a.md:5:", "one two", "one three")

    def test_refuses_output_that_is_not_shown(self):
        self.assert_fails("""
            ```console
            $ neardup one
            ```
            """, "docs/a.md:3:", "one")

    def test_refuses_output_that_is_shown_and_not_printed(self):
        self.assert_fails("""
            ```console
            $ true
            one
            ```
            """, "docs/a.md:3:")

    def test_dots_stand_for_any_lines(self):
        self.assert_holds("""
            ```console
            $ printf 'a\\nb\\nc\\n'
            a
            ...
            c
            ...
            ```
            """)

    def test_dots_do_not_hide_a_wrong_line(self):
        self.assert_fails("""
            ```console
            $ printf 'a\\nb\\nc\\n'
            ...
            d
            ```
            """, "docs/a.md:3:")

    def test_an_ellipsis_stands_for_text_within_a_line(self):
        self.assert_holds("""
            ```console
            $ echo seq=17;
            seq=…
            ```
            """)

    def test_accepts_a_figure_that_its_command_prints(self):
        for limit in ("```text\n  limit: 1234b\n```", "A limit of 1234 bytes\nsuffices.", "- `limit=1234`."):
            self.assert_holds(f"<!-- figure: echo 1234 -->\n\n{limit}\n\nMore.\n")

    def test_refuses_a_figure_that_is_not_what_its_command_prints(self):
        for text in ("A limit of 1233 bytes.", "It is 91234.", "It is 1234,567.", "It is 12345.", "No figure.\n\n1234",
                     "```text\nlimit: 1233\n```\n1234", ""):
            self.assert_fails(f"Text.\n\n<!-- figure: echo 1234 -->\n{text}\n", "docs/a.md:3:", "1234")

    def test_every_line_that_the_command_of_a_figure_prints_must_be_shown(self):
        self.assert_holds("<!-- figure: seq 7 8 -->\nFrom 7 to 8.\n")
        self.assert_fails("<!-- figure: seq 7 9 -->\nFrom 7 to 8.\n", "docs/a.md:1:", "9")

    def test_the_command_of_a_figure_must_print_something_and_succeed(self):
        for command in ("true", "neardup fail", "echo 7; false"):
            self.assert_fails(f"<!-- figure: {command} -->\nIt is 7.\n", "docs/a.md:1:", command)

    def test_the_command_of_a_figure_reads_the_files_of_the_page(self):
        self.assert_holds("""
            ```yaml a.yaml
            limit: 77
            ```

            <!-- figure: sed 's/limit: //' a.yaml -->
            The limit is 77.
            """)

    def test_refuses_a_memory_limit_without_the_command_that_prints_it(self):
        for limit, figure in (("docker run --memory 1234b x", "1234b"), ("MemoryMax=1234", "1234"),
                              ("mem_limit: 1234b", "1234b"), ("memory: 12Mi", "12Mi")):
            block = f"```text\n{limit}\n```\n"
            self.assert_fails(block, "docs/a.md:2:", "figure")
            self.assert_holds(f"<!-- figure: echo {figure} -->\n{block}")

    def test_times_and_rates_vary(self):
        self.assert_holds("""
            ```console
            $ echo '6 records in 0.25 s (1,240/s), 3,000 records/s'
            6 records in 0.03 s (240/s), 64,935 records/s
            ```
            """)

    def test_other_numbers_do_not_vary(self):
        self.assert_fails("""
            ```console
            $ echo '6 records in 0.25 s'
            7 records in 0.25 s
            ```
            """, "docs/a.md:3:")
        self.assert_fails("""
            ```console
            $ echo 'interval_ms: 30s'
            interval_ms: 10s
            ```
            """, "docs/a.md:3:")

    def test_numbers_of_approximate_commands_may_differ_a_little(self):
        self.assertTrue(pages.matches(["near  3,148  15.7 %"], ["near 3,150  15.7 %"], True))
        self.assertFalse(pages.matches(["near  3,148  15.7 %"], ["near  3,250  16.2 %"], True))
        self.assertFalse(pages.matches(["near  3,148"], ["exact  3,148"], True))
        self.assertFalse(pages.matches(["near  3,148"], ["near  3,150"]))

    def test_a_failing_command_shows_its_exit_code(self):
        self.assert_holds("""
            ```console
            $ neardup fail
            fail
            $ echo $?
            78
            ```
            """)
        self.assert_fails("""
            ```console
            $ neardup fail
            fail
            ```
            """, "docs/a.md:3:", "exit code 78")
        self.assert_fails("""
            ```console
            $ neardup fail
            fail
            $ echo $?
            1
            ```
            """, "docs/a.md:5:")

    def test_standard_error_is_output(self):
        self.assert_fails("""
            ```console
            $ echo oops >&2
            ```
            """, "docs/a.md:3:", "oops")

    def test_commands_continue_and_here_documents_make_files(self):
        self.assert_holds("""
            ```console
            $ cat > a.txt <<'END'
            $ not a command
            END
            $ cat a.txt \\
                a.txt
            $ not a command
            $ not a command
            ```
            """.replace("$ not", "§ not"))

    def test_a_here_document_without_an_end_is_refused(self):
        self.assert_fails("""
            ```console
            $ cat <<'END'
            one
            ```
            """, "docs/a.md:3:", "no end")

    def test_blocks_share_a_shell_and_files(self):
        self.assert_holds("""
            ```yaml a.yaml
            app: news
            ```

            ```console
            $ export NAME=a.yaml
            ```

            Text.

            ```console
            $ cat $NAME
            app: news
            ```
            """)

    def test_what_is_not_understood_is_refused(self):
        self.assert_fails("\n```\n$ true\n```\n", "docs/a.md:2:", "first word")
        self.assert_fails("\n```sh\ntrue\n```\n", "docs/a.md:2:", "unknown kind of block 'sh'")
        self.assert_fails("\n```console often\n$ true\n```\n", "docs/a.md:2:", "'often'")
        self.assert_fails("\n```console\ntrue\n```\n", "docs/a.md:3:", "starts with")
        self.assert_fails("\n```text\n$ true\n```\n", "docs/a.md:2:", "not run")
        self.assert_fails("\n```yaml\napp: a\n```\n", "docs/a.md:2:", "name of a file")
        self.assert_fails("Text.\n\n    neardup demo\n", "docs/a.md:3:", "indented block")
        self.assert_fails("\n```console\n$ true\n", "docs/a.md:2:", "no end")

    def test_an_excepted_command_is_not_run(self):
        self.assert_holds("""
            ```console
            $ scripts/test    # runs every test
            ```
            """)

    def test_a_broker_session_does_not_run_without_a_broker(self):
        self.assert_holds("""
            ```console kafka
            $ neardup fail
            ```
            """)

    def test_ports_of_a_broker_session_are_free_ones(self):
        places = pages.Places("kafka")
        self.assertNotIn("19092", places.to_real("kcat -b localhost:19092"))
        self.assertIn(f"--port {places.broker}", places.to_real("scripts/kafka start"))
        self.assertEqual(places.to_shown(f"127.0.0.1:{places.broker}"), "127.0.0.1:19092")

    def links(self, text):
        (self.root / "docs").mkdir(exist_ok=True)
        (self.root / "docs" / "b.md").write_text("# Some title\n## It's here\n")
        (self.root / "src").mkdir(exist_ok=True)
        (self.root / "src" / "a.h").write_text("")
        settings = pages.settings_of(str(self.neardup))
        return [what for _, what in pages.broken_links(self.root, "docs/a.md", text, settings)]

    def test_links_and_names_that_exist_are_accepted(self):
        self.assertEqual(self.links("[b](b.md#its-here) `src/a.h` `src/*.h` `match.distance_max` "
                                    "[x](https://example.org) `app: news`"), [])

    def test_links_and_names_that_do_not_exist_are_found(self):
        for text in ("[b](c.md)", "[b](b.md#nowhere)", "`src/b.h`", "`src/*.cc`",
                     "`match.distance_min`"):
            self.assertEqual(len(self.links(text)), 1, text)

    def test_messages_that_the_program_prints_are_accepted_and_others_found(self):
        (self.root / "src").mkdir()
        (self.root / "src" / "a.cc").write_text('Print("the topic {} is "\n      "gone");')
        printed = pages.printed_texts(self.root)
        for cell, wrong in (('"the topic … is gone"', 0), ('"the topic … was gone"', 1), ('"topic …", or "it left"', 1),
                            ('"SSL handshake failed: …"', 0)):
            found = list(pages.unknown_messages(f'Text, "it left".\n| {cell} | "do it". |', printed))
            self.assertEqual([number for number, _ in found], [2] * wrong, cell)


if __name__ == "__main__":
    os.environ.pop("NEARDUP_CACHE", None)
    unittest.main()
