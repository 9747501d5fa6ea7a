"""DataFusion, with its defaults and as many partitions as Spark has cores."""

from __future__ import annotations

import os
import re
from pathlib import Path

import datafusion
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.engines import Decoded
from benchmarks.queries import COUNT, TO_PANDAS, WRITE, Asked, Query
from benchmarks.tables import TABLES

# In the order of their application; a step that was not applied has a total of zero.
_PRUNED = re.compile(
    r"(?:row_groups_pruned_\w+|limit_pruned_row_groups)=(\d+) total → (\d+) matched"
)


def start(name: str, data: Path) -> DataFusion:
    """Register the tables, which reads the footers of their files."""
    del name
    context = datafusion.SessionContext(datafusion.SessionConfig().with_target_partitions(2))
    for table in TABLES:
        if (data / table.name).exists():
            partitions = [("day", pa.date32())] if table.partitioned else []
            context.register_parquet(
                table.name, str(data / table.name), table_partition_cols=partitions
            )
    return DataFusion(context)


class DataFusion:
    """A context over the tables."""

    version = datafusion.__version__

    def __init__(self, context: datafusion.SessionContext) -> None:
        """Take a context with all tables registered."""
        self._context = context

    def pid(self) -> int:
        """Return this process, in which the engine runs."""
        return os.getpid()

    def run(self, query: Asked, output: Path) -> int:
        """Run the query; the rows become Python objects, pandas or Parquet."""
        df = self._context.sql(query.sql)
        if query.action == WRITE:
            df.write_parquet(str(output))
            files = [output] if output.is_file() else list(output.glob("*.parquet"))
            return sum(pq.read_metadata(file).num_rows for file in files)
        if query.action == TO_PANDAS:
            return len(df.to_pandas())
        rows = df.to_pylist()
        return int(next(iter(rows[0].values()))) if query.action == COUNT else len(rows)

    def values(self, sql: str) -> list[list[object]]:
        """Return the rows of any SQL."""
        return [list(row.values()) for row in self._context.sql(sql).to_pylist()]

    def started(self) -> tuple[int, int] | None:
        """Return None: there are no jobs."""
        return None

    def decoded(self, query: Query) -> Decoded:
        """Run the query again, and return the numbers of its scans."""
        rows = self._context.sql(f"EXPLAIN ANALYZE {query.sql}").to_pylist()
        groups: list[int] = []
        decoded: list[int] = []
        for line in str(rows[0]["plan"]).splitlines():
            if "DataSourceExec" not in line or "statuses" in line:
                continue
            pruned = _PRUNED.findall(line)
            if pruned:
                groups.append(min((int(left) for total, left in pruned if int(total)), default=0))
            count = re.search(r"output_rows=([\d.]+) ?([KMB]?)", line)
            if count:
                factor = {"": 1, "K": 1e3, "M": 1e6, "B": 1e9}[count[2]]
                decoded.append(round(float(count[1]) * factor))
        return Decoded(sum(groups) if groups else None, sum(decoded) if decoded else None)

    def stop(self) -> None:
        """Do nothing: the engine ends with the process."""
