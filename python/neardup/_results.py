"""What the functions of the package return."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.compute as pc

from . import _native
from ._html import pairs_html
from ._settings import yaml_text
from ._tables import Source, Table


def _batch(capsules: tuple[Any, Any]) -> pa.Table:
    class Exported:
        def __arrow_c_array__(self, requested_schema: object | None = None) -> tuple[Any, Any]:
            return capsules

    return pa.Table.from_batches([pa.record_batch(Exported())])  # type: ignore[arg-type]


def verdict_table(capsules: tuple[Any, Any], first_row: int = 0) -> pa.Table:
    """The columns of the library as a table: row, verdict, original, distance, kind, reason, late."""
    table = _batch(capsules)
    columns = {"row": pa.array(range(first_row, first_row + table.num_rows), pa.int64())}
    for name in table.column_names:
        column = table.column(name)
        columns[name] = pc.cast(column, pa.string()) if pa.types.is_dictionary(column.type) else column
    return pa.table(columns)


@dataclass(frozen=True)
class Verdict:
    """What a filter says of one record.

    Attributes:
        verdict: ``unique``, ``duplicate`` or ``dead-letter`` (the record cannot be compared).
        row: the number of the record, counted from 0 over all that the filter has decided; None if it was only
            checked.
        original: the number of the record that it repeats; None unless it is a duplicate.
        distance: how many of 64 bits differ; None unless it is a duplicate.
        kind: ``exact`` or ``near``; None unless it is a duplicate.
        reason: why it cannot be compared, such as ``parse``; None unless it is a dead letter.
        error: the same for people.
    """

    verdict: str
    row: int | None = None
    original: int | None = None
    distance: int | None = None
    kind: str | None = None
    reason: str | None = None
    error: str | None = None

    def __bool__(self) -> bool:
        """True for a duplicate."""
        return self.verdict == "duplicate"


class Pairs:
    """Duplicates beside their originals. A notebook shows them side by side, with the differing words marked."""

    def __init__(self, pairs: list[dict[str, Any]]) -> None:
        self._pairs = pairs

    def __len__(self) -> int:
        return len(self._pairs)

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return iter(self._pairs)

    def __getitem__(self, index: int) -> dict[str, Any]:
        """A pair: row, original, distance, kind, text, original_text."""
        return self._pairs[index]

    def __repr__(self) -> str:
        lines = [
            f"{pair['kind']}, distance {pair['distance']}\n  {pair['original']}: {pair['original_text'][:100]}\n"
            f"  {pair['row']}: {pair['text'][:100]}"
            for pair in self._pairs[:5]
        ]
        more = f"\n... and {len(self) - 5} more" if len(self) > 5 else ""
        return "\n".join(lines) + more if lines else "no pairs"

    def _repr_html_(self) -> str:
        return pairs_html(self._pairs)


class Result:
    """What `dedup` found.

    Attributes:
        verdicts: a table with one row for each record: ``row``, ``verdict``, ``original``, ``distance`` (of 64 bits),
            ``kind``, ``group`` (the row of the original; null for dead letters), ``reason``, ``late``.
        counts: how many records are ``unique``, ``duplicate`` and ``dead-letter``, and how many of the duplicates are
            ``exact`` and ``near``.
        reasons: what was learned and why, one sentence each; empty if nothing was learned.
        settings: the settings in force, as sections of the configuration file.
        errors: for each dead letter, its row and what is wrong.
    """

    def __init__(self, run: _native.Run, source: Source, rows: _native.Rows, reasons: list[str]) -> None:
        self._run = run
        self._source = source
        self._rows = rows
        self.reasons = reasons
        self._verdicts = self._with_groups(verdict_table(run.verdicts()))
        self.verdicts = Table(self._verdicts)
        self.settings: dict[str, Any] = json.loads(run.settings())
        self.errors: dict[int, str] = dict(run.errors())
        verdict = self._verdicts.column("verdict").to_pylist()
        kind = self._verdicts.column("kind")
        self.counts: dict[str, int] = {
            name: verdict.count(name) for name in ("unique", "duplicate", "dead-letter")
        }
        for name in ("exact", "near"):
            self.counts[name] = pc.sum(pc.equal(kind, name)).as_py() or 0

    @staticmethod
    def _with_groups(verdicts: pa.Table) -> pa.Table:
        is_dead = pc.equal(verdicts.column("verdict"), "dead-letter")
        own = pc.if_else(is_dead, pa.scalar(None, pa.int64()), verdicts.column("row"))
        group = pc.coalesce(verdicts.column("original"), own)
        return verdicts.add_column(verdicts.column_names.index("kind") + 1, "group", group)

    def _where(self, verdict: str) -> pa.Array:
        chosen = self._verdicts.filter(pc.equal(self._verdicts.column("verdict"), verdict)).column("row")
        return chosen.combine_chunks()

    def _records(self, rows: pa.Array) -> pa.Table:
        return self._source.take(rows)

    @property
    def unique(self) -> Table:
        """The records that repeat no earlier one, in their order, with the columns that they came with."""
        return Table(self._records(self._where("unique")))

    @property
    def unique_rows(self) -> list[int]:
        """The numbers of these records, from 0."""
        return self._where("unique").to_pylist()

    @property
    def duplicates(self) -> Table:
        """The records that repeat an earlier one, with the columns ``row``, ``original``, ``distance`` and ``kind``."""
        return self._with_verdicts(self._where("duplicate"), ["row", "original", "distance", "kind"])

    @property
    def dead_letters(self) -> Table:
        """The records that cannot be compared, with the columns ``row``, ``reason`` and ``error``."""
        rows = self._where("dead-letter")
        table = self._with_verdicts(rows, ["row", "reason"]).to_arrow()
        errors = pa.array([self.errors.get(row, "") for row in rows.to_pylist()], pa.string())
        return Table(table.add_column(2, "error", errors))

    def _with_verdicts(self, rows: pa.Array, columns: list[str]) -> Table:
        table = self._verdicts.select(columns).take(rows)
        records = self._records(rows)
        for name in records.column_names:
            table = table.append_column(name if name not in columns else f"{name}_of_record", records.column(name))
        return Table(table)

    def groups(self) -> Table:
        """The records that belong together: an original, and after it its duplicates.

        Records without a duplicate make no group. The columns are ``group`` (the row of the original), ``size``,
        ``row``, ``distance`` and ``kind``, and the columns of the records.
        """
        repeated = self._verdicts.filter(pc.is_valid(self._verdicts.column("original")))
        counts = repeated.group_by("group").aggregate([("row", "count")])
        sizes = pa.table({"group": counts.column("group"), "size": pc.add(counts.column("row_count"), 1)})
        members = self._verdicts.filter(
            pc.is_in(self._verdicts.column("group"), value_set=sizes.column("group").combine_chunks())
        ).select(["group", "row", "distance", "kind"])
        joined = members.join(sizes, "group").sort_by([("group", "ascending"), ("row", "ascending")])
        table = joined.select(["group", "size", "row", "distance", "kind"])
        records = self._records(table.column("row").combine_chunks())
        for name in records.column_names:
            taken = name in table.column_names
            table = table.append_column(f"{name}_of_record" if taken else name, records.column(name))
        return Table(table)

    def pairs(self, near: Literal["limit", "equal", "first"] = "limit", n: int = 20) -> Pairs:
        """Duplicates beside their originals.

        Args:
            near: ``limit`` shows the pairs with the largest distance, which are the first to doubt. ``equal`` shows
                those with the smallest distance that are not exact. ``first`` shows the first in order.
            n: how many.
        """
        table = self._verdicts.filter(pc.is_valid(self._verdicts.column("original")))
        if near == "limit":
            table = table.sort_by([("distance", "descending"), ("row", "ascending")])
        elif near == "equal":
            table = table.filter(pc.equal(table.column("kind"), "near"))
            table = table.sort_by([("distance", "ascending"), ("row", "ascending")])
        elif near != "first":
            raise ValueError(f"near: expected limit, equal or first, found {near!r}")
        chosen = table.slice(0, n).select(["row", "original", "distance", "kind"]).to_pylist()
        for pair in chosen:
            pair["text"] = self._text(pair["row"])
            pair["original_text"] = self._text(pair["original"])
        return Pairs(chosen)

    def _text(self, row: int) -> str:
        """The compared fields of a record, for people."""
        payload = self._rows.json(row)
        if payload is None:
            return ""
        try:
            record = json.loads(payload)
        except ValueError:
            return payload.decode("utf-8", "replace")
        fields = self.settings["record"].get("fields") or []
        named = [{"path": each} if isinstance(each, str) else each for each in fields]
        paths = [each["path"] for each in named if each["path"] and not each.get("free")] or list(record)
        values = [_at(record, path) for path in paths]
        return "\n".join(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
                         for value in values if value is not None)

    def rethreshold(self, distance_max: int) -> Result:
        """The result under another distance, from 0 (only equal records) to 12. No fingerprint is computed again."""
        note = f"match.distance_max {distance_max} instead of the above"
        reasons = [reason for reason in self.reasons if not reason.endswith("instead of the above")]
        return Result(self._run.rethreshold(distance_max), self._source, self._rows, [*reasons, note])

    def to_yaml(self, path: str | os.PathLike[str]) -> Path:
        """Writes the settings as a configuration file for the service and the commands. Returns its path.

        The learned model goes to a file beside it.
        """
        return write_config(Path(path), self._run.settings(), None, self.reasons)

    def __len__(self) -> int:
        return self._verdicts.num_rows

    def __repr__(self) -> str:
        counts = self.counts
        head = (
            f"{len(self):,} records: {counts['unique']:,} unique, {counts['duplicate']:,} duplicates "
            f"({counts['exact']:,} exact, {counts['near']:,} near), {counts['dead-letter']:,} dead letters"
        )
        return "\n".join([head, *self.reasons])


def _at(record: Any, path: str) -> Any:
    if not path.startswith("/"):
        return record.get(path) if isinstance(record, dict) else None
    for key in path[1:].split("/"):
        name = key.replace("~1", "/").replace("~0", "~")
        if isinstance(record, list) and name.isdigit():
            record = record[int(name)] if int(name) < len(record) else None
        else:
            record = record.get(name) if isinstance(record, dict) else None
    return record


def write_config(path: Path, settings: str, model: str | None, comments: list[str]) -> Path:
    """Writes a configuration, and its model to a file beside it."""
    if model is None:
        learned = json.loads(settings)["feature"]["model"]
        is_default = not learned["hash_seed"] and not any(learned["centre"]) and not learned["common"]
        model = "" if is_default else json.dumps(learned)
    model_file = path.with_suffix(".model.json") if model else None
    if model_file is not None:
        model_file.write_text(model, encoding="utf-8")
    name = model_file.name if model_file is not None else ""
    path.write_text(yaml_text(settings, name, comments), encoding="utf-8")
    return path


@dataclass(frozen=True)
class Tuning:
    """What `tune` found.

    Attributes:
        settings: the proposed settings, as sections of the configuration file.
        text: all of it for people.
        details: the same for programs, with the keys of ``neardup tune --json``.
    """

    settings: dict[str, Any]
    text: str
    details: dict[str, Any]
    _page: str = field(repr=False)
    _model: str = field(repr=False)
    _settings_json: str = field(repr=False)

    def report(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report as an HTML page; with `path`, it is also written there."""
        if path is not None:
            Path(path).write_text(self._page, encoding="utf-8")
        return self._page

    def to_yaml(self, path: str | os.PathLike[str]) -> Path:
        """Writes the proposal as a configuration file for the service and the commands. Returns its path.

        The learned model goes to a file beside it.
        """
        return write_config(Path(path), self._settings_json, self._model, self.text.split("\n\n")[0].splitlines())

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe style="width:100%;height:480px;border:1px solid #8884" srcdoc="{escape(self._page)}"></iframe>'


@dataclass(frozen=True)
class Explanation:
    """Why two records are duplicates, or not.

    Attributes:
        text: all of it for people.
        details: the same for programs; docs/explain.md describes the keys.
    """

    text: str
    details: dict[str, Any]
    _page: str = field(repr=False)

    def __repr__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from html import escape

        return f'<iframe style="width:100%;height:480px;border:1px solid #8884" srcdoc="{escape(self._page)}"></iframe>'
