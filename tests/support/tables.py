"""Writes the test tables as real Parquet: you say the row groups, it makes exactly these."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from support import oracle
from support.predicates import Compare, Predicate, both

Column = list[Any]


@dataclass
class Table:
    """A table on disk, registered as a temporary view, and its rows as pyarrow reads them."""

    name: str
    path: Path
    rows: list[oracle.Row] = field(default_factory=list)

    @property
    def files(self) -> list[Path]:
        """The data files in the order of their paths."""
        return [self.path] if self.path.is_file() else sorted(self.path.rglob("*.parquet"))

    def register(self, spark: SparkSession, **options: str) -> Table:
        """Make the table known to Spark under its name, as the files are now."""
        frame = spark.read.options(**options).parquet(str(self.path))
        frame.createOrReplaceTempView(self.name)
        return self


def write(path: Path, groups: list[Any], schema: pa.Schema, **options: Any) -> Path:
    """Write one file: each entry of `groups` is a dict of columns and becomes one row group."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, **options) as writer:
        for group in groups:
            rows = max((len(values) for values in group.values()), default=0)
            columns = [
                pa.array(group.get(name, [None] * rows), schema.field(name).type)
                for name in schema.names
            ]
            writer.write_table(pa.table(columns, schema=schema))
    return path


def one_column(
    path: Path, kind: pa.DataType, groups: list[Column], name: str = "c", **options: Any
) -> Table:
    """Write a table ``t`` of a unique ``id`` and one column, row group by row group."""
    schema = pa.schema([("id", pa.int64()), (name, kind)])
    start, tables = 0, []
    for values in groups:
        tables.append({"id": list(range(start, start + len(values))), name: values})
        start += len(values)
    file = write(path / "t.parquet", tables, schema, **options)
    return Table("t", file, oracle.read(file))


WILDLIFE = pa.schema([("species", pa.string()), ("s", pa.int32())])
WILDLIFE_GROUPS = [
    {"species": ["Snow Vole", "Brown Bear", "Gray Wolf"], "s": [7, 133, 82]},
    {"species": ["Lynx", "Red Fox", "Alpine Bat"], "s": [71, 40, 6]},
    {"species": ["Alpine Ibex", "Alpine Goat", "Alpine Sheep"], "s": [101, 76, 83]},
    {"species": ["Mixed Herd", "Europ. Mole", "Alpine Chough"], "s": [4, 16, 50]},
]


def wildlife(path: Path) -> Table:
    """Write the case study: four row groups, of which only the third matches fully."""
    file = write(path / "tracking_data.parquet", WILDLIFE_GROUPS, WILDLIFE)
    return Table("tracking_data", file, oracle.read(file))


SIGHTINGS_PREDICATES: dict[str, Predicate | None] = {
    "predicate": Compare("s", ">=", 4),
    "partition": Compare("day", "=", date(2024, 1, 2)),
    "partition_and_predicate": both(Compare("day", "=", date(2024, 1, 2)), Compare("s", ">=", 8)),
    "none": None,
}


def sightings(path: Path) -> Table:
    """Write a table of four days (one of them null), two files a day, three groups a file."""
    schema = pa.schema([("id", pa.int64()), ("s", pa.int32()), ("species", pa.string())])
    days = ["2024-01-01", "2024-01-02", "2024-01-03", "__HIVE_DEFAULT_PARTITION__"]
    start = 0
    for day in days:
        for part in range(2):
            groups = []
            for _ in range(3):
                ids = list(range(start, start + 10))
                species = [f"Alpine {number}" for number in ids]
                groups.append(
                    {"id": ids, "s": [number // 10 for number in ids], "species": species}
                )
                start += 10
            write(path / "sightings" / f"day={day}" / f"part-{part}.parquet", groups, schema)
    return Table("sightings", path / "sightings", oracle.read(path / "sightings"))


NUMBERED = pa.schema([("id", pa.int64()), ("c", pa.int32())])


def numbered_files(folder: Path, count: int = 4) -> list[Path]:
    """Write so many files of two row groups of two rows; ``c`` counts all rows."""
    made = []
    for number in range(count):
        start = 4 * number
        groups = [{"id": [n, n + 1], "c": [n, n + 1]} for n in (start, start + 2)]
        made.append(write(folder / f"{number}.parquet", groups, NUMBERED))
    return made


NUMBERS_ROWS = 300


def numbers(file: Path, sign: int = 1, rows: int = NUMBERS_ROWS) -> Path:
    """Write two row groups of several pages; files of the same number of rows are of one length."""
    groups = [
        {"id": [sign * n for n in part], "c": [sign * n for n in part]}
        for part in (range(1, rows + 1), range(rows + 1, 2 * rows + 1))
    ]
    options = {"compression": "none", "use_dictionary": False, "column_encoding": "PLAIN"}
    pages = {"max_rows_per_page": 50, "write_batch_size": 50, "write_page_index": True}
    return write(file, groups, NUMBERED, **options, **pages)
