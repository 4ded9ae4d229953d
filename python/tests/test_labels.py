"""tune with pairs that a person has marked."""

import json
import random

import neardup as nd
import pytest

RANDOM = random.Random(20261125)


def words(count):
    return " ".join("".join(RANDOM.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(6)) for _ in range(count))


@pytest.fixture(scope="module")
def records():
    return [{"title": words(14), "site": words(14)} for _ in range(300)]


@pytest.fixture(scope="module")
def pairs():
    marked = []
    for _ in range(40):
        title, site = words(14), words(14)
        marked.append(({"title": title, "site": words(14)}, {"title": title, "site": words(14)}, True))
        marked.append(({"title": words(14), "site": site}, {"title": words(14), "site": site}, False))
    return marked


def test_marked_pairs_choose_the_field_that_tells_copies(records, pairs):
    without = nd.tune(records)
    assert "labels" not in without.details
    tuning = nd.tune(records, labels=pairs)
    labels = tuning.details["labels"]
    assert (labels["copies_found"], labels["others_apart"], labels["wrong"]) == (40, 40, [])
    assert labels["right_before"] < 80
    assert "80 of 80 marked pairs come out right" in tuning.text
    a, b = {"title": "one two three four", "site": "x"}, {"title": "one two three four", "site": "y"}
    assert nd.explain(a, b, config=tuning.settings).details["verdict"] == "duplicate"


def test_marks_from_a_column_of_numpy_or_as_numbers_count(records, pairs):
    numpy = pytest.importorskip("numpy")
    as_numbers = [(a, b, int(copy)) for a, b, copy in pairs]
    of_numpy = [(a, b, numpy.bool_(copy)) for a, b, copy in pairs]
    expected = nd.tune(records, labels=pairs).details["labels"]
    assert nd.tune(records, labels=as_numbers).details["labels"] == expected
    assert nd.tune(records, labels=of_numpy).details["labels"] == expected


def test_a_file_for_neardup_test_serves_as_labels(records, pairs, tmp_path):
    path = tmp_path / "marked.jsonl"
    path.write_text(
        "".join(
            json.dumps({"a": a, "b": b, "expect": "duplicate" if copy else "unique"}) + "\n" for a, b, copy in pairs
        )
    )
    assert nd.tune(records, labels=path).details["labels"] == nd.tune(records, labels=pairs).details["labels"]


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        ([({"title": "a"}, {"title": "b"})], r"labels\[0\]: expected \(earlier, later, is_copy\)"),
        ([({"title": "a"}, {"title": "b"}, "yes")], r"labels\[0\]: expected True or False"),
    ],
)
def test_labels_of_another_form_are_refused(records, labels, text):
    with pytest.raises(nd.Error, match=text):
        nd.tune(records, labels=labels)


def test_a_broken_line_of_a_file_is_named(records, tmp_path):
    path = tmp_path / "marked.jsonl"
    path.write_text('{"a": {}, "b": {}, "expect": "unique"}\n{"a": {}}\n')
    with pytest.raises(nd.Error, match="marked.jsonl:2: expected"):
        nd.tune(records, labels=path)
