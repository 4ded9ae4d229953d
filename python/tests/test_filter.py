"""Filter: record by record, in batches, saved and loaded."""

import datetime
import decimal
import pathlib
import random
import threading

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import copy_of, text

import neardup as nd

NEAR = {"match": {"mode": "near"}}


def test_a_record_is_checked_added_and_named():
    rng = random.Random(3)
    first, other = text(rng), text(rng)
    f = nd.Filter(fields=["text"])
    assert not f.check({"text": first}) and len(f) == 0
    assert f.add({"text": first}) == nd.Verdict("unique", row=0)
    copy = f.check({"text": copy_of(rng, first)})
    assert copy and copy.original == 0 and copy.row is None and copy.kind == "near"
    assert f.add(first).kind == "exact", "a text is the field `text`"
    assert f.add(other) == nd.Verdict("unique", row=2)
    assert len(f) == 2 and f.decided == 3
    bad = f.add(b"{")
    assert bad.verdict == "dead-letter" and bad.reason == "parse" and "not JSON" in bad.error


def test_a_batch_is_checked_and_not_remembered(articles):
    records = articles[0]
    f = nd.Filter(fields=["text"])
    f.decide(records[:1000])
    entries = len(f)
    checked = f.check_many(records[900:1100])
    assert (len(f), f.decided) == (entries, 1000)
    one_by_one = [f.check(record) for record in records[900:1100]]
    assert checked["verdict"] == [verdict.verdict for verdict in one_by_one]
    assert checked["original"] == [verdict.original for verdict in one_by_one]
    assert checked["row"] == list(range(200))
    assert f.check_many(["quite new", "quite new"])["verdict"] == ["unique", "unique"]


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.Table.from_pylist, list, lambda rows: pd.DataFrame(rows)["text"]])
def test_a_table_is_no_record(make):
    f = nd.Filter(fields=["text"])
    table = make([{"text": "a b c d"}, {"text": "a b c d"}])
    with pytest.raises(nd.Error, match="expected dict, str, bytes or a row of pandas, found .*; check_many takes tables"):
        f.check(table)
    with pytest.raises(nd.Error, match="expected dict, str, bytes or a row of pandas, found .*; decide takes tables"):
        f.add(table)
    with pytest.raises(nd.Error, match="expected dict, str, bytes or a row of pandas, found .*"):
        nd.explain(table, table, "text")
    assert f.decided == 0 and f.check(pd.Series({"text": "a b c d"})).verdict == "unique"


def test_a_row_is_the_record_that_its_table_holds():
    moment = datetime.datetime(2026, 1, 31, 12, 5, 9, 120_000)
    values = {
        "number": [1, None],
        "share": [1.5, None],
        "flag": [True, None],
        "at": [moment, None],
        "utc": pa.array([moment, None], pa.timestamp("us", "UTC")),
        "zone": pa.array([moment, None], pa.timestamp("us", "Asia/Tokyo")),
        "day": [moment.date(), None],
        "price": [decimal.Decimal("12.30"), None],
        "long": pa.array([decimal.Decimal(10**30 + 1), None], pa.decimal128(38, 0)),
        "list": [[1, 2], None],
        "struct": [{"at": moment}, None],
        "bytes": ["größer".encode(), None],
        "kind": pa.array(["x", None]).dictionary_encode(),
    }
    for name, column in values.items():
        table = pa.table({"id": ["one", "two"], name: column})
        f = nd.Filter({"match": {"mode": "exact"}}, fields=["id", name])
        f.decide(table)
        frame = table.to_pandas()
        for rows in (
            table.to_pylist(),
            [frame.iloc[0], frame.iloc[1]],
            frame.to_dict("records"),
            table.to_pandas(types_mapper=pd.ArrowDtype).to_dict("records"),
            list(pl.from_arrow(table).iter_rows(named=True)),
        ):
            assert [f.check(row).original for row in rows] == [0, 1], (name, rows)
        for whole in (frame, pl.from_arrow(table), table.to_pylist()):
            assert f.check_many(whole)["original"] == [0, 1], (name, type(whole))


def test_batches_are_numbered_on():
    rng = random.Random(4)
    texts = [text(rng) for _ in range(50)]
    f = nd.Filter(fields=["text"])
    assert f.decide(texts)["row"] == list(range(50))
    again = f.decide(texts[10:20])
    assert again["row"] == list(range(50, 60))
    assert again["original"] == list(range(10, 20))


def test_batches_decide_as_one_dedup(articles):
    records = articles[0]
    f = nd.Filter(fields=["text"])
    decided = [f.decide(records[begin : begin + 311]) for begin in range(0, len(records), 311)]
    whole = nd.dedup(records, ["text"], config=NEAR)
    assert sum((table["verdict"] for table in decided), []) == whole.verdicts["verdict"]
    assert sum((table["original"] for table in decided), []) == whole.verdicts["original"]


def test_a_saved_filter_goes_on_where_it_was(tmp_path, articles):
    records = articles[0]
    f = nd.Filter(fields=["text"])
    f.decide(records[:1000])
    f.save(tmp_path / "state.nd")
    g = nd.Filter.load(tmp_path / "state.nd")
    assert len(g) == len(f) and g.settings == f.settings
    assert g.decide(records[1000:])["original"] == f.decide(records[1000:])["original"]
    (tmp_path / "state.nd").write_bytes((tmp_path / "state.nd").read_bytes()[:-1])
    with pytest.raises(nd.Error, match="damaged") as caught:
        nd.Filter.load(tmp_path / "state.nd")
    assert caught.value.code == "corrupt"
    with pytest.raises(nd.Error, match="none.nd"):
        nd.Filter.load(tmp_path / "none.nd")


def test_threads_wait_for_each_other():
    rng = random.Random(5)
    texts = [text(rng) for _ in range(400)]
    f = nd.Filter(fields=["text"])
    threads = [threading.Thread(target=lambda part=texts[i::4]: [f.add(each) for each in part]) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert f.decided == 400 and len(f) == 400


def test_threads_that_decide_batches_wait_for_each_other():
    rng = random.Random(6)
    texts = [text(rng) for _ in range(4000)]
    f = nd.Filter(fields=["text"], threads=2)
    numbers = []
    work = lambda part: [numbers.extend(f.decide(part[i : i + 50])["row"]) for i in range(0, len(part), 50)]
    threads = [threading.Thread(target=work, args=(texts[i::4],)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(numbers) == list(range(4000)) and len(f) == 4000


def test_a_filter_that_would_have_to_learn_is_refused(tmp_path):
    with pytest.raises(nd.Error, match="neardup.tune"):
        nd.Filter({"record": {"fields": ["text"]}})
    with pytest.raises(nd.Error, match="distance_mx.*did you mean match.distance_max"):
        nd.Filter({"match": {"mode": "near", "distance_mx": 3}})
    with pytest.raises(nd.Error, match="cannot read the configuration"):
        nd.Filter(tmp_path / "none.yaml")


def test_the_configuration_of_a_service_says_what_a_filter_compares(tmp_path):
    example = pathlib.Path(__file__).resolve().parents[2] / "config/neardup.yaml"
    result = nd.dedup(["one text", "one text", "another"], config=example)
    assert [verdict["verdict"] for verdict in result.verdicts.to_dicts()] == ["unique", "duplicate", "unique"]
    service = tmp_path / "service.yaml"
    service.write_text("app: news\nlanes: {count: 2}\nlog: {level: warn}\nmatch: {mode: near}\nrecord: {fields: [text]}\n")
    assert nd.Filter(service).add({"text": "one text"}).verdict == "unique"
    with pytest.raises(nd.Error, match="match.distance_max: found 99, expected a whole number from 0 to"):
        nd.Filter({"match": {"mode": "near", "distance_max": 99}})
