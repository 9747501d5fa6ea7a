"""The soak over an Iceberg table, which changes while queries run.

Run by `make soak-iceberg MINUTES=n`; a few seconds of it are a test.
"""

from __future__ import annotations

import random
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from pyspark.sql import SparkSession

from support import soak
from support.iceberg import session, tables
from support.soak import Row

MOST_ROWS, APPENDED = 2500, 180
# A compaction writes with shuffles and broadcasts of its own.
POOLS = soak.SPARKS_POOLS + soak.ADAPTIVE_POOLS


@dataclass
class ChangingTable:
    """An Iceberg table with the rows of its newest snapshot."""

    spark: SparkSession
    name: str = field(default_factory=tables.new_name)
    has_snapshots: bool = True
    kept: list[Row] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Create it with a few files."""
        self.spark.sql(
            f"CREATE TABLE {self.name} (id BIGINT, c INT, s STRING) USING iceberg "
            "TBLPROPERTIES ('format-version' = '3', 'write.delete.mode' = 'merge-on-read')"
        )
        for _ in range(4):
            self.append()

    def rows(self) -> list[Row]:
        """Return the rows of the newest snapshot."""
        return self.kept

    def change(self) -> str:
        """Change it in some way, and return in which."""
        kinds = [self.append, self.append, self.delete, self.compact, self.expire]
        kind = self.delete_many if len(self.kept) > MOST_ROWS else random.choice(kinds)
        kind()
        return kind.__name__.replace("_", " ")

    def append(self) -> None:
        """Append rows, in three files."""
        start = random.randrange(1000)
        self.spark.sql(
            f"INSERT INTO {self.name} SELECT /*+ REPARTITION_BY_RANGE(3, id) */ id, "
            "IF(id % 9 = 8, NULL, CAST(id % 7 AS INT)), "
            f"CONCAT('k', LPAD(STRING(id % 100), 2, '0')) FROM range({start}, {start + APPENDED})"
        )
        self.kept = self.kept + [
            (n, None if n % 9 == 8 else n % 7, f"k{n % 100:02}")
            for n in range(start, start + APPENDED)
        ]

    def delete(self) -> None:
        """Delete single rows, with deletion vectors."""
        n = random.randrange(10)
        self._delete(f"id % 10 = {n}", [row for row in self.kept if row[0] % 10 != n])

    def delete_many(self) -> None:
        """Delete about half of the rows, and with them whole files."""
        self._delete("id >= 500", [row for row in self.kept if row[0] < 500])

    def compact(self) -> None:
        """Write the files again, without deleted rows."""
        self._call("rewrite_data_files", "options => map('rewrite-all', 'true')")

    def expire(self) -> None:
        """Remove old snapshots with their files. Queries that have begun read the newest one."""
        now = f"TIMESTAMP'{datetime.now(timezone.utc):%Y-%m-%d %H:%M:%S.%f}Z'"
        self._call("expire_snapshots", f"older_than => {now}, retain_last => 2")

    def _delete(self, where: str, left: list[Row]) -> None:
        self.spark.sql(f"DELETE FROM {self.name} WHERE {where}")
        self.kept = left

    def _call(self, procedure: str, arguments: str) -> None:
        table = self.name.removeprefix("ice.")
        self.spark.sql(f"CALL ice.system.{procedure}(table => '{table}', {arguments})")


def main(minutes: float) -> None:
    """Soak in a session of its own, and print what came to pass."""
    random.seed(1)
    folder = Path(tempfile.mkdtemp())
    spark = session.start(folder, "ours first", soak.KEEP_LITTLE)
    try:
        table = ChangingTable(spark)
        tally = soak.soak(spark, table, 60 * minutes, pools=POOLS)
        print(tally)
        assert not session.staged_task_sets(spark, table.name)
    finally:
        spark.stop()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main(float(sys.argv[1]))
