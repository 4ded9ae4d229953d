"""A filter that decides records as they come."""

from __future__ import annotations

import json as _json
import os
from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._results import Verdict, verdict_table
from ._settings import Field, settings_json
from ._tables import Table, payloads_of, source_of


class Filter:
    """Remembers unique records, and says of each further one whether it repeats one of them.

    A filter learns nothing: give it a configuration that `tune` has written, or fields. Several threads may call it;
    they wait for each other.

    Args:
        config: a configuration file, or its sections as a dict.
        fields, keys, exclude, distance_max: as for `dedup`; they win over the configuration.
        threads: how many threads work on a batch; 0: one for each core.

    Raises:
        Error: the settings are wrong, or ask for learning.
    """

    def __init__(
        self,
        config: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        *,
        fields: Sequence[Field] | str | None = None,
        keys: Sequence[str] | None = None,
        exclude: Sequence[str] | None = None,
        distance_max: int | None = None,
        threads: int = 0,
    ) -> None:
        if config is None:
            config = {"match": {"mode": "near"}}
        given = settings_json(config, fields=fields, keys=keys, exclude=exclude, distance_max=distance_max)
        self._filter = _native.Filter.new(given, threads)

    @classmethod
    def load(cls, path: str | os.PathLike[str], threads: int = 0) -> Filter:
        """Reads a filter that `save` has written."""
        loaded = cls.__new__(cls)
        loaded._filter = _native.Filter.load(os.fspath(path), threads)
        return loaded

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the filter with all that it remembers. The file is replaced in one step."""
        self._filter.save(os.fspath(path))

    def check(self, record: Any) -> Verdict:
        """What the record would be if it came next. The filter does not remember it. `check_many` takes tables.

        Args:
            record: dict, str (a text, or JSON if it begins with ``{``), or bytes (JSON).
        """
        return self._one(record, remember=False)

    def add(self, record: Any) -> Verdict:
        """Decides one record, and remembers it if it is unique. `decide` takes tables, and is much faster for many."""
        return self._one(record, remember=True)

    def _one(self, record: Any, remember: bool) -> Verdict:
        payloads = payloads_of([record], f"; {'decide' if remember else 'check_many'} takes tables and lists")
        capsules, errors, row = self._filter.decide(_native.Rows.of_list(payloads), remember)
        values = verdict_table(capsules, row).drop_columns(["late"]).to_pylist()[0]
        values["row"] = row if remember else None
        return Verdict(**values, error=errors[0][1] if errors else None)

    def decide(self, data: Any, *, json: str = "", time: str = "") -> Table:
        """Decides a batch in its order, and remembers the unique records.

        Returns a table with the columns ``row`` and ``original`` (numbers over all records that this filter has
        decided), ``verdict``, ``distance``, ``kind``, ``reason`` and ``late``.

        Args:
            data, json, time: as for `dedup`.
        """
        return self._many(data, json, time, remember=True)

    def check_many(self, data: Any, *, json: str = "", time: str = "") -> Table:
        """What each record of a batch would be if it came next. The filter remembers none of them.

        So no record repeats another one of the batch. The table has the columns of `decide`, but ``row`` counts from 0
        in the batch.

        Args:
            data, json, time: as for `dedup`.
        """
        return self._many(data, json, time, remember=False)

    def _many(self, data: Any, json: str, time: str, remember: bool) -> Table:
        rows = source_of(data).rows(self._filter.settings(), json, time)
        capsules, _, first = self._filter.decide(rows, remember)
        return Table(verdict_table(capsules, first if remember else 0))

    @property
    def settings(self) -> dict[str, Any]:
        """The settings in force, as sections of the configuration file."""
        return _json.loads(self._filter.settings())

    @property
    def decided(self) -> int:
        """How many records were decided."""
        return self._filter.decided()

    @property
    def bytes(self) -> int:
        """The memory of the filter in bytes."""
        return self._filter.bytes()

    def __len__(self) -> int:
        """How many unique records the filter remembers."""
        return self._filter.entries()

    def __repr__(self) -> str:
        return f"neardup.Filter of {len(self):,} unique records"
