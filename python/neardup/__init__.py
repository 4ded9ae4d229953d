"""Finds near-duplicate records: texts, articles, offers, log lines with a few words changed.

>>> import neardup as nd
>>> result = nd.dedup(["the same text", "The same text!", "another one"])
>>> result.counts["duplicate"]
1

`dedup` finds the duplicates of a table, a file or a list. `tune` says which settings fit, and writes them for the
service. `Filter` decides records as they come. `explain` says why two records are duplicates or not. `fingerprint`
gives the hashes themselves. All of them decide as the command `neardup filter` does.
"""

from . import _native
from ._errors import Error
from ._filter import Filter
from ._functions import dedup, explain, fingerprint, tune
from ._results import Explanation, Pairs, Result, Tuning, Verdict
from ._tables import Table

__version__: str = _native.version
__all__ = [
    "Error",
    "Explanation",
    "Filter",
    "Pairs",
    "Result",
    "Table",
    "Tuning",
    "Verdict",
    "dedup",
    "explain",
    "fingerprint",
    "tune",
]
