"""Runs `neardup generate` and `neardup evaluate` on synthetic records.

    measure_commands_test.py NEARDUP

Compares the figures of `evaluate` with figures counted here from the verdicts of `filter`.
"""

import collections
import json
import pathlib
import random
import tempfile
import unittest

from program import neardup


SEED = 7
RECORDS = 120
WORDS = [f"{stem}{ending}" for stem in ("bridg", "harb", "falc", "orch", "tunn", "ferr", "glac",
                                        "viol", "comp", "mark", "lant", "barr")
         for ending in ("e", "our", "on", "ard", "el", "y", "ier", "in")]
CHARACTERS = "港桥鹰园隧博渡冰琴针灯桶市河山海城校医站厂林湖塔钟船车票书画"


def article(number, choose):
    if number % 2:
        sentences = ["".join(choose.choices(CHARACTERS, k=25)) + "。" for _ in range(5)]
        title, body = "".join(choose.choices(CHARACTERS, k=6)), "".join(sentences)
    else:
        sentences = [" ".join(choose.choices(WORDS, k=14)) + "." for _ in range(5)]
        title, body = " ".join(choose.choices(WORDS, k=4)), " ".join(sentences)
    return {"id": f"a{number}", "title": title, "body": body, "seen": number}


def run(*words, code=0):
    done = neardup(*words)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def rows(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def ratio(part, whole):
    return part / whole if whole else None


def f1(precision, recall):
    if precision is None or recall is None:
        return None
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def count(labels, verdicts):
    """Counts by kind of label, and for all records under the key None."""
    cluster = {label["id"]: label["cluster"] for label in labels}
    said = {verdict["id"]: verdict for verdict in verdicts}
    seen, counts = {}, collections.defaultdict(collections.Counter)
    for label in labels:
        verdict = said[label["id"]]
        called = verdict["verdict"] == "duplicate"
        true = label["cluster"] in seen.values()
        right = called and true and seen.get(verdict["original"]) == label["cluster"]
        for key in (None, label["kind"]):
            counts[key].update(records=1, true=true, called=called, found=called and true,
                               right=right)
        seen[label["id"]] = cluster[label["id"]]
    return counts


class MeasureCommands(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        choose = random.Random(SEED)
        lines = [json.dumps(article(number, choose), ensure_ascii=False)
                 for number in range(RECORDS)]
        (cls.path / "own.jsonl").write_text("\n".join(lines) + "\n{\n", encoding="utf-8")
        cls.generate("records.jsonl", "labels.tsv")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def generate(cls, output, labels, *more):
        return run("generate", "--input", cls.path / "own.jsonl", "--fields", "title,body",
                   "--output", cls.path / output, "--labels", cls.path / labels,
                   "--copies", "220", *more)

    def evaluate(self, *more, code=0):
        return run("evaluate", "--data", self.path, "--fields", "title,body", *more, code=code)

    def test_generate_plants_every_kind_and_labels_each_record(self):
        labels = rows(self.path / "labels.tsv")
        lines = (self.path / "records.jsonl").read_text(encoding="utf-8").splitlines()
        records = [json.loads(line) for line in lines]
        self.assertEqual([label["id"] for label in labels], [record["id"] for record in records])
        kinds = collections.Counter(label["kind"] for label in labels)
        self.assertEqual(kinds.pop("original"), RECORDS)
        self.assertEqual(kinds, {kind: 10 for kind in (
            "exact", "reordered", "inserted-5", "inserted-10", "inserted-20", "deleted-5",
            "deleted-10", "deleted-20", "replaced-5", "replaced-10", "replaced-20",
            "field-change", "sentence-drop", "cut-5", "cut-10", "cut-20", "added-5", "added-10",
            "added-20", "typo-5", "typo-10", "typo-20")})

    def test_generate_gives_the_same_stream_for_the_same_seed_only(self):
        said = self.generate("again.jsonl", "again.tsv")
        self.assertIn("dead letters left out: 1;", said.stderr)
        self.generate("other.jsonl", "other.tsv", "--seed", "2")
        first, again, other = ((self.path / name).read_bytes()
                               for name in ("records.jsonl", "again.jsonl", "other.jsonl"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)

    def test_evaluate_agrees_with_the_verdicts_of_filter(self):
        # evaluate learns nothing
        run("filter", "--input", self.path / "records.jsonl", "--fields", "title,body",
            "--set", "match.mode=near", "--id-field", "id",
            "--verdicts", self.path / "verdicts.tsv")
        counts = count(rows(self.path / "labels.tsv"), rows(self.path / "verdicts.tsv"))
        scheme = json.loads(self.evaluate("--json").stdout)["sets"][0]["schemes"][0]
        self.assertGreater(scheme["recall"], 0.3)
        for kind, mine in counts.items():
            theirs = scheme["kinds"][kind] if kind else scheme
            precision = ratio(mine["found"], mine["called"])
            recall = ratio(mine["found"], mine["true"])
            strict = f1(ratio(mine["right"], mine["called"]), ratio(mine["right"], mine["true"]))
            self.assertEqual([theirs["precision"], theirs["recall"], theirs["f1"],
                              theirs["strict_f1"], theirs["records"]],
                             [precision, recall, f1(precision, recall), strict, mine["records"]],
                             kind)

    def test_evaluate_compares_schemes(self):
        text = self.evaluate("--scheme", "neardup,md5,minhash:similarity_min=0.5").stdout
        for word in ("neardup", "md5", "minhash:similarity_min=0.5", "replaced-10", "distance_max"):
            self.assertIn(word, text)

    def test_evaluate_takes_the_fields_from_the_set_if_none_are_given(self):
        (self.path / "set.json").write_text('{"fields": ["title", "body"]}', encoding="utf-8")
        try:
            named = json.loads(run("evaluate", "--data", self.path, "--json").stdout)
        finally:
            (self.path / "set.json").unlink()
        self.assertEqual(named["sets"][0]["fields"], ["title", "body"])
        given = json.loads(self.evaluate("--json").stdout)
        self.assertEqual(named["sets"][0]["schemes"][0]["f1"], given["sets"][0]["schemes"][0]["f1"])

    def test_errors_say_what_is_wrong_and_what_to_do(self):
        def said(code, *words):
            return run(*words, code=code).stderr

        own = self.path / "own.jsonl"
        self.assertIn("neardup generate", said(78, "evaluate"))
        self.assertIn("expected both", said(78, "evaluate", "--input", own))
        self.assertIn("unknown; expected neardup", self.evaluate("--scheme", "x", code=78).stderr)
        self.assertIn("nowhere.jsonl", said(66, "evaluate", "--input", "nowhere.jsonl",
                                            "--labels", self.path / "labels.tsv"))
        short = self.path / "short.tsv"
        short.write_text("id\tcluster\n", encoding="utf-8")
        self.assertIn("short.tsv:1: found no column kind",
                      said(65, "evaluate", "--input", own, "--labels", short))
        generate = ["generate", "--input", own, "--output", self.path / "x", "--labels",
                    self.path / "y", "--fields"]
        self.assertIn("--copies many: expected", said(78, *generate, "body", "--copies", "many"))
        self.assertIn("--kinds odd: unknown", said(78, *generate, "body", "--kinds", "odd"))
        self.assertIn("--strength", said(78, *generate, "body", "--strength", "7"))
        self.assertIn("this field is compared too", said(78, *generate, "body,id"))
        self.assertIn(f"{own}: none of the", said(65, *generate, "nothing"))
        self.assertIn("records can be compared: ",
                      said(65, "evaluate", "--data", self.path, "--fields", "nothing"))


if __name__ == "__main__":
    print("seed", SEED)
    unittest.main()
