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
    _pyarrow_kinds()


def _pyarrow_kinds():
    """All kinds of columns, in row groups of several pages, with all that this version writes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = range(130)
    words = ["", "z", "\u00e9", "zz", "\U0001f600", "\uffff", "~", "A"]
    doubles = [1.0, NAN, -0.0, 0.0, -2.5, float("-inf"), 1e300]

    def some(skipped, of):
        return [None if n % skipped == 0 else of(n) for n in rows]

    def cents(n):
        return Decimal(n * 7919 % 1000 - 500).scaleb(-2)

    columns = {
        "id": pa.array(rows, pa.int64()),
        "i": pa.array(
            [None if n % 3 == 0 or n // 40 == 2 else n * 31 % 17 - 8 for n in rows], pa.int32()
        ),
        "s": pa.array(some(5, lambda n: words[n * 3 % 8])),
        "d": pa.array([-0.0 if n < 20 else doubles[n % 7] for n in rows]),
        # A page begins with NaN, and alone has other numbers than 1.
        "e": pa.array([1.0 if n // 20 != 2 else n % 2 * 12 - 5.0 if n > 40 else NAN for n in rows]),
        "n": pa.array([NAN for n in rows]),
        "f": pa.array(some(4, lambda n: 0.0 if n % 9 == 8 else n % 9 * -0.5), pa.float32()),
        "m": pa.array([cents(n) * 2**30 for n in rows], pa.decimal128(30, 2)),
        "m9": pa.array(some(7, cents), pa.decimal128(9, 2)),
        "b": pa.array([n >= 20 and n % 3 == 0 for n in rows]),
        "k": pa.array([None if n // 40 == 1 else 5 - n for n in rows], pa.int32()),
        "day": pa.array(some(50, lambda n: 19_000 - n % 31 * 4_000), pa.date32()),
        "ms": pa.array([1_003 * (n // 8 - 12) for n in rows], pa.timestamp("ms", "UTC")),
        "us": pa.array(some(60, lambda n: 1_000_003 * (n // 8)), pa.timestamp("us", "UTC")),
        "x": pa.array([bytes([n * 37 % 256, -n % 256]) for n in rows]),
        "y": pa.array(some(9, lambda n: bytes([n * 37 % 251, n % 4])), pa.binary(2)),
        "long": pa.array(["a" + "\u00fc" * 40 + str(n) if n % 20 == 0 else None for n in rows]),
        "g": pa.array([f"few{n % 2}" if n < 30 else f"text {n * 7919 % 9973}" for n in rows]),
        "u32": pa.array(some(4, lambda n: n % 5 * 0x3000_0000), pa.uint32()),
        "u64": pa.array([n % 5 * 0x3000_0000 << 32 for n in rows], pa.uint64()),
        "none": pa.array([None for n in rows], pa.float64()),
    }
    major = int(pa.__version__.split(".")[0])
    options = {"version": "2.6" if major > 5 else "2.0", "data_page_size": 64}
    if major >= 18:
        options.update(write_page_index=True, write_batch_size=20, dictionary_pagesize_limit=300)
    if major >= 26:
        options["bloom_filter_options"] = {
            name: {"ndv": 10, "fpp": 0.05} for name in columns if name != "b"
        }
    name = f"pyarrow-{pa.__version__}-kinds.parquet"
    pq.write_table(pa.table(columns), name, row_group_size=80, **options)


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
        # Pages with NaN alone have other numbers than 1.
        numbers = [n % 2 * 12 - 5.0 if 20 < n < 39 else 1.0 for n in range(60)]
        numbers[20] = numbers[39] = NAN
        pages = pl.DataFrame({"id": list(range(60)), "d": numbers})
        pages.write_parquet(f"polars-{version}-pages.parquet", **{**options, "data_page_size": 160})
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
    """Texts with nulls, NaN among doubles that are required, and categories in another order."""
    import fastparquet as fp
    import pandas as pd

    frame = pd.DataFrame({"id": IDS, "d": DOUBLES, "n": ALL_NAN, "s": TEXTS})
    name = f"fastparquet-{fp.__version__}.parquet"
    fp.write(name, frame, stats=True, has_nulls=["s"])
    numbers = pd.Categorical([2, 9, 1, 5] * 2, categories=[2, 9, 1, 5])  # min and max: 2 and 5
    texts = pd.Categorical(TEXTS, categories=["b", "c", "a"])
    categories = pd.DataFrame({"id": IDS, "d": DOUBLES, "i": numbers, "s": texts})
    fp.write(f"fastparquet-{fp.__version__}-categories.parquet", categories, stats=True)


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
