"""Writes a failing case as a Python script that needs nothing of this suite."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from support.random_profiles import FAILURES
from support.random_tables.queries import Query
from support.random_tables.settings import REFERENCE, Settings
from support.random_tables.table import RandomTable

_HEAD = '''"""{what}"""

import datetime
import os
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession

import limit_pruning

os.environ["TZ"] = "UTC"
nan, inf = float("nan"), float("inf")
folder = Path(tempfile.mkdtemp())


def write(path, schema, groups, **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    with pq.ParquetWriter(path, schema, **options) as writer:
        for group in groups:
            columns = [pa.array(group[name], schema.field(name).type) for name in schema.names]
            writer.write_table(pa.table(columns, schema=schema))


def rows(query, **settings):
    for key, value in settings.items():
        spark.conf.set(key, value)
    return [repr(tuple(row)) for row in spark.sql(query).collect()]


spark = limit_pruning.configure(SparkSession.builder.master("local[2]")).getOrCreate()
spark.sparkContext.setLogLevel("ERROR")
'''

_TAIL = """spark.read.schema({ddl!r}).parquet(str(folder)).createOrReplaceTempView("t")
for key, value in {settings!r}.items():
    spark.conf.set(key, value)
query = {query!r}
print(limit_pruning.report(spark.sql(query)))
found = rows(query)
matching = rows({reference!r}, **{plain!r})
print("found", *found, "matching", *matching, sep="\\n  ")
assert len(found) == {due}, f"{{len(found)}} rows, not {due}"
{compare}"""


def script(table: RandomTable, settings: Settings, query: Query, matches: int, what: str) -> str:
    """Return the text of a script that fails as the case did."""
    names = ", ".join(f"`{name}`" for name in query.columns)
    where = f" WHERE ({query.predicate.sql}) IS TRUE" if query.predicate else ""
    counted = query.shape == "count"
    tail = _TAIL.format(
        ddl=table.ddl,
        settings=settings,
        query=query.sql(matches),
        reference=f"SELECT {names} FROM t{where}",
        plain=REFERENCE,
        due=1 if counted else query.rows_due(matches),
        compare=f'assert found == ["({query.rows_due(matches)},)"]\n'
        if counted
        else "assert not Counter(found) - Counter(matching), Counter(found) - Counter(matching)\n",
    )
    return _HEAD.format(what=what.replace("\\", "\\\\").replace('"', "'")) + _writes(table) + tail


def save(text: str) -> Path:
    """Write the script to where failures are kept; a smaller one replaces it."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    path = FAILURES / "random_table.py"
    path.write_text(text)
    return path


def _writes(table: RandomTable) -> str:
    lines = []
    for file in table.files:
        fields = ", ".join(f"({field.name!r}, {_arrow(field.type)})" for field in file.schema)
        lines.append(
            f"write(\n    folder / {file.path!r},\n    pa.schema([{fields}]),\n    [\n"
            + "".join(f"        {group!r},\n" for group in file.groups)
            + f"    ],\n    **{file.options!r},\n)\n"
        )
    return "".join(lines) + (_rewrite(table) if table.spark else "")


def _rewrite(table: RandomTable) -> str:
    assert table.spark
    partition = '.partitionBy("p")' if table.partition else ""
    return (
        f"source, folder = folder, folder / 'written'\n"
        f"for key, value in {table.spark.settings!r}.items():\n    spark.conf.set(key, value)\n"
        f"ordered = spark.read.schema({table.ddl!r}).parquet(str(source))"
        '.coalesce(1).sortWithinPartitions("id")\n'
        f"ordered.write.options(**{table.spark.options!r}){partition}.parquet(str(folder))\n"
    )


def _arrow(kind: Any) -> str:
    """Return the Python expression for a type of pyarrow."""
    if pa.types.is_struct(kind):
        return f"pa.struct([{', '.join(f'({f.name!r}, {_arrow(f.type)})' for f in kind)}])"
    if pa.types.is_decimal(kind):
        return f"pa.decimal128({kind.precision}, {kind.scale})"
    if pa.types.is_timestamp(kind):
        return f"pa.timestamp({kind.unit!r}, {kind.tz!r})"
    names = {"bool": "bool_", "float": "float32", "double": "float64", "date32[day]": "date32"}
    return f"pa.{names.get(str(kind), str(kind))}()"
