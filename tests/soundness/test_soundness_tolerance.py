"""Clusters that skip missing and corrupt files: an answer is never short of rows that exist."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from py4j.protocol import Py4JJavaError

import limit_pruning
from support.runs import ENABLED, VECTORIZED, conf, planned
from support.tables import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pyspark.sql import DataFrame, SparkSession

FILES, ROW_GROUPS, ROWS = 7, 3, 20
PER_FILE = ROW_GROUPS * ROWS
SCHEMA = pa.schema([("id", pa.int64()), ("c", pa.int64()), ("s", pa.string())])
DDL = "id BIGINT, c BIGINT, s STRING"
WHERE = "c >= 10"
MISSING, CORRUPT = "spark.sql.files.ignoreMissingFiles", "spark.sql.files.ignoreCorruptFiles"
READERS = {"vectorized": "true", "row-based": "false"}
# The LIMIT needs one row group, one file, two files.
LIMITS = (15, 50, 100)


def values(file: int, row_group: int) -> list[int]:
    """No row of file 0 matches, some of file 5, all of the others."""
    low = {0: -100, 5: 0}.get(file, 10)
    return [low + (row_group * ROWS + row) % 20 for row in range(ROWS)]


def write_file(folder: Path, number: int, sign: int = 1) -> Path:
    groups = [
        {
            "id": [(number * 100 + row_group) * 1000 + row for row in range(ROWS)],
            "c": [sign * value for value in values(number, row_group)],
            "s": [f"{number}-{row_group}-{row}" * 3 for row in range(ROWS)],
        }
        for row_group in range(ROW_GROUPS)
    ]
    # Small pages: a row group has several, so that rows before a corrupt page can be returned.
    return write(
        folder / f"{number}.parquet",
        groups,
        SCHEMA,
        data_page_size=1,
        write_batch_size=4,
        use_dictionary=False,
        compression="snappy",
    )


def write_table(folder: Path) -> list[Path]:
    return [write_file(folder, number) for number in range(FILES)]


def deleted(file: Path) -> None:
    file.unlink()


def truncated(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-40])


def cut_in_half(file: Path) -> None:
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])


def emptied(file: Path) -> None:
    file.write_bytes(b"")


def not_parquet(file: Path) -> None:
    file.write_bytes(b"no Parquet" * 9)


def overwrite(file: Path, start: int, length: int) -> None:
    data = bytearray(file.read_bytes())
    data[start : start + length] = b"\0" * length
    file.write_bytes(bytes(data))


def corrupt_chunk(row_group: int, column: int, part: float) -> Callable[[Path], None]:
    """Overwrite a column chunk from a place on, which leaves the footer as it is."""

    def damage(file: Path) -> None:
        chunk = pq.read_metadata(file).row_group(row_group).column(column)
        skipped = int(chunk.total_compressed_size * part)
        overwrite(file, chunk.data_page_offset + skipped, chunk.total_compressed_size - skipped)

    damage.__name__ = f"corrupt_{row_group}_{column}_{part}"
    return damage


LOST = [deleted, truncated, cut_in_half, emptied, not_parquet]
PAGES = [
    corrupt_chunk(row_group, column, part)
    for row_group in (0, 1)
    for column in (1, 2)
    for part in (0.0, 0.5)
]


@contextmanager
def tolerant(
    spark: SparkSession, *settings: str, reader: str = "vectorized", **others: str
) -> Iterator[None]:
    """Skip bad files, and return rows in small batches, so that some come before a corrupt page."""
    every = {
        **dict.fromkeys(settings, "true"),
        **others,
        VECTORIZED: READERS[reader],
        "spark.sql.parquet.columnarReaderBatchSize": "4",
        "spark.limitPruning.pages.minBytes": "0",
    }
    with conf(spark, every):
        yield


def read(spark: SparkSession, folder: Path, **options: str) -> DataFrame:
    return spark.read.options(**options).schema(DDL).parquet(str(folder))


def with_reserve(df: DataFrame) -> bool:
    """Return whether the plan reads chosen row groups, and has others in reserve."""
    plan = str(df._jdf.queryExecution().executedPlan())
    return "LimitPrunedScan" in plan and "Reserve: " in plan


def plain(spark: SparkSession, frame: DataFrame) -> list[tuple[object, ...]]:
    """Return all matching rows that Spark alone returns, with the files as they are now."""
    with conf(spark, {ENABLED: "false"}):
        return [tuple(row) for row in frame.where(WHERE).collect()]


def hold(
    spark: SparkSession,
    frame: DataFrame,
    limited: Sequence[tuple[int, DataFrame]],
    matching: set[tuple[object, ...]],
    *,
    exactly: bool,
) -> None:
    """Hold answers over damaged files to plain Spark's, and their rows to those of the table."""
    found = len(plain(spark, frame))
    for limit, df in limited:
        rows = [tuple(row) for row in df.collect()]
        assert len(set(rows)) == len(rows), "a row is returned twice"
        assert set(rows) <= matching, "a row that does not match"
        if exactly:
            assert len(rows) == min(limit, found)
        assert min(limit, found) <= len(rows) <= limit


def run_damaged(
    spark: SparkSession,
    folder: Path,
    damage: Callable[[list[Path]], None],
    *,
    exactly: bool = True,
    options: dict[str, str] | None = None,
    limits: Sequence[int] = LIMITS,
    before_planning: bool = False,
) -> None:
    files = write_table(folder)
    frame = read(spark, folder, **(options or {}))
    matching = set(plain(spark, frame))
    frame = read(spark, folder, **(options or {}))
    if before_planning:
        frame.schema, frame.inputFiles()
        damage(files)
    limited = [(limit, planned(frame.where(WHERE).limit(limit))) for limit in limits]
    for _, df in limited:
        assert with_reserve(df)
    if not before_planning:
        damage(files)
    hold(spark, frame, limited, matching, exactly=exactly)


def each(*numbers: int, fault: Callable[[Path], None]) -> Callable[[list[Path]], None]:
    def damage(files: list[Path]) -> None:
        for number in numbers:
            fault(files[number])

    return damage


def test_line_76_the_reserve_is_read_only_if_it_is_needed(
    spark: SparkSession, tmp_path: Path
) -> None:
    write_table(tmp_path)
    with tolerant(spark, MISSING, CORRUPT):
        df = read(spark, tmp_path).where(WHERE).limit(25)
        assert len(df.collect()) == 25
        limit = limit_pruning.report(df).only
        assert limit.covered
        assert limit.row_groups.scanned == limit.row_groups.read == 2
        assert limit.row_groups.reserve == 1
        assert limit.files.reserve == FILES - 2
        assert not limit.row_filter_skipped
        assert df.rdd.getNumPartitions() == 1


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize(
    "files", [(1,), (1, 2), (1, 2, 3, 4), (2, 6), tuple(range(FILES))], ids=str
)
def test_line_76_a_chosen_file_that_is_lost_after_planning(
    spark: SparkSession,
    tmp_path: Path,
    fault: Callable[[Path], None],
    reader: str,
    files: tuple[int, ...],
) -> None:
    with tolerant(spark, MISSING, CORRUPT, reader=reader):
        run_damaged(spark, tmp_path, each(*files, fault=fault))


@pytest.mark.parametrize("where", ["settings", "options"])
@pytest.mark.parametrize(
    ("setting", "fault"), [(MISSING, deleted), (CORRUPT, truncated), (CORRUPT, cut_in_half)]
)
def test_line_76_one_setting_or_option(
    spark: SparkSession, tmp_path: Path, where: str, setting: str, fault: Callable[[Path], None]
) -> None:
    options = {setting.rsplit(".", 1)[1]: "true"} if where == "options" else {}
    with tolerant(spark, *([] if options else [setting])):
        run_damaged(spark, tmp_path, each(1, 3, fault=fault), options=options)


@pytest.mark.parametrize(
    ("setting", "fault"), [(CORRUPT, deleted), (MISSING, truncated), (MISSING, PAGES[0])]
)
def test_line_76_what_is_not_tolerated_is_an_error(
    spark: SparkSession, tmp_path: Path, setting: str, fault: Callable[[Path], None]
) -> None:
    file = write_table(tmp_path)[1]
    with tolerant(spark, setting):
        frame = read(spark, tmp_path)
        df = planned(frame.where(WHERE).limit(15))
        assert with_reserve(df)
        fault(file)
        with pytest.raises(Py4JJavaError):
            plain(spark, frame)
        with pytest.raises(Py4JJavaError):
            df.collect()


@pytest.mark.parametrize("fault", PAGES, ids=lambda fault: str(fault.__name__))
@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("split", ["128m", "2k"])
def test_line_76_a_corrupt_page(
    spark: SparkSession, tmp_path: Path, fault: Callable[[Path], None], reader: str, split: str
) -> None:
    """Spark skips the rest of a split; what it returns before that, and from others, is there."""
    splits = {"spark.sql.files.maxPartitionBytes": split, "spark.sql.files.openCostInBytes": "1k"}
    with tolerant(spark, CORRUPT, reader=reader, **splits):
        limits = (15, 21, 250) if split == "128m" else (15,)
        run_damaged(spark, tmp_path, each(1, 2, 4, fault=fault), exactly=False, limits=limits)


@pytest.mark.parametrize("fault", LOST)
@pytest.mark.parametrize("files", [(1,), (0, 1, 2), tuple(range(1, 6))], ids=str)
def test_line_76_a_file_that_is_lost_before_planning(
    spark: SparkSession, tmp_path: Path, fault: Callable[[Path], None], files: tuple[int, ...]
) -> None:
    with tolerant(spark, MISSING, CORRUPT):
        run_damaged(
            spark, tmp_path, each(*files, fault=fault), before_planning=True, limits=(15, 50)
        )


@pytest.mark.parametrize("fault", [deleted, truncated])
def test_line_76_a_limit_below_other_operators(
    spark: SparkSession, tmp_path: Path, fault: Callable[[Path], None]
) -> None:
    files = write_table(tmp_path)
    with tolerant(spark, MISSING, CORRUPT):
        frame = read(spark, tmp_path)
        frame.createOrReplaceTempView("tolerated")
        within = f"SELECT * FROM tolerated WHERE {WHERE} LIMIT"
        count = planned(spark.sql(f"SELECT count(*) AS n FROM ({within} 50)"))
        joined = planned(
            spark.sql(f"SELECT a.id FROM ({within} 100) a LEFT JOIN range(3) b USING (id)")
        )
        offset = planned(spark.sql(f"{within} 30 OFFSET 40"))
        for df in (count, joined, offset):
            assert with_reserve(df)
        fault(files[1])
        assert count.collect()[0].n == 50
        assert offset.count() == 30
        assert len(offset.collect()) == 30
        assert len(joined.collect()) == 100
        for file in files:
            file.unlink(missing_ok=True)
        assert spark.sql(f"SELECT count(*) AS n FROM ({within} 50)").collect()[0].n == 0


def test_line_76_no_predicate_and_partitions(spark: SparkSession, tmp_path: Path) -> None:
    with tolerant(spark, MISSING, CORRUPT):
        for part in (1, 2):
            write_table(tmp_path / f"p={part}")
        frame = spark.read.parquet(str(tmp_path))
        df = planned(frame.where("p = 2").limit(70))
        root = planned(frame.limit(70))
        assert with_reserve(df)
        assert with_reserve(root)
        for part in (1, 2):
            (tmp_path / f"p={part}" / "0.parquet").unlink()
        rows = df.collect()
        assert len({row.id for row in rows}) == len(rows) == 70
        assert {row.p for row in rows} == {2}
        assert len(root.collect()) == 70


def test_line_77_rows_of_the_reserve_pass_the_filter(spark: SparkSession, tmp_path: Path) -> None:
    """File 5 has rows that do not match. It is the only one that is left."""
    with tolerant(spark, MISSING, CORRUPT):
        run_damaged(spark, tmp_path, each(1, 2, 3, 4, 6, fault=deleted))


def test_line_77_dictionaries_and_pages_exclude_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    """They may be the corrupt part of a file: only footers decide what is never read."""
    schema = pa.schema([("id", pa.int64()), ("c", pa.int64())])
    neither, both, one = [0, 100] * 20, [50, 70] * 20, [50] * 40
    for number, columns in enumerate([[neither, neither, both, one], [neither, both], [both]]):
        groups = [{"id": list(range(40)), "c": column} for column in columns]
        write(tmp_path / f"{number}.parquet", groups, schema, write_page_index=True)
    with tolerant(spark, MISSING, CORRUPT):
        df = planned(spark.read.parquet(str(tmp_path)).where("c IN (50, 70)").limit(70))
        assert with_reserve(df)
        plan = str(df._jdf.queryExecution().executedPlan())
        # Dictionaries decide all row groups but one. Two are chosen.
        assert "Reserve: 5 row groups, 0 files" in plan
        (tmp_path / "0.parquet").unlink()
        assert len(df.collect()) == 70


def other_length(file: Path) -> None:
    groups = [{"id": list(range(90)), "c": [1] * 90, "s": ["x"] * 90}]
    write(file, groups, SCHEMA)


def other_values(file: Path) -> None:
    """Write a file with the same row groups, of which no row matches."""
    write_file(file.parent, int(file.stem), sign=-1)


@pytest.mark.parametrize("fault", [other_length, other_values])
@pytest.mark.parametrize("reader", READERS)
def test_line_78_a_replaced_file_is_an_error_that_is_not_ignored(
    spark: SparkSession, tmp_path: Path, fault: Callable[[Path], None], reader: str
) -> None:
    file = write_table(tmp_path)[1]
    with tolerant(spark, MISSING, CORRUPT, reader=reader):
        limited = [planned(read(spark, tmp_path).where(WHERE).limit(limit)) for limit in LIMITS]
        fault(file)
        for df in limited:
            assert with_reserve(df)
            with pytest.raises(Py4JJavaError) as raised:
                df.collect()
            message = str(raised.value.java_exception.getMessage())
            assert file.as_uri().removeprefix("file://") in message
            assert "REFRESH TABLE" in message


def test_line_78_a_replaced_file_of_the_reserve(spark: SparkSession, tmp_path: Path) -> None:
    files = write_table(tmp_path)
    with tolerant(spark, MISSING, CORRUPT):
        df = planned(read(spark, tmp_path).where(WHERE).limit(30))
        late = planned(read(spark, tmp_path).where(WHERE).limit(110))
        corrupt_chunk(0, 1, 0.0)(files[1])
        other_length(files[3])
        assert len(df.collect()) == 30
        assert len(late.collect()) == 110  # file 3 was not inspected, so it is read as it is


SQL_NOT_PRUNED = {
    "order": f"SELECT * FROM tolerated WHERE {WHERE} ORDER BY c LIMIT 5",
    "distinct": "SELECT DISTINCT c FROM tolerated LIMIT 2",
    "subquery": "SELECT * FROM tolerated WHERE c >= (SELECT max(c) FROM tolerated) LIMIT 5",
}


@pytest.mark.parametrize("shape", SQL_NOT_PRUNED)
@pytest.mark.parametrize("setting", [MISSING, CORRUPT])
def test_line_76_limits_that_need_every_file_are_not_pruned(
    spark: SparkSession, tmp_path: Path, shape: str, setting: str
) -> None:
    write_table(tmp_path)
    with tolerant(spark, setting):
        read(spark, tmp_path).createOrReplaceTempView("tolerated")
        reason = limit_pruning.report(spark.sql(SQL_NOT_PRUNED[shape])).limits[0].reason
        assert reason
        assert reason.code == "tolerates-bad-files"


def test_line_76_too_few_proved_rows_are_not_read_by_one_task(
    spark: SparkSession, tmp_path: Path
) -> None:
    files = write_table(tmp_path)
    files[5].unlink()
    with tolerant(spark, MISSING, CORRUPT, **{"spark.sql.files.maxPartitionBytes": "100"}):
        reason = limit_pruning.report(read(spark, tmp_path).where(WHERE).limit(50)).only.reason
        assert reason
        assert "one task cannot read the rows" in reason.message
    with tolerant(spark, MISSING, CORRUPT):
        frame = read(spark, tmp_path)
        files[6].unlink()  # its footer has not been read, so it may have the missing rows
        df = frame.where(WHERE).limit(400)
        reason = limit_pruning.report(df).only.reason
        assert reason
        assert "too few rows are proved to match" in reason.message
        assert len(df.collect()) == 4 * PER_FILE
