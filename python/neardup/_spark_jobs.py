"""What all steps of `neardup.spark` share on the driver: jobs with a name, and markers of finished steps."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ._errors import Error
from ._spark_tasks import Damaged, read_part, reporting
from ._store import Store, checksum

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FORMAT = 3
"""Of the files below work_dir. Another version is refused."""


class DamagedPart(Error):
    def __init__(self, text: str, part: str) -> None:
        super().__init__(text)
        self.code = "corrupt"
        self.part = part


def say(text: str) -> None:
    print(f"neardup: {text}", file=sys.stderr, flush=True)


@contextmanager
def described(session: SparkSession, text: str) -> Iterator[None]:
    """The name of the jobs in Spark's UI."""
    context = session.sparkContext
    before = context.getLocalProperty("spark.job.description")
    context.setJobDescription(text)
    try:
        yield
    finally:
        context.setLocalProperty("spark.job.description", before)  # type: ignore[arg-type]


def reports(frame: DataFrame) -> list[dict[str, Any]]:
    """What the tasks have reported. The first error is raised."""
    found = [json.loads(row[0]) for row in frame.collect()]
    for report in found:
        if "error" not in report:
            continue
        if report["damaged"]:
            raise DamagedPart(report["error"], report["damaged"])
        error = Error(report["error"])
        error.code = report["code"]
        raise error
    return found


def each(session: SparkSession, numbers: Sequence[int], task: Callable[..., Any], schema: str) -> DataFrame:
    """What mapInArrow gives for batches that hold one of the numbers, each in a Spark task of its own."""
    wanted = list(numbers)

    def run(batches: Iterable[Any]) -> Iterator[Any]:
        import pyarrow

        yield from task(
            pyarrow.RecordBatch.from_pydict({"number": [wanted[row] for row in batch.column(0).to_pylist()]})
            for batch in batches
        )

    return session.range(0, len(wanted), 1, max(1, len(wanted))).mapInArrow(run, schema)


def run_tasks(
    session: SparkSession, text: str, numbers: Sequence[int], task: Callable[..., Any]
) -> list[dict[str, Any]]:
    """Runs a task for each number, and returns what the tasks report."""
    if not numbers:
        return []
    with described(session, f"neardup: {text}"):
        return reports(each(session, numbers, reporting(task), "report string"))


def are_whole(session: SparkSession, store: Store, step: str, parts: list[dict[str, Any]]) -> bool:
    """Reads the parts of an earlier run on the executors, and compares their checksums."""

    def damaged(names: Iterable[str]) -> Iterator[str]:
        for text in names:
            try:
                read_part(store, json.loads(text))
            except Damaged as error:
                yield str(error)

    context = session.sparkContext
    texts = [json.dumps({"name": part["name"], "checksum": part["checksum"]}) for part in parts]
    tasks = max(1, min(len(texts), context.defaultParallelism))
    with described(session, f"neardup: check {step}"):
        found = context.parallelize(texts, tasks).mapPartitions(damaged).collect()
    for text in found:
        say(f"{text}; it is made again")
    return not found


class Steps:
    """The markers of the steps of one run, which say which parts a finished step has left."""

    def __init__(self, store: Store, run: dict[str, Any]) -> None:
        self._store = store
        self._run = checksum(json.dumps(run, sort_keys=True).encode())

    def finish(self, step: str, parts: list[dict[str, Any]]) -> list[dict[str, Any]]:
        content = json.dumps(parts, sort_keys=True).encode()
        self._store.write_json(
            f"{step}/done.json",
            {
                "neardup_spark": FORMAT,
                "run": self._run,
                "rows": sum(part["rows"] for part in parts),
                "checksum": checksum(content),
                "parts": parts,
            },
        )
        return parts

    def finished(self, step: str) -> list[dict[str, Any]] | None:
        """The parts of a step, if its marker says that it is finished."""
        marker = self._store.read_json(f"{step}/done.json")
        if marker is None or marker.get("run") != self._run:
            return None
        content = json.dumps(marker["parts"], sort_keys=True).encode()
        return marker["parts"] if checksum(content) == marker["checksum"] else None
