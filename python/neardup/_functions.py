"""The functions of the package."""

from __future__ import annotations

import json as _json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from . import _native
from ._labels import Labels, marked_pairs
from ._results import Explanation, Result, Tuning, _batch, explained
from ._settings import Field, settings_json
from ._tables import Table, payloads_of, source_of

_RECORDS_MIN = 200
"""With fewer records nothing is learned; the same as auto.records_min."""
_STEP = 65_536
"""Records between two looks at the keyboard."""

Config = str | os.PathLike[str] | Mapping[str, Any]


def dedup(
    data: Any,
    fields: Sequence[Field] | str | None = None,
    *,
    keys: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    distance_max: int | None = None,
    config: Config | None = None,
    json: str = "",
    time: str = "",
    threads: int = 0,
    progress: bool | Callable[[int, int], None] = False,
    keep: str = "first",
) -> Result:
    """Finds the records that repeat an earlier one.

    What is not given is learned from the records themselves: which fields are compared, how near two records must be,
    and more. It gives the same verdicts as ``neardup filter`` on the same records as JSON Lines.

    Args:
        data: a pandas or Polars data frame, an Arrow table, a DuckDB relation, a path (JSON Lines, also .gz and .zst,
            Parquet, CSV, Feather), or an iterable of dict, str or bytes. A str that begins with ``{`` is a record in
            JSON, any other str a text. bytes are a record in JSON.
        fields: the fields to compare: names, JSON Pointers such as ``/article/title``, or
            ``{"path": "title", "weight": 2}``.
        keys: fields in which duplicates must be equal.
        exclude: fields that are never compared.
        distance_max: how many of 64 bits may differ, 0 to 12. 0: only equal records are duplicates.
        config: a configuration file, or its sections as a dict. What is named in this call wins.
        json: the column of a table that holds whole records as JSON.
        time: the column of a table that holds the event time: timestamps, dates, milliseconds since 1970, or texts of
            these. Without it, and without ``record.time_field`` in the configuration, there is no window: a record may
            repeat any earlier one.
        threads: how many threads work; 0: one for each core.
        progress: True shows a bar (needs tqdm). A function is called with the number of records that are decided and
            the number of all.
        keep: which record of a group ``result.unique`` holds; `Result.keep` describes it.

    Raises:
        Error: the settings or the input are wrong. The text says what, and what to do.
    """
    source = source_of(data)
    given = settings_json(config, fields=fields, keys=keys, exclude=exclude, distance_max=distance_max)
    rows = source.rows(given, json, time)
    learned, _mode, reasons = _native.learn(rows, given, _RECORDS_MIN)
    if source.table is not None and not json:
        rows = source.rows(learned, json, time)  # of the chosen columns only
    reasons = [_of_all(reason, len(rows)) for reason in reasons]
    run = _native.Run(learned, threads, True)
    with _progress(progress, len(rows)) as show:
        for begin in range(0, len(rows), _STEP):
            end = min(begin + _STEP, len(rows))
            run.decide(rows, begin, end)
            show(end)
    return Result(run, source, rows, reasons, keep)


def _of_all(text: str, total: int) -> str:
    """Names the records that something was learned from as a sample, if there are more."""
    found = re.search(r"([\d,]+) records? \([\d,]+ distinct", text)
    if found is None or found[1] == f"{total:,}":
        return text
    return f"{text[: found.start()]}a sample of {found[1]} of the {total:,}{text[found.end(1) :]}"


@contextmanager
def _progress(wanted: bool | Callable[[int, int], None], total: int) -> Iterator[Callable[[int], object]]:
    """Returns a function that takes the number of decided records. It shows a bar, calls a function, or does nothing."""
    if wanted is True:
        from tqdm.auto import tqdm

        with tqdm(total=total, unit=" records", unit_scale=True) as bar:
            yield lambda done: bar.update(done - bar.n)
    else:
        yield lambda done: wanted(done, total) if wanted else None


def tune(
    data: Any,
    fields: Sequence[Field] | str | None = None,
    *,
    keys: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    config: Config | None = None,
    json: str = "",
    window_entries: int = 0,
    labels: Labels | None = None,
) -> Tuning:
    """Proposes settings for a stream of such records, and says why.

    Args:
        data, fields, keys, exclude, config, json: as for `dedup`.
        window_entries: how many unique records the window of the service will hold. The more it holds, the more
            unrelated records match by chance. 0: 1,000,000, or fewer where copies need it.
        labels: pairs that you have marked: ``(earlier, later, is_copy)`` for each, or the path of a file for
            ``neardup test``. Fields, keys and distance are then chosen so that most of them come out right.
            ``tuning.details["labels"]`` says how many do, and ``"wrong"`` there are the numbers of those that do not.

    Raises:
        Error: the records give no reason to propose anything, or `labels` has another form.
    """
    source = source_of(data)
    given = settings_json(config, fields=fields, keys=keys, exclude=exclude)
    pairs, copies = marked_pairs(labels)
    rows = source.rows(given, json)
    found = _native.tune(rows, given, source.name, window_entries, _native.Rows.of_list(pairs), copies)
    # The command's report ends with the files that it has written. No file is written here.
    text = found["text"][: found["text"].rindex("\nconfig ")]
    page = re.sub(r"<p[^>]*>Files written: [^<]*</p>\n?", "", found["page"])
    details = _json.loads(found["json"])
    details = {name: value for name, value in details.items() if name not in ("config", "model", "report")}
    details["sample"]["of"] = len(rows)
    return Tuning(
        text=_of_all(text, len(rows)),
        details=details,
        _page=_of_all(page, len(rows)),
        settings=_json.loads(found["settings"]),
        _model=found["model"],
        _settings_json=found["settings"],
    )


def explain(
    a: Any,
    b: Any,
    fields: Sequence[Field] | str | None = None,
    *,
    keys: Sequence[str] | None = None,
    distance_max: int | None = None,
    config: Config | None = None,
) -> Explanation:
    """Says why record `b` repeats record `a`, or does not: dict, str (a text or JSON) or bytes (JSON)."""
    given = settings_json(config, fields=fields, keys=keys, distance_max=distance_max)
    return explained(_native.Rows.of_list(payloads_of([a]) + payloads_of([b])), given)


def fingerprint(
    data: Any,
    fields: Sequence[Field] | str | None = None,
    *,
    keys: Sequence[str] | None = None,
    exclude: Sequence[str] | None = None,
    config: Config | None = None,
    json: str = "",
    time: str = "",
    threads: int = 0,
) -> Table:
    """Computes the fingerprint of each record. Nothing is learned and nothing is decided.

    The columns are ``simhash``, ``order``, ``exact`` and ``numbers`` (uint64), ``features`` (distinct words),
    ``time_ms`` (since 1970), ``text_keys`` (eight uint32; 0 where there is none), ``reason`` (null unless the record
    cannot be compared) and ``passed``. Two records are near if few bits of their ``simhash`` differ, and equal if ``exact`` is equal.
    Fingerprints can be compared only if they were computed with the same settings. If the settings say that only equal
    records are duplicates (``mode`` exact, or ``distance_max`` 0), only ``exact`` is computed: ``simhash`` is equal to
    it, ``features`` counts all words, and there are no text keys.
    """
    source = source_of(data)
    given = settings_json(config, fields=fields, keys=keys, exclude=exclude)
    return Table(_batch(_native.fingerprint(source.rows(given, json, time), given, threads)))
