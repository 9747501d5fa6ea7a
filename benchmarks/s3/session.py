"""A Spark session with the extension over a store that speaks the protocol of S3."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks import engines
from benchmarks.engines.spark import Spark, open_session
from benchmarks.queries import Asked, Query
from benchmarks.s3 import client, server
from benchmarks.settings import ROOT

MILLISECONDS = 30


@dataclass(frozen=True)
class Run:
    """The cost of one run of a query.

    Attributes:
        seconds: Wall time until the rows arrived.
        get: Requests for objects, or for ranges of them.
        head: Requests for the status of an object.
        list: Requests for listings.
        bytes: Bytes of objects that the store sent.
        rows: Rows of the result; 0 if the query was only planned.
    """

    seconds: float
    get: int
    head: int
    list: int
    bytes: int
    rows: int

    @property
    def requests(self) -> int:
        """All requests."""
        return self.get + self.head + self.list

    def as_dict(self) -> dict[str, float]:
        """Return all of it, for JSON."""
        return asdict(self) | {"seconds": round(self.seconds, 4), "requests": self.requests}


class StoreSpark:
    """A session whose table is in the store. The table is listed once, at the start."""

    def __init__(self, address: str, scratch: Path, table: str) -> None:
        """Start the session; its streams make the requests that they are asked for."""
        settings = client.settings(address, _jars(), {"input.stream.type": "classic"})
        self._address = address
        self._output = scratch / "output"
        self._url = f"s3a://{server.BUCKET}/{table}"
        self.session = open_session(engines.OURS, scratch, has_extension=True, settings=settings)
        self.session.read.parquet(self._url).createOrReplaceTempView(table)
        self._spark = Spark(self.session)

    def forget(self) -> None:
        """Forget all footers of the table; Spark has no such cache."""
        self.session.sql(f"REFRESH '{self._url}'")

    def run(self, query: Asked, enabled: bool) -> Run:
        """Run the query, with or without the extension."""
        return self._cost(enabled, lambda: self._spark.run(query, self._output))

    def plan(self, query: Query, enabled: bool) -> Run:
        """Plan the query up to the executed plan, without running it."""

        def plan() -> int:
            df: Any = self.session.sql(query.sql)
            df._jdf.queryExecution().executedPlan()
            return 0

        return self._cost(enabled, plan)

    def check(self, query: Query, enabled: bool) -> list[list[object]]:
        """Return the rows of the query's `check`."""
        self._set(enabled)
        return self._spark.values(query.check)

    def stop(self) -> None:
        """Stop the session."""
        self.session.stop()

    def _set(self, enabled: bool) -> None:
        self.session.conf.set("spark.limitPruning.enabled", str(enabled).lower())

    def _cost(self, enabled: bool, action: Any) -> Run:
        self._set(enabled)
        server.counts(self._address)
        started = time.perf_counter()
        rows = action()
        seconds = time.perf_counter() - started
        seen: Counter[str] = server.counts(self._address)
        return Run(seconds, seen["GET"], seen["HEAD"], seen["LIST"], seen["bytes"], rows)


@contextmanager
def started(root: Path, scratch: Path, table: str) -> Iterator[StoreSpark]:
    """Keep a store of the files of a folder for the block, and a session over a table of it."""
    try:
        with server.running(root, MILLISECONDS) as address:
            spark = StoreSpark(address, scratch, table)
            try:
                yield spark
            finally:
                spark.stop()
    finally:
        shutil.rmtree(scratch, ignore_errors=True)


def _jars() -> Path:
    """Return the folder of the JARs of S3A, which are downloaded once."""
    command = [str(ROOT / "bin" / "s3a-jars"), client.hadoop_version()]
    output = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
    return Path(output.strip())
