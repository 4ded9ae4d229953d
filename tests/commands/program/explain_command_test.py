"""`neardup explain` on files: three pairs, every form of output, and what is wrong with an input.

    explain_command_test.py NEARDUP
"""

import html.parser
import json
import os
import unittest

from program import FolderTest, neardup


EXIT_NO, EXIT_USAGE, EXIT_NO_INPUT, EXIT_IO, EXIT_CONFIG = 1, 64, 66, 74, 78

BRIDGE = "Council approves the new harbour bridge after a long debate on cost and traffic in the city"
RECORDS = [
    {"id": "a1", "title": BRIDGE},
    {"id": "a2", "title": BRIDGE.upper()},
    {"id": "a3", "title": BRIDGE.replace("the city", "our city")},
    {"id": "a4", "title": "Rain expected over the weekend in the north while the south stays dry and sunny"},
]


class Explain(FolderTest):
    def setUp(self):
        super().setUp()
        self.write("records.jsonl", "".join(json.dumps(record) + "\n" for record in RECORDS))
        self.write("one.json", json.dumps(RECORDS[0], indent=2) + "\n")

    def write(self, name, text):
        (self.folder / name).write_text(text, encoding="utf-8")

    def explain(self, *words, fields="title", standard_input=""):
        return neardup("explain", *words, "--fields", fields, cwd=self.folder, input=standard_input)

    def assert_fails(self, code, text, *words, **options):
        done = self.explain(*words, **options)
        self.assertEqual((done.returncode, done.stdout), (code, ""), done.stderr)
        self.assertIn(text, done.stderr)
        self.assertTrue(done.stderr.startswith("neardup: "), done.stderr)

    def test_equal_near_and_other_records_have_verdict_reason_and_code(self):
        for line, code, verdict, reason in (
                (2, 0, "exact duplicate: records.jsonl:2 repeats one.json", "texts are equal"),
                (3, 0, "near duplicate: records.jsonl:3 repeats one.json", "differ in 2 bits, and at most 5"),
                (4, EXIT_NO, "unique: records.jsonl:4 does not repeat one.json", "bits, and at most 4 may")):
            done = self.explain("one.json", f"records.jsonl:{line}")
            first, second = done.stdout.splitlines()[:2]
            self.assertEqual((done.returncode, first, done.stderr), (code, verdict, ""))
            self.assertIn(reason, second)
            self.assertIn("what would change" if line == 3 else "no single change", done.stdout)

    def test_the_verdict_is_that_of_filter(self):
        for line in (2, 3, 4):
            pair = json.dumps(RECORDS[0]) + "\n" + json.dumps(RECORDS[line - 1]) + "\n"
            done = neardup("filter", "--input", "-", "--fields", "title", "--verdicts", "-", input=pair)
            verdicts = done.stdout.splitlines()[2].split("\t")
            explained = json.loads(self.explain("-", "-", "--json", standard_input=pair).stdout)
            self.assertEqual(explained["verdict"], verdicts[1])
            if explained["verdict"] == "duplicate":
                self.assertEqual((str(explained["distance"]), explained["kind"]), (verdicts[3], verdicts[4]))

    def test_json_adds_up(self):
        explained = json.loads(self.explain("one.json", "records.jsonl:3", "--json").stdout)
        for sketch, distance in (("simhash", explained["distance"]), ("order", explained["order_distance"])):
            difference = explained[f"{sketch}_difference"]
            self.assertEqual(len(difference["bits"]), distance)
            shares = sum(pull["bits"] for pull in difference["pulls"]) + difference["model_bits"]
            self.assertAlmostEqual(shares, distance)
        codes = [int(explained[record]["simhash"], 16) for record in ("earlier", "later")]
        self.assertEqual(bin(codes[0] ^ codes[1]).count("1"), explained["distance"])
        for record, code in zip(("earlier", "later"), codes):
            votes, bars = explained[record]["simhash_votes"], explained[record]["simhash_bars"]
            self.assertEqual(sum(1 << bit for bit in range(64) if votes[bit] > bars[bit]), code)
        self.assertEqual({pull["words"] for pull in explained["simhash_difference"]["pulls"]}, {"the", "our"})
        self.assertIn({"setting": "match.distance_max", "value": "1"}, explained["changes"][0]["settings"])

    def test_the_page_is_whole_and_shows_markup_as_text(self):
        evil = {"title": BRIDGE + " <script>alert('x')</script>\u001b[31m"}
        self.write("evil.json", json.dumps(evil))
        done = self.explain("one.json", "evil.json", "--html", "page.html")
        self.assertNotIn("\u001b", done.stdout)
        with open(os.path.join(self.folder, "page.html"), encoding="utf-8") as file:
            page = file.read()
        elements = []
        parser = html.parser.HTMLParser()
        parser.handle_starttag = lambda tag, attributes: elements.append((tag, dict(attributes)))
        parser.feed(page)
        self.assertNotIn("script", {tag for tag, _ in elements})
        self.assertIn("script&gt;alert", page)
        for _, attributes in elements:
            self.assertFalse({"src", "href"} & set(attributes))

    def test_says_what_is_wrong_with_a_record(self):
        self.write("broken.json", '{"title": ')
        self.assert_fails(EXIT_IO, "broken.json: found a dead letter (parse)", "one.json", "broken.json")
        self.assert_fails(EXIT_IO, "one.json: found a dead letter (missing_field)", "one.json", "one.json", fields="no")
        self.assert_fails(EXIT_IO, "found several records, expected one; name a line, such as records.jsonl:1",
                          "records.jsonl", "one.json")
        self.assert_fails(EXIT_NO_INPUT, "records.jsonl: found 4 lines, expected line 5", "one.json", "records.jsonl:5")
        self.assert_fails(EXIT_NO_INPUT, "none.json: found no such file", "one.json", "none.json")
        self.assert_fails(EXIT_NO_INPUT, "standard input: found no line 2", "-", "-", standard_input="{}\n")
        self.assert_fails(EXIT_CONFIG, "one.json: found one record, expected two", "one.json")
        self.assert_fails(EXIT_USAGE, "RECORD: found more than two values", "a", "b", "c")


if __name__ == "__main__":
    unittest.main()
