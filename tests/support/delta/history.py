"""What happened to a Delta table."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession

COLUMNS = {
    "id": "id + {start}",
    "k": "IF(id % 11 = 5, NULL, CAST((id * {step}) % {modulus} AS INT))",
    "s": "IF(id % 13 = 7, NULL, CONCAT('{prefix}', LPAD(CAST(id * {step} AS STRING), 6, '0')))",
    "d": "DATE'1999-12-30' + CAST(id * {step} % 9000 AS INT)",
    "ts": "TIMESTAMP'{year}-03-01 10:11:12.345678' + MAKE_DT_INTERVAL(0, 0, 0, id * {step})",
    "f": "IF(id % 17 = 3, DOUBLE('NaN'), CAST(id AS DOUBLE) / {step})",
    "c": "CAST(id * {step} AS DECIMAL(20, 3))",
    "n": "NAMED_STRUCT('x', id * {step}, 'y', CONCAT('y', id % {modulus}))",
}

Draw = Callable[..., Any]


@dataclass
class History:
    """The statements that made a table, for the message of a failure."""

    path: Path
    mapping: str
    vectors: bool
    partitioned: bool
    statements: list[str] = field(default_factory=list)
    # The names that columns have now, by their first names.
    names: dict[str, str] = field(default_factory=lambda: {name: name for name in COLUMNS})
    has_changed_names: bool = False

    @property
    def table(self) -> str:
        """What SQL names the table."""
        return f"delta.`{self.path}`"

    def run(self, spark: SparkSession, statement: str) -> None:
        """Run a statement, and remember it."""
        self.statements.append(statement)
        spark.sql(statement)
