"""Makes the files beside it, each with the very writer that is at fault; see README.md.

Run it here, in an environment that has one version of one writer: ``python make.py pyarrow``.
"""

# The writers are not installed where mypy runs.
# mypy: ignore-errors
from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from tempfile import TemporaryDirectory

NAN = float("nan")
IDS = list(range(8))
NUMBERS = [1, None, 2, None, 3, 4, None, 5]
TEXTS = ["a", None, "b", None, "c", "a", None, "b"]
DOUBLES = [1.0, NAN, 2.0, 3.0, NAN, 3.0, 2.5, 2.0]
ALL_NAN = [NAN] * 8
DECIMALS = [Decimal(text) for text in ("-1.50", "2.25", "0.00", "-7.00")] * 2


def pyarrow():
    """Dictionary arrays, with nulls and in chunks."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    version = pa.__version__
    nulls = pa.table({"id": IDS, "s": pa.array(TEXTS).dictionary_encode()})
    pq.write_table(nulls, f"pyarrow-{version}-nulls.parquet")
    chunks = [pa.array(values).dictionary_encode() for values in (["m", "n", "o"], ["zzz", "a"])]
    batches = [
        pa.record_batch([pa.array(ids, pa.int64()), chunk], names=["id", "s"])
        for ids, chunk in zip([[0, 1, 2], [3, 4]], chunks)  # noqa: B905 -- Python 3.8 has no `strict`
    ]
    table = pa.Table.from_batches(batches).unify_dictionaries()
    pq.write_table(table, f"pyarrow-{version}-chunks.parquet")
    doubles = pa.table({"id": IDS, "d": DOUBLES, "n": ALL_NAN})
    pq.write_table(doubles, f"pyarrow-{version}-nan.parquet")


def polars():
    """A page per value; nulls, categories, decimals and NaN."""
    import polars as pl

    version = pl.__version__
    frame = pl.DataFrame({"id": IDS, "i": NUMBERS, "s": TEXTS, "d": DOUBLES, "n": ALL_NAN})
    frame = frame.with_columns(pl.col("s").cast(pl.Categorical).alias("c"))
    options = {"statistics": True, "compression": "uncompressed"}
    if not version.startswith("0."):
        frame = frame.with_columns(pl.Series("m", DECIMALS).cast(pl.Decimal(30, 2)))
        options["data_page_size"] = 1
    frame.write_parquet(f"polars-{version}.parquet", **options)
    if not version.startswith("0."):
        half = pl.DataFrame({"id": [0, 1], "s": [None, "x"]})
        half.write_parquet(f"polars-{version}-half.parquet", **options)


def duckdb():
    """Row groups of the smallest size, of which the last has as many nulls as all before it."""
    import duckdb as db

    connection = db.connect()
    connection.execute(
        "COPY (SELECT n AS id, CASE WHEN is_null THEN NULL ELSE 1 END AS i,"
        " CASE WHEN is_null THEN NULL ELSE 'x' END AS s,"
        " CASE WHEN is_null THEN 'NaN'::DOUBLE ELSE 1 END AS d"
        " FROM (SELECT n, n % (CASE WHEN n < 4096 THEN 4 ELSE 2 END) = 0 AS is_null"
        " FROM range(6144) numbers(n)))"
        f" TO 'duckdb-{db.__version__}.parquet' (FORMAT parquet, ROW_GROUP_SIZE 2048, CODEC zstd)"
    )


def fastparquet():
    """Texts with nulls, and NaN among doubles that are required."""
    import fastparquet as fp
    import pandas as pd

    frame = pd.DataFrame({"id": IDS, "d": DOUBLES, "n": ALL_NAN, "s": TEXTS})
    name = f"fastparquet-{fp.__version__}.parquet"
    fp.write(name, frame, stats=True, has_nulls=["s"])


def _table():
    import pyarrow as pa

    decimals = pa.array(DECIMALS, pa.decimal128(30, 2))
    columns = {"id": IDS, "i": NUMBERS, "s": TEXTS, "d": DOUBLES, "n": ALL_NAN}
    return pa.table({**columns, "m": decimals})


def _only_file(folder, name):
    (file,) = Path(folder).glob("*.parquet")
    file.rename(f"{name}.parquet")


def deltalake():
    """What delta-rs writes into a Delta table, by Arrow Rust."""
    import deltalake as dl

    with TemporaryDirectory() as folder:
        dl.write_deltalake(folder, _table())
        _only_file(folder, f"delta-rs-{dl.__version__}")


def datafusion():
    """What DataFusion writes, by Arrow Rust."""
    import datafusion as df

    with TemporaryDirectory() as folder:
        df.SessionContext().from_arrow(_table()).write_parquet(folder)
        _only_file(folder, f"datafusion-{df.__version__}")


if __name__ == "__main__":
    makers = [pyarrow, polars, duckdb, fastparquet, deltalake, datafusion]
    {maker.__name__: maker for maker in makers}[sys.argv[1]]()
