"""Records wherever people have them: data frames, Arrow tables, files, lists."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterable, Mapping
from datetime import datetime, timezone
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa

from . import _native
from ._errors import Error
from ._settings import columns_of


class Table:
    """An Arrow table that converts to what you work with.

    Any library that reads Arrow takes it as it is: ``pandas.DataFrame.from_arrow``, ``polars.from_arrow``,
    ``pyarrow.table``, DuckDB.
    """

    def __init__(self, table: pa.Table) -> None:
        self._table = table

    def __len__(self) -> int:
        return self._table.num_rows

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""
        return self._table.column_names

    def __getitem__(self, column: str) -> list[Any]:
        """The values of a column as a list."""
        return self._table.column(column).to_pylist()

    def head(self, rows: int = 5) -> Table:
        """The first rows."""
        return Table(self._table.slice(0, rows))

    def to_arrow(self) -> pa.Table:
        """The table as a ``pyarrow.Table``, without a copy."""
        return self._table

    def to_pandas(self) -> Any:
        """The table as a ``pandas.DataFrame``."""
        return self._table.to_pandas()

    def to_polars(self) -> Any:
        """The table as a ``polars.DataFrame``."""
        import polars

        return polars.from_arrow(self._table)

    def to_dicts(self) -> list[dict[str, Any]]:
        """One dictionary for each row."""
        return self._table.to_pylist()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self._table.__arrow_c_stream__(requested_schema)

    def __arrow_c_schema__(self) -> object:
        return self._table.schema.__arrow_c_schema__()

    def __repr__(self) -> str:
        return f"neardup.Table of {len(self):,} rows: {', '.join(self.columns)}"

    def _repr_html_(self) -> str:
        from ._html import table_html

        return table_html(self._table.slice(0, 20), len(self))


class Source:
    """Records that were given, in one of two forms: a table, or one JSON text for each record."""

    def __init__(self, given: pa.Table | _native.Rows, name: str):
        self.table = given if isinstance(given, pa.Table) else None
        self._given = given
        self.name = name

    def rows(self, settings: str, json_column: str = "", time: str = "") -> _native.Rows:
        """The records as the library reads them. Only the columns that the settings name are read."""
        if self.table is None:
            if json_column or time:
                raise Error("json and time name columns of a table; the records are no table")
            return self._given
        fields = [] if json_column else columns_of(settings)
        table = with_times(self.table, time) if time in self.table.column_names else self.table
        return _native.Rows.of_stream(table.__arrow_c_stream__(), fields, json_column, time)

    def as_table(self) -> pa.Table:
        """The records as a table. Records that do not fit into one have a single column, `record`."""
        if self.table is not None:
            return self.table
        payloads = [self._given.json(row) for row in range(len(self._given))]
        try:
            return pa.Table.from_pylist([json.loads(payload or b"{}") for payload in payloads])
        except (ValueError, TypeError, AttributeError, pa.ArrowException):  # bad records, or records of many shapes
            texts = [None if payload is None else payload.decode("utf-8", "replace") for payload in payloads]
            return pa.table({"record": pa.array(texts, pa.large_string())})

    def take(self, rows: pa.Array) -> pa.Table:
        """Some of the records as a table."""
        table = self.as_table()
        columns = [_taken(column, rows) for column in table.columns]
        return pa.Table.from_arrays(columns, table.column_names).replace_schema_metadata(table.schema.metadata)


def _plain(kind: pa.DataType) -> pa.DataType:
    """The nearest type that pyarrow can give to pandas. Views and unsigned indices are replaced, which it can only import."""
    if pa.types.is_dictionary(kind):
        index = pa.int32() if pa.types.is_unsigned_integer(kind.index_type) else kind.index_type
        return pa.dictionary(index, _plain(kind.value_type), kind.ordered)
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_plain(field.type)) for field in kind])
    if pa.types.is_fixed_size_list(kind):
        return pa.list_(_plain(kind.value_type), kind.list_size)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return (pa.list_ if pa.types.is_list(kind) else pa.large_list)(_plain(kind.value_type))
    return {"string_view": pa.large_string(), "binary_view": pa.large_binary()}.get(str(kind), kind)


def _taken(column: pa.ChunkedArray, rows: pa.Array) -> pa.ChunkedArray:
    kind = _plain(column.type)
    try:
        return column.cast(kind).take(rows)
    except pa.ArrowNotImplementedError:  # pyarrow 16 and 17 cannot cast views
        values = column.to_pylist()
        return pa.chunked_array([pa.array([values[row] for row in rows.to_pylist()], kind)])


def with_times(table: pa.Table, name: str) -> pa.Table:
    """The table with the column `name` in a form that the library reads as times."""
    column = table.column(name)
    found = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    found = _plain(found)
    wanted = [] if pa.types.is_integer(found) else [pa.timestamp("us"), pa.timestamp("us", "UTC")]
    if pa.types.is_integer(found) or pa.types.is_string(found) or pa.types.is_large_string(found):
        wanted.append(pa.int64())
    for kind in wanted:
        try:
            times = column.cast(found).cast(kind, safe=False)
            return table.set_column(table.column_names.index(name), name, times)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
            continue
    raise Error(
        f"time: expected a column of timestamps, dates, whole milliseconds since 1970, or texts of these; the column "
        f"{name} holds other values ({found}); convert it, or name another column"
    )


def source_of(data: Any) -> Source:
    """Takes a data frame, an Arrow table, a path, or an iterable of dict, str or bytes."""
    if isinstance(data, (str, os.PathLike)):
        return _read_file(Path(data))
    table = _table_of(data)
    if table is not None:
        return Source(table, "the table")
    if isinstance(data, Mapping):
        raise Error("expected a list of records, found a single dict; write [record]")
    if isinstance(data, (bytes, bytearray)):
        raise Error("expected a list of records, found bytes; write [record], or data.splitlines() for JSON Lines")
    if isinstance(data, Iterable):
        records = list(data)
        if records and all(isinstance(each, str) and not each.lstrip().startswith("{") for each in records):
            return Source(pa.table({"text": pa.array(records, pa.large_string())}), "the list")
        return Source(_native.Rows.of_list(payloads_of(records)), "the list")
    raise Error(
        f"expected a data frame, an Arrow table, a path, or an iterable of dict, str or bytes, found {type(data).__name__}"
    )


def _table_of(data: Any) -> pa.Table | None:
    module = type(data).__module__.partition(".")[0]
    if module == "pandas":
        if type(data).__name__ == "Series":
            data = data.to_frame(data.name if isinstance(data.name, str) else "text")
        return pa.Table.from_pandas(data, preserve_index=False)
    if module == "polars":
        if type(data).__name__ == "LazyFrame":
            data = data.collect()
        if type(data).__name__ == "Series":
            data = data.to_frame()
    if hasattr(data, "__arrow_c_stream__") and (module != "polars" or hasattr(pa, "string_view")):
        return pa.table(data)
    for convert in ("to_arrow", "to_arrow_table", "fetch_arrow_table"):  # Polars and DuckDB before the protocol
        if hasattr(data, convert):
            return getattr(data, convert)()
    return None


def payloads_of(records: Iterable[Any], hint: str = "") -> list[bytes | None]:
    """Each record as JSON. A text that does not begin with `{` is a record with the one field `text`."""
    payloads: list[bytes | None] = []
    as_json: bool | None = None
    for record in records:
        if getattr(record, "ndim", 0) == 1 and hasattr(record, "to_dict"):
            record = record.to_dict()  # a row of pandas
        if record is None:
            payloads.append(None)
        elif isinstance(record, bytes):
            payloads.append(record)
        elif isinstance(record, str):
            if as_json is None and record.strip():
                as_json = record.lstrip().startswith("{")
            payloads.append(record.encode("utf-8", "surrogatepass") if as_json else _dumped({"text": record}))
        elif isinstance(record, Mapping) and all(isinstance(name, str) for name in record):
            payloads.append(_dumped(record))
        else:
            found = type(record).__name__ + (" with names that are no text" if isinstance(record, Mapping) else "")
            raise Error(f"record {len(payloads)}: expected dict, str, bytes or a row of pandas, found {found}{hint}")
    return payloads


def _dumped(record: Any) -> bytes:
    """A record as the library writes a row of a table."""
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=_json_value)
    if "NaN" in text or "Infinity" in text:  # JSON has no such numbers
        kept = json.loads(text, parse_constant=lambda _: None)
        text = json.dumps(kept, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _json_value(value: Any) -> Any:
    """Writes a value that JSON has no form for: times as RFC 3339 in UTC, numbers as numbers, bytes as text."""
    if type(value).__name__ in ("NAType", "NaTType"):  # of pandas
        return None
    if isinstance(value, datetime):
        moment = value.astimezone(timezone.utc).replace(tzinfo=None) if value.tzinfo else value
        return moment.isoformat() + "Z"
    if isinstance(value, Decimal):
        return int(value) if value.is_finite() and value == value.to_integral_value() else float(value)
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    return value.tolist() if hasattr(value, "tolist") else str(value)  # of numpy


def _read_file(path: Path) -> Source:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    last = suffixes[-1] if suffixes else ""
    try:
        if ".parquet" in suffixes:
            import pyarrow.parquet

            return Source(pyarrow.parquet.read_table(path), str(path))
        if ".csv" in suffixes:
            return Source(_read_csv(path), str(path))
        if last in (".arrow", ".feather"):
            import pyarrow.feather

            return Source(pyarrow.feather.read_table(path), str(path))
        if last == ".gz":
            with gzip.open(path, "rb") as file:
                lines = file.read()
        elif last == ".zst":
            with pa.input_stream(str(path), compression="zstd") as stream:
                lines = stream.read()
        else:
            lines = path.read_bytes()
    except FileNotFoundError:
        raise Error(f"{path}: there is no such file; a list of texts is given as [text, ...]") from None
    except (OSError, pa.ArrowInvalid) as error:
        raise Error(f"{path}: cannot read the file: {error}") from None
    if lines.lstrip()[:1] == b"[":
        raise Error(f"{path}: expected JSON Lines, one record on each line, found a JSON array; give json.load(...)")
    return Source(_native.Rows.of_lines(lines), str(path))


def _read_csv(path: Path) -> pa.Table:
    """Reads all columns as text, because 007 would be 7 as a number. An empty cell is no value."""
    from pyarrow import csv

    parse = csv.ParseOptions(newlines_in_values=True)
    with csv.open_csv(path, parse_options=parse) as reader:
        names = reader.schema.names
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.large_string()),
        strings_can_be_null=True,
        quoted_strings_can_be_null=False,
        null_values=[""],
    )
    return csv.read_csv(path, parse_options=parse, convert_options=convert)
