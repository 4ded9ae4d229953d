"""What a notebook shows."""

from __future__ import annotations

import difflib
import html
import re
from typing import Any

import pyarrow as pa

_WORD = re.compile(r"\w+|\W+")
_STYLE = (
    "<style>.neardup{border-collapse:collapse;font-size:90%}"
    ".neardup td,.neardup th{border-bottom:1px solid #8884;padding:3px 8px;text-align:left;vertical-align:top}"
    ".neardup mark{background:#ffd54a;color:#000;padding:0 1px}</style>"
)
_SHOWN = 400


def escaped(value: Any) -> str:
    """A value as text in HTML; long texts are cut."""
    text = "" if value is None else str(value)
    if len(text) > _SHOWN:
        text = text[:_SHOWN] + "…"
    return html.escape(text)


def table_html(table: pa.Table, rows: int) -> str:
    """The first rows of a table, and how many there are."""
    head = "".join(f"<th>{escaped(name)}</th>" for name in table.column_names)
    body = "".join(
        "<tr>" + "".join(f"<td>{escaped(value)}</td>" for value in row.values()) + "</tr>" for row in table.to_pylist()
    )
    more = f"<p>{rows:,} rows, the first {table.num_rows} shown</p>" if rows > table.num_rows else ""
    return f'{_STYLE}<table class="neardup"><tr>{head}</tr>{body}</table>{more}'


def marked(a: str, b: str) -> tuple[str, str]:
    """Two texts as HTML, with the words marked in which they differ."""
    words_a, words_b = _WORD.findall(a[:4000]), _WORD.findall(b[:4000])
    shown_a, shown_b = [], []
    for kind, a0, a1, b0, b1 in difflib.SequenceMatcher(None, words_a, words_b, autojunk=False).get_opcodes():
        for words, shown in ((words_a[a0:a1], shown_a), (words_b[b0:b1], shown_b)):
            part = html.escape("".join(words))
            shown.append(part if kind == "equal" or not part.strip() else f"<mark>{part}</mark>")
    return "".join(shown_a), "".join(shown_b)


def pairs_html(pairs: list[dict[str, Any]]) -> str:
    """Pairs of records side by side."""
    rows = []
    for pair in pairs:
        left, right = marked(pair["original_text"], pair["text"])
        what = f"{pair['kind']}<br>distance {pair['distance']}<br>rows {pair['original']} and {pair['row']}"
        rows.append(f"<tr><td>{what}</td><td>{left}</td><td>{right}</td></tr>")
    head = "<tr><th></th><th>original</th><th>duplicate</th></tr>"
    return f'{_STYLE}<table class="neardup">{head}{"".join(rows)}</table>'
