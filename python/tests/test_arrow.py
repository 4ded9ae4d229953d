"""Every Arrow type that a column may have, written as JSON."""

import datetime
import decimal
import json
import math

import numpy as np
import pyarrow as pa
import pytest

import neardup as nd
from neardup import _native


def rows_of(table, fields=(), json_column="", time=""):
    rows = _native.Rows.of_stream(table.__arrow_c_stream__(), list(fields), json_column, time)
    return [rows.json(row) for row in range(len(rows))]


def records_of(table):
    return [json.loads(row) for row in rows_of(table)]


NUMBERS = [pa.int8(), pa.uint8(), pa.int16(), pa.uint16(), pa.int32(), pa.uint32(), pa.int64(), pa.uint64()]
TEXTS = [pa.string(), pa.large_string(), *([pa.string_view()] if hasattr(pa, "string_view") else [])]
STRANGE = ['quote " and \\ back', "tab\tline\nnull\x00", "emoji 🙂 漢字", "", "x" * 13, "short"]


@pytest.mark.parametrize("kind", NUMBERS)
def test_whole_numbers(kind):
    values = [1, None, 100, 0]
    assert records_of(pa.table({"a": pa.array(values, kind)})) == [{"a": 1}, {}, {"a": 100}, {"a": 0}]


@pytest.mark.parametrize("kind", TEXTS)
def test_texts(kind):
    values = [*STRANGE, None]
    table = pa.table({"a": pa.array(values, kind)})
    assert records_of(table) == [{"a": value} for value in STRANGE] + [{}]
    assert records_of(table.slice(2, 3)) == [{"a": value} for value in STRANGE[2:5]]


def test_slices_and_chunks():
    table = pa.table({"a": list(range(100)), "t": pa.array([str(i) for i in range(100)], TEXTS[-1])})
    sliced = pa.concat_tables([table.slice(90, 7), table.slice(3, 2), table.slice(0, 0), table.slice(50, 30)])
    assert [record["a"] for record in records_of(sliced)] == [*range(90, 97), 3, 4, *range(50, 80)]
    assert [record["t"] for record in records_of(sliced)] == [str(i) for i in [*range(90, 97), 3, 4, *range(50, 80)]]


def test_other_types():
    table = pa.table(
        {
            "flag": pa.array([True, None, False]),
            "float": pa.array([1.5, None, -0.25]),
            "float32": pa.array([0.1, 2.0, None], pa.float32()),
            "nan": pa.array([math.nan, math.inf, 1.0]),
            "null": pa.nulls(3),
            "day": pa.array([datetime.date(2026, 1, 31), datetime.date(1969, 12, 31), None]),
            "day64": pa.array([datetime.date(2026, 1, 31), None, None], pa.date64()),
            "decimal": pa.array([decimal.Decimal("12.30"), decimal.Decimal("-0.05"), None], pa.decimal128(10, 2)),
            "category": pa.array(["x", "y", "x"]).dictionary_encode(),
            "list": pa.array([[1, 2], [], None]),
            "large_list": pa.array([["a"], None, ["b", None]], pa.large_list(pa.string())),
            "fixed": pa.array([[1, 2], [3, 4], [5, 6]], pa.list_(pa.int32(), 2)),
            "struct": pa.array([{"b": {"c": "d"}}, None, {"b": None}]),
            "bytes": pa.array([b"raw", None, b""], pa.binary()),
            "fixed_bytes": pa.array([b"ab", b"cd", None], pa.binary(2)),
        }
    )
    first, second, third = records_of(table)
    assert first["flag"] is True and "flag" not in second and third["flag"] is False
    assert first["float"] == 1.5 and third["float"] == -0.25
    assert np.float32(first["float32"]) == np.float32(0.1) and second["float32"] == 2.0
    assert first["nan"] is None and second["nan"] is None and third["nan"] == 1.0
    assert "null" not in first
    assert first["day"] == "2026-01-31" and second["day"] == "1969-12-31"
    assert first["day64"] == "2026-01-31"
    assert b'"decimal":12.30' in rows_of(table)[0] and second["decimal"] == -0.05
    assert [first["category"], second["category"], third["category"]] == ["x", "y", "x"]
    assert first["list"] == [1, 2] and second["list"] == []
    assert first["large_list"] == ["a"] and third["large_list"] == ["b", None]
    assert third["fixed"] == [5, 6]
    assert first["struct"] == {"b": {"c": "d"}} and third["struct"] == {"b": None}
    assert first["bytes"] == "raw" and first["fixed_bytes"] == "ab"
    sliced = records_of(table.slice(1, 2))
    assert sliced == [second, third]


@pytest.mark.parametrize("unit", ["s", "ms", "us", "ns"])
def test_times(unit):
    moments = [datetime.datetime(2026, 1, 31, 12, 5, 9), datetime.datetime(1969, 12, 31, 23, 59, 59), None]
    table = pa.table({"at": pa.array(moments, pa.timestamp(unit))})
    assert records_of(table) == [{"at": "2026-01-31T12:05:09Z"}, {"at": "1969-12-31T23:59:59Z"}, {}]
    if unit != "s":
        fine = pa.table({"at": pa.array([moments[0].replace(microsecond=120_000)], pa.timestamp(unit, "UTC"))})
        digits = {"ms": "120", "us": "120000", "ns": "120000000"}[unit]
        assert records_of(fine) == [{"at": f"2026-01-31T12:05:09.{digits}Z"}]


def test_a_type_without_a_form_in_json_is_named():
    table = pa.table({"wait": pa.array([1, 2], pa.duration("s")), "text": ["a", "b"]})
    with pytest.raises(nd.Error, match="column wait: .* found the Arrow type"):
        rows_of(table)
    assert rows_of(table, ["text"]) == [b'{"text":"a"}', b'{"text":"b"}']


def test_the_columns_of_a_result_are_valid_arrow():
    result = nd.dedup(["a b c", "a b c", "d"], config={"match": {"mode": "near"}})
    result.verdicts.to_arrow().validate(full=True)
    result.groups().to_arrow().validate(full=True)
    columns = nd.fingerprint(["a b c", "d e f"], config={"match": {"mode": "near"}}).to_arrow()
    columns.validate(full=True)
    assert columns.column("text_keys").type == pa.list_(pa.uint32(), 8)


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize(
    "wrap",
    [
        lambda texts, kind: pa.array(texts, kind),
        lambda texts, kind: pa.array([[text] for text in texts], pa.list_(kind)),
        lambda texts, kind: pa.array([[text] for text in texts], pa.large_list(kind)),
        lambda texts, kind: pa.array([[text] for text in texts], pa.list_(kind, 1)),
        lambda texts, kind: pa.array([{"a": text} for text in texts], pa.struct([("a", kind)])),
        lambda texts, kind: pa.DictionaryArray.from_arrays(pa.array([1, None, 1, 0], pa.uint8()), pa.array(["b", "a"], kind)),
    ],
)
def test_records_come_back_from_every_type(kind, wrap):
    column = wrap(["a b c", None, "a b c", "a text of more than twelve bytes"], kind)
    table = pa.table({"text": pa.array(["a b c", "d e f", "a b c", "g h i"], kind), "column": column})
    result = nd.dedup(pa.concat_tables([table.slice(0, 2), table.slice(2)]), ["text"], config={"match": {"mode": "exact"}})
    for found, rows in ((result.unique, [0, 1, 3]), (result.duplicates, [2]), (result.groups(), [0, 2])):
        assert found["column"] == [column[row].as_py() for row in rows]
        assert found.to_pandas().shape == found.to_polars().shape == (len(rows), len(found.columns))


DAY = 86_400_000
TIMES = pa.array([0, DAY, 10 * DAY, 10 * DAY + 1000])


@pytest.mark.parametrize(
    "times",
    [
        TIMES,
        TIMES.cast(pa.uint64()),
        TIMES.cast(pa.timestamp("ms")),
        TIMES.cast(pa.timestamp("ms")).cast(pa.timestamp("ns")),
        TIMES.cast(pa.timestamp("ms", "Asia/Tokyo")),
        TIMES.cast(pa.timestamp("ms")).cast(pa.date32(), safe=False),
        TIMES.cast(pa.timestamp("ms")).cast(pa.date64(), safe=False),
        TIMES.cast(pa.timestamp("ms")).dictionary_encode(),
        pa.array(["1970-01-01", "1970-01-02", "1970-01-11", "1970-01-11"], TEXTS[-1]),
        pa.array(["1970-01-01T02:00:00+02:00", "1970-01-02T00:00:00.5Z", "1970-01-11T00:00:00Z", "1970-01-11T00:00:01Z"]),
        TIMES.cast(pa.string()),
    ],
)
def test_a_column_of_times_may_have_any_form(times):
    table = pa.table({"text": ["a b c"] * 4, "at": times})
    settings = {"match": {"mode": "exact"}, "window": {"window_ms": "36h"}}
    assert nd.dedup(table, ["text"], config=settings, time="at").verdicts["original"] == [None, 0, None, 2]


@pytest.mark.parametrize(
    "values",
    [
        pa.array([1.5]),
        pa.array([True]),
        pa.array(["noon"]),
        pa.array(["noon"]).dictionary_encode(),
        pa.array([[1]]),
        pa.array([1], pa.time32("s")),
        pa.array([1], pa.duration("s")),
        pa.array([1], pa.decimal128(9, 2)),
    ],
)
def test_a_column_that_cannot_be_a_time_is_refused(values):
    with pytest.raises(nd.Error, match="time: expected a column of timestamps.*the column at holds other values"):
        nd.dedup(pa.table({"text": ["a b c"], "at": values}), ["text"], time="at")


def test_spark_hands_over_dates_as_times():
    from neardup._spark_tasks import fingerprint_arrays

    batch = pa.RecordBatch.from_pydict({"value": ['{"text": "a b c"}'], "timestamp": pa.array([1], pa.date32())})
    prints = fingerprint_arrays(_native.Fingerprinter('{"match": {"mode": "near"}}', 1), batch, "value", "timestamp")
    assert DAY in [values[0].as_py() for values in prints]
