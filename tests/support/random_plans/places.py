"""Where a random table is, and how Spark is told about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from pyspark.sql import SparkSession

from support.random_plans import rows
from support.random_plans.specs import PARTITIONS, TYPES, Spec, Values
from support.runs import conf
from support.sparks import LINE

# A partition beside those that the files are written for.
EXTRA = {"p": "9", "Q": "'latest'", "day": "DATE'2030-01-01'", "m": "9.75"}
# The types of columns of variants, and how they are made of the columns of `rows`.
_VARIANT = (
    "CASE WHEN id % 11 = 0 THEN parse_json('{\"a\": null}') WHEN id % 13 <> 0"
    " THEN parse_json(to_json(named_struct('a', Val, 'b', s))) END"
)
VARIANTS = {
    "v VARIANT": _VARIANT,
    "w STRUCT<v: VARIANT, n: BIGINT>": f"named_struct('v', {_VARIANT}, 'n', id)",
}
WRITTEN_BY_SPARK = "'parquet.block.row.count.limit'='10', 'parquet.page.row.count.limit'='5'"


@dataclass
class Table:
    """A table that Spark knows.

    Attributes:
        source: What stands for it in FROM.
        folders: Where the files of each partition are.
        statements: The SQL that made it, and comments in place of what is not SQL.
    """

    spec: Spec
    name: str
    folder: Path
    source: str
    folders: dict[Values, Path] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)

    @property
    def in_catalog(self) -> bool:
        """Whether it is a table of the catalog."""
        return self.source == self.name and any("CREATE TABLE" in s for s in self.statements)

    @property
    def columns(self) -> list[str]:
        """All columns."""
        return [*rows.SCHEMA.names, *self.spec.partition_columns]

    def run(self, spark: SparkSession, statement: str) -> None:
        """Run a statement, and note it."""
        self.statements.append(statement)
        spark.sql(statement)

    def drop(self, spark: SparkSession) -> None:
        """Remove it from the catalog."""
        if self.in_catalog:
            spark.sql(f"DROP TABLE IF EXISTS {self.name}")


Sessions = tuple[SparkSession, SparkSession]
Place = Callable[[Spec, str, Path, Sessions], Table]


def by_path(spec: Spec, name: str, folder: Path, _: Sessions) -> Table:
    """Files that a query names by their directory."""
    return _written(spec, name, folder, f"parquet.`{folder}`")


def doubled(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A directory that is read twice."""
    table = _written(spec, name, folder, name)
    for spark in sessions:
        spark.read.parquet(str(folder), str(folder)).createOrReplaceTempView(name)
    table.statements.append(f"-- spark.read.parquet(folder, folder) as the view {name}")
    return table


def view(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A temporary view of a DataFrame with a given schema."""
    table = _written(spec, name, folder, name)
    ddl = ", ".join([rows.DDL, *_types(spec)])
    for spark in sessions:
        spark.read.schema(ddl).parquet(str(folder)).createOrReplaceTempView(name)
    table.statements.append(f"-- spark.read.schema({ddl!r}).parquet(folder) as the view {name}")
    return table


def catalog(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog, with its partitions where they belong."""
    table = _written(spec, name, folder, name)
    _create(table, sessions[1])
    _add(table, sessions[1], {v: table.folders[v] for v in spec.partition_values})
    return table


def shared(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog whose partitions are elsewhere, two of them in one directory."""
    table = Table(spec, name, folder, name)
    for number, values in enumerate(spec.partition_values):
        table.folders[values] = folder / f"elsewhere-{number}"
    spec.write_to(table.folders)
    _create(table, sessions[1])
    table.folders[extra(spec)] = folder / "elsewhere-0"
    _add(table, sessions[1], table.folders)
    return table


def unlistable(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog with a partition that cannot be listed."""
    table = catalog(spec, name, folder, sessions)
    location = "nosuch://host/directory" if spec.seed % 4 else f"{folder}/missing"
    added = partition(spec, extra(spec))
    table.run(sessions[1], f"ALTER TABLE {name} ADD {added}")
    table.run(sessions[1], f"ALTER TABLE {name} {added} SET LOCATION '{location}'")
    return table


def managed(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog that Spark writes."""
    return _inserted(spec, name, folder, sessions, "")


def bucketed(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog in buckets."""
    return _inserted(
        spec, name, folder, sessions, "CLUSTERED BY (id) SORTED BY (id) INTO 2 BUCKETS"
    )


def two_buckets(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog in buckets by two columns, of which a query may have one."""
    return _inserted(
        spec, name, folder, sessions, "CLUSTERED BY (Val, s) SORTED BY (s, id) INTO 3 BUCKETS"
    )


def variants(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog with variants, which some writers of Spark shred."""
    shredding = {
        "spark.sql.variant.writeShredding.enabled": "true",
        "spark.sql.variant.inferShreddingSchema": "true",
    }
    with conf(sessions[1], shredding if spec.seed % 2 else {}):
        return _inserted(spec, name, folder, sessions, "", VARIANTS)


def chars(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of the catalog with text of a fixed or a greatest length."""
    table = _written(spec, name, folder, name)
    kind = "CHAR(4)" if spec.seed % 2 else "VARCHAR(4)"
    _create(table, sessions[1], columns=rows.DDL.replace("s STRING", f"s {kind}"))
    _add(table, sessions[1], table.folders)
    return table


def hive(spec: Spec, name: str, folder: Path, sessions: Sessions) -> Table:
    """A table of a Hive metastore with Hive's own format, which Spark reads as its own Parquet."""
    table = _written(spec, name, folder, name)
    _create(table, sessions[1], "STORED AS PARQUET")
    _add(table, sessions[1], table.folders)
    return table


NEEDS_PARTITION = [name for name in PARTITIONS if name not in ("none", "decimal")]
ANY = [*NEEDS_PARTITION, "none"]
# Each place, and how tables may be partitioned there.
PLACES: dict[str, tuple[Place, list[str]]] = {
    "path": (by_path, ANY),
    "catalog": (catalog, ANY),
    "shared": (shared, NEEDS_PARTITION),
    "unlistable": (unlistable, NEEDS_PARTITION),
    "managed": (managed, ANY),
    "doubled": (doubled, ANY),
    "view": (view, ANY),
    "bucketed": (bucketed, ANY),
    "hive": (hive, ANY),
    "two buckets": (two_buckets, ANY),
    "variants": (variants, ANY),
    "chars": (chars, ANY),
    "decimals": (view, ["decimal"]),
}
NEEDS_HIVE = ["hive"]
# Places for inner shapes and windows alone, and all places of these.
INNER_ONLY = ["two buckets", "variants", "chars"]
WINDOWS = ["chars", "managed", "path", "shared"]
INNER = ["path", "variants", "catalog", "shared", "two buckets", "variants"]
if LINE < (4, 0):  # Spark 3.5 has no variants
    INNER = [place for place in INNER if place != "variants"]
IN_MEMORY = [place for place in PLACES if place not in [*NEEDS_HIVE, *INNER_ONLY]]


def extra(spec: Spec) -> Values:
    """Return the values of a partition that the spec writes no files for."""
    return tuple(EXTRA[column] for column in spec.partition_columns)


def partition(spec: Spec, values: Values) -> str:
    """Return how SQL names the partition with these values."""
    pairs = zip(spec.partition_columns, values, strict=True)
    return f"PARTITION ({', '.join(f'{column} = {value}' for column, value in pairs)})"


def _written(spec: Spec, name: str, folder: Path, source: str) -> Table:
    folders = {values: folder / spec.folder(values) for values in spec.partition_values}
    spec.write_to(folders)
    return Table(spec, name, folder, source, folders=folders)


def _create(
    table: Table,
    spark: SparkSession,
    form: str = "USING parquet",
    buckets: str = "",
    more: Iterable[str] = (),
    columns: str = rows.DDL,
) -> None:
    ddl = ", ".join([columns, *more, *_types(table.spec)])
    by = ", ".join(table.spec.partition_columns)
    partitioned = f"PARTITIONED BY ({by})" if by else ""
    clauses = " ".join([form, partitioned, buckets])
    table.run(spark, f"CREATE TABLE {table.name} ({ddl}) {clauses} LOCATION '{table.folder}'")


def _add(table: Table, spark: SparkSession, folders: dict[Values, Path]) -> None:
    if table.spec.partition_columns:
        added = [f"{partition(table.spec, v)} LOCATION '{path}'" for v, path in folders.items()]
        table.run(spark, f"ALTER TABLE {table.name} ADD {' '.join(added)}")


def _inserted(
    spec: Spec,
    name: str,
    folder: Path,
    sessions: Sessions,
    buckets: str,
    more: Mapping[str, str] = MappingProxyType({}),
) -> Table:
    source = folder.parent / "source"
    spec.write_to({values: source / spec.folder(values) for values in spec.partition_values})
    table = Table(spec, name, folder, name)
    spark = sessions[1]
    _create(table, spark, f"USING parquet OPTIONS ({WRITTEN_BY_SPARK})", buckets, more)
    ddl = ", ".join([rows.DDL, *_types(spec)])
    spark.read.schema(ddl).parquet(str(source)).createOrReplaceTempView("written")
    columns = ", ".join([*rows.SCHEMA.names, *more.values(), *spec.partition_columns])
    table.run(spark, f"INSERT INTO {name} SELECT {columns} FROM written")
    return table


def _types(spec: Spec) -> list[str]:
    return [f"{column} {TYPES[column]}" for column in spec.partition_columns]
