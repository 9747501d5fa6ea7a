"""A table in an object store that changes while it is read, and its states."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from support.applications.application import Answer
from support.object_store.buckets import Bucket
from support.object_store.stored_tables import ROWS, numbers

OF_A_FILE = 2 * ROWS
NEVER_CHANGED = {OF_A_FILE + n for n in range(1, OF_A_FILE + 1)}
BEFORE = set(range(1, OF_A_FILE + 1)) | NEVER_CHANGED
COVERED = "SELECT c FROM {} WHERE c <> 0 LIMIT 300"
SOME_PAGES = "SELECT c FROM {} WHERE c <> 0 LIMIT 70"
NOT_COVERED = "SELECT c FROM {} WHERE c <> 0 AND id % 7 <> 3 LIMIT 1500"
ORDERED = "SELECT c FROM {} ORDER BY c LIMIT 70"


@dataclass(frozen=True)
class Changing:
    """Two objects of the same number of rows, of which the first changes: LIMITs read that."""

    bucket: Bucket
    key: str
    scratch: Path

    @property
    def url(self) -> str:
        """The name under which Spark knows the table."""
        return self.bucket.url(self.key)

    def write(self) -> None:
        """Write both as they are at first."""
        self.put("0", numbers(self.scratch))
        self.put("1", numbers(self.scratch, first=OF_A_FILE))

    def put(self, name: str, file: Path) -> None:
        """Write one object."""
        self.bucket.put(f"{self.key}/{name}.parquet", file)


@dataclass(frozen=True)
class Change:
    """Another client's doing, the rows after it, and the error of queries planned before it."""

    of: Callable[[Changing], None]
    after: set[int]
    error: str | None = "FileChangedException"


CHANGES = {
    "overwritten by as many bytes": Change(
        lambda table: table.put("0", numbers(table.scratch, sign=-1)),
        {-n for n in range(1, OF_A_FILE + 1)} | NEVER_CHANGED,
    ),
    "overwritten by more bytes": Change(
        lambda table: table.put("0", numbers(table.scratch, sign=-1, rows=ROWS + 1)),
        {-n for n in range(1, OF_A_FILE + 3)} | NEVER_CHANGED,
    ),
    "deleted": Change(
        lambda table: table.bucket.delete(f"{table.key}/0.parquet"),
        set(NEVER_CHANGED),
        error="File does not exist",
    ),
    "appended to": Change(
        lambda table: table.put("2", numbers(table.scratch, sign=-1)),
        {-n for n in range(1, OF_A_FILE + 1)} | BEFORE,
        error=None,
    ),
}


def is_answered(answer: Answer, *states: set[int]) -> bool:
    """Whether a query gave rows: some of one state, each once; else the error must help."""
    if answer.error is not None:
        assert "REFRESH TABLE" in answer.error
        return False
    found = Counter(row["c"] for row in answer.rows)
    assert found
    assert any(found <= Counter(state) for state in states), found
    return True
