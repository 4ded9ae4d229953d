"""Pairs of records that a person has marked as copies or as no copies."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ._errors import Error
from ._tables import payloads_of

Labels = Iterable[tuple[Any, Any, bool]] | str | os.PathLike[str]
"""``(earlier, later, is_copy)`` for each pair, or the path of a file for ``neardup test``."""

_EXPECTED = {"unique": False, "duplicate": True, "exact": True, "near": True}


def marked_pairs(labels: Labels | None) -> tuple[list[bytes | None], list[bool]]:
    """The records of all pairs, one pair after the other, and whether each pair is a copy."""
    if labels is None:
        return [], []
    if isinstance(labels, (str, os.PathLike)):
        labels = list(_read(Path(labels)))
    records: list[Any] = []
    copies: list[bool] = []
    for number, pair in enumerate(labels):
        if not isinstance(pair, (tuple, list)) or len(pair) != 3:
            raise Error(f"labels[{number}]: expected (earlier, later, is_copy), found {pair!r}")
        earlier, later, copy = pair
        if isinstance(copy, str) or copy not in (True, False):
            raise Error(f"labels[{number}]: expected True or False as the mark, found {copy!r}")
        records += [earlier, later]
        copies.append(bool(copy))
    return payloads_of(records), copies


def _read(path: Path) -> Iterable[tuple[Any, Any, bool]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip():
            continue
        try:
            case = json.loads(line)
            yield case["a"], case["b"], _EXPECTED[case["expect"]]
        except (ValueError, KeyError, TypeError):
            raise Error(
                f'{path}:{number}: expected {{"a": record, "b": record, "expect": "duplicate" or "unique"}}, '
                f"found {line[:100]}"
            ) from None
