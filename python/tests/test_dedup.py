"""dedup on every kind of input, and what its result offers."""

import gzip
import json
import threading

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

import neardup as nd

FIELDS = ["text"]


def rows_of(result):
    table = result.verdicts.to_arrow()
    return table.select(["verdict", "original", "distance", "kind"]).to_pylist()


def test_planted_copies_are_found_and_nothing_else(articles):
    records, originals = articles
    result = nd.dedup(records)
    found = {v["row"]: v["original"] for v in result.verdicts.to_dicts() if v["verdict"] == "duplicate"}
    assert len(found.keys() & originals.keys()) >= 0.98 * len(originals)
    assert not found.keys() - originals.keys()
    assert all(originals[row] == original for row, original in found.items())
    assert result.settings["record"]["fields"] == [{"path": "site", "free": True}, "text", {"path": "", "key": True}]
    assert any("learned from 2,000 records" in reason for reason in result.reasons)


@pytest.fixture(scope="module")
def expected(articles):
    return rows_of(nd.dedup(articles[0], FIELDS, config={"match": {"mode": "near"}}))


@pytest.mark.parametrize(
    "convert",
    [
        pd.DataFrame,
        pl.DataFrame,
        lambda records: pl.DataFrame(records).lazy(),
        pa.Table.from_pylist,
        lambda records: pa.Table.from_pylist(records).to_batches()[0],
        lambda records: pa.Table.from_pylist(records).to_reader(max_chunksize=77),
        lambda records: pa.Table.from_pylist(records).slice(0, 900).to_batches(100)
        and pa.concat_tables([pa.Table.from_pylist(records[:900]).slice(0), pa.Table.from_pylist(records[900:])]),
        lambda records: pd.DataFrame(records)["text"],
        lambda records: [record["text"] for record in records],
        lambda records: (record for record in records),
        lambda records: [json.dumps(record) for record in records],
        lambda records: [json.dumps(record).encode() for record in records],
    ],
)
def test_every_form_of_the_same_records_gives_the_same_verdicts(articles, expected, convert):
    data = convert(articles[0])
    assert rows_of(nd.dedup(data, FIELDS, config={"match": {"mode": "near"}})) == expected


def test_duckdb_relations_are_tables(articles, expected):
    duckdb = pytest.importorskip("duckdb")
    frame = pd.DataFrame(articles[0])
    assert rows_of(nd.dedup(duckdb.sql("select * from frame"), FIELDS, config={"match": {"mode": "near"}})) == expected


def test_files_are_read_by_their_names(articles, expected, tmp_path):
    records = articles[0]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    (tmp_path / "a.jsonl").write_text(lines)
    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as file:
        file.write(lines)
    pa.parquet.write_table(pa.Table.from_pylist(records), tmp_path / "a.parquet")
    pd.DataFrame(records).to_csv(tmp_path / "a.csv", index=False)
    with pa.output_stream(str(tmp_path / "a.jsonl.zst"), compression="zstd") as file:
        file.write(lines.encode())
    for name in ("a.jsonl", "a.jsonl.gz", "a.jsonl.zst", "a.parquet", "a.csv"):
        assert rows_of(nd.dedup(tmp_path / name, FIELDS, config={"match": {"mode": "near"}})) == expected, name


@pytest.mark.parametrize(
    "values", [["007", "7", "007"], ["1" * 20, "1" * 19 + "2", "1" * 20], ["10:30:00", "10:30:01", "10:30:00"], ["a\nb", "c", "a\nb"]]
)
def test_a_csv_holds_its_values_as_they_are_written(tmp_path, values):
    records = [{"code": value, "other": None} for value in values]
    pd.DataFrame(records).to_csv(tmp_path / "a.csv", index=False)
    found = nd.dedup(tmp_path / "a.csv", ["code"], config={"match": {"mode": "exact"}})
    assert rows_of(found) == rows_of(nd.dedup(records, ["code"], config={"match": {"mode": "exact"}}))
    assert found.unique["code"] == values[:2]


def test_a_cell_with_nothing_in_it_is_no_value(tmp_path):
    (tmp_path / "a.csv").write_text('code,text\n1,\n2,""\n3,NA\n4,\n')
    result = nd.dedup(tmp_path / "a.csv", FIELDS, config={"match": {"mode": "exact"}})
    assert result.verdicts["reason"] == ["missing_field", None, None, "missing_field"]
    assert result.verdicts["verdict"][1:3] == ["unique", "unique"]
    (tmp_path / "empty.csv").write_text("")
    with pytest.raises(nd.Error, match="empty.csv: cannot read the file: Empty CSV file"):
        nd.dedup(tmp_path / "empty.csv")


def test_a_csv_may_have_lines_in_its_texts(tmp_path):
    records = [{"number": i, "text": f"line {i}\n" + "and more of it\n" * 100} for i in range(2000)]
    pd.DataFrame(records).to_csv(tmp_path / "a.csv", index=False)
    assert len(nd.dedup(tmp_path / "a.csv", FIELDS, config={"match": {"mode": "exact"}}).unique) == 2000


def test_the_number_of_threads_changes_nothing(articles, expected):
    for threads in (1, 2, 5):
        assert rows_of(nd.dedup(articles[0], FIELDS, config={"match": {"mode": "near"}}, threads=threads)) == expected


def test_unique_and_duplicates_are_the_records_with_their_columns(articles):
    records, _ = articles
    frame = pd.DataFrame(records)
    result = nd.dedup(frame)
    assert result.unique.to_pandas().equals(frame.iloc[result.unique_rows].reset_index(drop=True))
    duplicates = result.duplicates.to_pandas()
    assert list(duplicates.columns) == ["row", "original", "distance", "kind", *frame.columns]
    assert (duplicates["text"].to_numpy() == frame.iloc[duplicates["row"]]["text"].to_numpy()).all()
    assert len(result.unique) + len(duplicates) == len(result) == len(frame)
    assert result.unique.to_polars().height == result.counts["unique"]


def test_groups_have_their_original_first(articles):
    records, originals = articles
    result = nd.dedup(records)
    members = result.groups().to_dicts()
    for group in {member["group"] for member in members}:
        rows = [member for member in members if member["group"] == group]
        assert rows[0]["row"] == group and rows[0]["kind"] is None
        assert all(row["size"] == len(rows) for row in rows)
        assert all(originals[row["row"]] == group for row in rows[1:])
    assert len(members) == result.counts["duplicate"] + len({member["group"] for member in members})


def test_pairs_show_the_words_that_differ(articles):
    result = nd.dedup(articles[0])
    pairs = result.pairs(near="limit", n=5)
    distances = [pair["distance"] for pair in pairs]
    assert len(pairs) == 5 and distances == sorted(distances, reverse=True)
    assert distances[0] == max(d for d in result.verdicts["distance"] if d is not None)
    assert pairs._repr_html_().count("<mark>") >= 5
    assert [pair["distance"] for pair in result.pairs(near="equal", n=5)] == sorted(
        pair["distance"] for pair in result.pairs(near="equal", n=5)
    )
    with pytest.raises(ValueError, match="expected limit, equal or first"):
        result.pairs(near="far")


def test_rethreshold_decides_as_a_new_run_with_that_distance(articles):
    records = articles[0]
    result = nd.dedup(records, FIELDS, config={"match": {"mode": "near"}})
    for distance in (0, 2, 4):
        again = nd.dedup(records, FIELDS, config={"match": {"mode": "near"}}, distance_max=distance)
        assert rows_of(result.rethreshold(distance)) == rows_of(again)
        assert result.rethreshold(distance).settings["match"]["distance_max"] == distance
        assert repr(result.rethreshold(9).rethreshold(distance)).count("instead of the above") == 1
        assert f"match.distance_max {distance} instead of the above" in repr(result.rethreshold(distance))
    equal_only = nd.dedup(records, FIELDS, config={"match": {"mode": "near"}}, distance_max=0)
    assert rows_of(equal_only.rethreshold(4)) == rows_of(result.rethreshold(4))
    with pytest.raises(nd.Error, match="match.distance_max"):
        result.rethreshold(13)


def test_a_record_that_cannot_be_compared_is_a_dead_letter_with_a_reason():
    result = nd.dedup([b'{"text":"a b c"}', b"{", b'{"other":1}', None, b'{"text":"\xff"}'], FIELDS)
    assert result.verdicts["reason"] == [None, "parse", "missing_field", "null_value", "encoding"]
    dead = result.dead_letters.to_dicts()
    assert [row["row"] for row in dead] == [1, 2, 3, 4]
    assert "not JSON" in dead[0]["error"]
    assert result.counts["dead-letter"] == 4
    assert result.verdicts["group"] == [0, None, None, None, None]


def test_a_duplicate_that_equals_an_earlier_duplicate_is_exact():
    text = " ".join(f"word{i}" for i in range(30))
    near = text.replace("word7", "other")
    result = nd.dedup([text, near, near, near.upper(), text], FIELDS, config={"match": {"mode": "near"}})
    assert result.verdicts["kind"] == [None, "near", "near", "near", "exact"]
    assert (result.counts["exact"], result.counts["near"]) == (3, 1), "the command counts alike"
    assert "(3 exact, 1 near)" in repr(result)
    assert result.rethreshold(0).counts == {"unique": 2, "duplicate": 3, "dead-letter": 0, "exact": 3, "near": 0}


def test_original_and_distance_are_whole_numbers_in_pandas():
    result = nd.dedup(["a b c", "a b c", b"{"], FIELDS, config={"match": {"mode": "exact"}})
    for table in (result.verdicts, result.verdicts.head(1), nd.Filter(fields="text").decide(["a b c", "a b c"])):
        frame = table.to_pandas()
        assert str(frame["original"].dtype) == "Int64" and str(frame["distance"].dtype) == "Int16"
    assert str(result.groups().to_pandas()["distance"].dtype) == "Int16"
    assert result.duplicates.to_pandas()["original"].tolist() == [0]
    assert result.verdicts.to_pandas()["original"].isna().tolist() == [True, False, True]
    assert str(result.verdicts.to_pandas()["group"].dtype) == "Int64"


def test_another_record_of_a_group_is_kept():
    text = " ".join(f"word{i}" for i in range(30))
    texts = [text, "one alone", text.replace("word7", "somewhat"), text.replace("word7", "other"), "another alone"]
    frame = pd.DataFrame({"text": texts, "score": [3, 1, None, 7, 2]})
    result = nd.dedup(frame, FIELDS, config={"match": {"mode": "near"}})
    assert result.unique_rows == [0, 1, 4]
    assert result.keep("last").unique_rows == [1, 3, 4]
    assert result.keep("longest").unique_rows == [1, 2, 4]
    assert result.keep("score").unique["score"] == [1.0, 7.0, 2.0]
    assert result.keep("last").keep("first").unique_rows == [0, 1, 4]
    assert result.keep("last").verdicts["original"] == result.verdicts["original"]
    kept = nd.dedup(frame, FIELDS, config={"match": {"mode": "near"}}, keep="last")
    assert kept.unique["text"] == [texts[1], texts[3], texts[4]] and kept.rethreshold(12).unique_rows == [1, 3, 4]
    with pytest.raises(nd.Error, match="keep: expected first, last, longest or a column, found 'scor'; .* text, score"):
        result.keep("scor")


def test_pairs_are_chosen_by_distance_and_by_chance(articles):
    result = nd.dedup(articles[0], FIELDS, config={"match": {"mode": "near"}})
    between = result.pairs(distance=(2, 3), n=1000)
    assert {pair["distance"] for pair in between} == {2, 3}
    assert len(between) == sum(2 <= (bits or 0) <= 3 for bits in result.verdicts["distance"])
    rows = lambda pairs: [pair["row"] for pair in pairs]
    sample = result.pairs(distance=(2, 3), sample=30, seed=1)
    assert len(sample) == 30 and set(rows(sample)) <= set(rows(between))
    assert rows(sample) == rows(result.pairs(distance=(2, 3), sample=30, seed=1))
    assert rows(sample) != rows(result.pairs(distance=(2, 3), sample=30, seed=2))
    assert len(result.pairs(sample=10**6)) == result.counts["duplicate"]


def test_a_duplicate_is_explained(articles):
    result = nd.dedup(articles[0])
    row = result.duplicates["row"][0]
    assert result.explain(row).details["verdict"] == "duplicate"
    with pytest.raises(nd.Error, match="row 0: expected a duplicate, found unique"):
        result.explain(0)


def test_a_window_needs_a_time():
    day = 86_400_000
    times = [0, day, 10 * day, 10 * day + 1]
    words = " ".join(f"word{i}" for i in range(20))
    frame = pd.DataFrame({"text": [words] * 4, "at": pd.to_datetime(times, unit="ms")})
    settings = {"match": {"mode": "near"}, "window": {"window_ms": "36h"}}
    verdict = lambda result: result.verdicts["verdict"]
    assert verdict(nd.dedup(frame, FIELDS, config=settings)) == ["unique", "duplicate", "duplicate", "duplicate"]
    windowed = nd.dedup(frame, FIELDS, config=settings, time="at")
    assert verdict(windowed) == ["unique", "duplicate", "unique", "duplicate"]
    assert windowed.verdicts["original"] == [None, 0, None, 2]
    frame["at"] = times
    assert nd.dedup(frame, FIELDS, config=settings, time="at").verdicts["original"] == [None, 0, None, 2]


def test_progress_is_told_up_to_the_last_record(articles):
    told = []
    nd.dedup(articles[0], progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (2000, 2000)


def test_an_exception_in_the_progress_ends_the_work(articles):
    def stop(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        nd.dedup(articles[0], progress=stop)


def test_several_threads_may_dedup_at_once(articles, expected):
    found = [None] * 4

    def work(number):
        found[number] = rows_of(nd.dedup(articles[0], FIELDS, config={"match": {"mode": "near"}}, threads=1))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(rows == expected for rows in found)


@pytest.mark.parametrize(
    "data, words",
    [
        (7, "expected a data frame, an Arrow table, a path, or an iterable"),
        ({"text": "a"}, "expected a list of records, found a single dict"),
        (b"{}", "expected a list of records, found bytes"),
        (["a", 7], "record 1: expected dict, str, bytes or a row of pandas, found int"),
        ([pd.DataFrame({"text": ["a"]})], "record 0: expected dict, .* found DataFrame"),
        ("/nowhere/a.jsonl", "/nowhere/a.jsonl: there is no such file"),
    ],
)
def test_a_wrong_input_is_named(data, words):
    with pytest.raises(nd.Error, match=words):
        nd.dedup(data)


def test_a_wrong_column_is_named_with_the_nearest(articles):
    frame = pd.DataFrame(articles[0])
    with pytest.raises(nd.Error, match="no column txet; did you mean text?"):
        nd.dedup(frame, ["txet"])
    with pytest.raises(nd.Error, match="no column when"):
        nd.dedup(frame, time="when")


def test_a_json_column_holds_whole_records(articles, expected):
    frame = pd.DataFrame({"payload": [json.dumps(record) for record in articles[0]], "key": 1})
    assert rows_of(nd.dedup(frame, FIELDS, config={"match": {"mode": "near"}}, json="payload")) == expected


def test_an_empty_input_has_an_empty_result():
    result = nd.dedup([])
    assert len(result) == 0 and result.counts["unique"] == 0
    assert len(nd.dedup(pd.DataFrame({"text": pd.Series([], dtype=str)}))) == 0
