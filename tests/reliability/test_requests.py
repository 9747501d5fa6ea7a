"""How many requests to an object store a LIMIT costs, beside plain Spark."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from support.applications.application import Application
from support.object_store.buckets import Bucket
from support.object_store.seen import Seen, seen_by

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.s3]

FILES, ROW_GROUPS, ROWS = 6, 3, 20_000
UNPROVABLE = "SELECT * FROM {table} WHERE k % 7 = 3 LIMIT 10"
KINDS = ("GET", "HEAD", "LIST")
PLAIN = {"spark.limitPruning.enabled": "false"}


def write(folder: Path) -> None:
    """Write files that are clustered by `id`, with dictionaries of `k` far from their footers."""
    numbers = random.Random(7)
    total = ROW_GROUPS * ROWS
    for part in range(FILES):
        table = pa.table(
            {
                "id": range(part * total, (part + 1) * total),
                "k": [numbers.randrange(1000) for _ in range(total)],
                "v": [numbers.random() for _ in range(total)],
            }
        )
        file = folder / f"{part}.parquet"
        pq.write_table(table, file, row_group_size=ROWS, write_page_index=True)


@pytest.fixture(scope="module")
def bucket(address: str, tmp_path_factory: pytest.TempPathFactory) -> Bucket:
    """A store with one table, read by streams that make the requests that they are asked for."""
    folder = tmp_path_factory.mktemp("table")
    write(folder)
    bucket = Bucket(address, "classic")
    bucket.upload(folder, "table")
    return bucket


@pytest.fixture
def table(app: Application, bucket: Bucket) -> str:
    """The table as a view that is listed, and of which no footer is cached."""
    url = bucket.url("table")
    app.rows(f"CREATE OR REPLACE TEMPORARY VIEW requested USING parquet OPTIONS (path '{url}')")
    app.rows(f"REFRESH '{url}'")
    app.rows("SELECT * FROM requested WHERE id < 0")
    return "requested"


def count(seen: Seen) -> int:
    """Return the requests of planning and running."""
    assert seen.answer.error is None
    return seen.planning.count(*KINDS) + seen.running.count(*KINDS)


def both(app: Application, address: str, sql: str) -> tuple[Seen, Seen]:
    """Run a query with LIMIT pruning for the first time, and without it."""
    ours = seen_by(app, address, sql)
    with app.conf(PLAIN):
        return ours, seen_by(app, address, sql)


@pytest.mark.parametrize("predicate", ["id >= 0", "id >= 30000", "k < 1000"])
def test_a_covered_limit_makes_at_most_four_requests_more(
    app: Application, address: str, table: str, predicate: str
) -> None:
    sql = f"SELECT * FROM {table} WHERE {predicate} LIMIT 10"
    ours, plain = both(app, address, sql)
    assert ours.answer.limit["covered"]
    # One round trip: nothing is read besides the ends of the first four files. Where the others
    # are enough before the last is asked for, it is not read.
    assert 1 <= ours.planning.count(*KINDS) <= 4
    assert len(ours.planning.objects("GET")) == ours.planning.count(*KINDS)
    assert count(ours) <= count(plain) + 4


def test_a_limit_without_a_predicate_makes_no_request_more(
    app: Application, address: str, table: str
) -> None:
    ours, plain = both(app, address, f"SELECT * FROM {table} LIMIT 10")
    assert ours.answer.limit["reason"]["code"] == "at-root"
    assert ours.planning.count(*KINDS) == 0
    assert count(ours) == count(plain)


def test_an_unprovable_limit_makes_at_most_eight_requests_more_and_then_none(
    app: Application, address: str, table: str
) -> None:
    sql = UNPROVABLE.format(table=table)
    ours, plain = both(app, address, sql)
    assert ours.answer.limit["reason"]["code"] == "not-clustered"
    assert count(ours) <= count(plain) + 8
    again = seen_by(app, address, sql)
    assert again.answer.limit["reason"]["code"] == "not-clustered"
    assert again.planning.count(*KINDS) == 0
    assert count(again) == count(plain)


def test_what_an_unprovable_predicate_showed_is_forgotten_with_its_table(
    app: Application, address: str, table: str
) -> None:
    sql = UNPROVABLE.format(table=table)
    first = seen_by(app, address, sql).planning.count(*KINDS)
    assert first > 0
    assert seen_by(app, address, sql).planning.count(*KINDS) == 0
    app.rows(f"REFRESH TABLE {table}")
    again = seen_by(app, address, sql)
    assert again.planning.count("GET", "HEAD") == first


def test_an_ordered_limit_reads_each_footer_once(
    app: Application, address: str, table: str
) -> None:
    ours, plain = both(app, address, f"SELECT * FROM {table} ORDER BY id DESC LIMIT 10")
    assert ours.answer.limit["covered"]
    assert [row["id"] for row in ours.answer.rows] == [row["id"] for row in plain.answer.rows]
    assert ours.planning.count(*KINDS) == FILES
    assert count(ours) < count(plain)
