"""Tables in an object store, read by S3A from a server that speaks the protocol of S3."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from support import tables
from support.applications.application import Application
from support.object_store import stored_tables
from support.object_store.buckets import Bucket
from support.object_store.changes import (
    BEFORE,
    CHANGES,
    COVERED,
    NOT_COVERED,
    ORDERED,
    SOME_PAGES,
    Change,
    Changing,
    is_answered,
)
from support.object_store.seen import seen_by
from support.object_store.stored_tables import PAGES, READ, Case

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.s3]

STORES = ["milliseconds", "seconds", "classic"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The tables that no test changes, as local files."""
    folder = tmp_path_factory.mktemp("tables")
    stored_tables.write(folder)
    return folder


@pytest.fixture(scope="module", params=STORES)
def bucket(request: pytest.FixtureRequest, address: str, written: Path) -> Bucket:
    """Stores whose listings have milliseconds, or not, and S3A's two kinds of streams."""
    bucket = Bucket(address, request.param)
    bucket.upload(written, "tables")
    return bucket


def test_listings_have_milliseconds_where_the_answer_to_head_has_not(
    app: Application, bucket: Bucket
) -> None:
    key = "tables/numbers/1.parquet"
    listed, head = bucket.times(key)
    assert head.microsecond == 0
    assert listed.replace(microsecond=0) == head
    assert (listed == head) == (bucket.name == "seconds")
    assert app.times(bucket.url(key)) == [int(time.timestamp() * 1000) for time in (listed, head)]


@pytest.mark.parametrize("case", READ.values(), ids=READ.keys())
def test_the_rows_are_right(app: Application, bucket: Bucket, written: Path, case: Case) -> None:
    query = case.sql.format(table=f"parquet.`{bucket.url(f'tables/{case.table}')}`")
    with app.conf(case.settings):
        answer = app.sql(query)
    assert answer.error is None
    ids = [row["id"] for row in answer.rows]
    assert len(ids) == case.rows
    assert Counter(ids) <= Counter(stored_tables.allowed(case, written))
    assert case.first is None or ids == case.first
    limit = answer.limit
    assert limit["covered"] == (case.reason is None)
    assert (limit["reason"] or {"code": None})["code"] == case.reason
    assert bool(limit["rows"]["cut"]) == case.cuts


@pytest.fixture
def changing(bucket: Bucket, tmp_path: Path) -> Changing:
    """A table that a test may change."""
    table = Changing(bucket, f"changing/{tmp_path.name}", tmp_path / "scratch.parquet")
    table.write()
    return table


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_table_that_changes_between_planning_and_running_gives_rows_of_one_state(
    app: Application, changing: Changing, change: Change
) -> None:
    table = f"parquet.`{changing.url}`"
    with app.conf(PAGES):
        resting_on_footers = [app.plan(sql.format(table)) for sql in (COVERED, SOME_PAGES, ORDERED)]
        not_covered = app.plan(NOT_COVERED.format(table))
    change.of(changing)
    for answer in map(app.run, resting_on_footers):
        assert is_answered(answer, BEFORE) == (change.error is None)
        assert (change.error or "None") in str(answer.error)
    is_answered(app.run(not_covered), BEFORE, change.after)
    # The advice of the error helps.
    assert is_answered(app.sql(COVERED.format(table)), change.after)


@pytest.mark.parametrize("bucket", ["milliseconds", "seconds"], indirect=True)
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_a_table_that_changes_between_queries_gives_rows_of_one_state(
    app: Application, changing: Changing, change: Change
) -> None:
    view, path = f"view_{changing.scratch.parent.name}", f"parquet.`{changing.url}`"
    app.rows(f"CREATE TEMPORARY VIEW {view} USING parquet OPTIONS (path '{changing.url}')")
    by_old_listing, by_new_listing = COVERED.format(view), ORDERED.format(path)
    assert is_answered(app.sql(by_old_listing), BEFORE)
    assert is_answered(app.sql(by_new_listing), BEFORE)
    change.of(changing)
    is_answered(app.sql(by_old_listing), BEFORE, change.after)
    is_answered(app.sql(by_new_listing), change.after)
    app.rows(f"REFRESH TABLE {view}")
    assert is_answered(app.sql(by_old_listing), change.after)
    assert is_answered(app.sql(by_new_listing), change.after)


def test_a_covered_limit_reads_no_other_objects_than_the_selected_ones(
    app: Application, address: str, tmp_path: Path
) -> None:
    tables.numbered_files(tmp_path)  # four rows in each
    folder = Bucket(address, "classic").upload(tmp_path, "four")
    app.rows(f"CREATE TEMPORARY VIEW four USING parquet OPTIONS (path '{folder}')")
    sql = "SELECT id FROM four WHERE c >= 8 AND c < 12 LIMIT 4"
    until_found, selected = [{f"classic/four/{n}.parquet" for n in ns} for ns in ((0, 1, 2), (2,))]
    last = {"classic/four/3.parquet"}
    first = seen_by(app, address, sql)
    # Footers are requested in parallel. The search ends with that of file 2: by then, that of file
    # 3 has been read, is being read, or was not requested.
    assert until_found <= first.planning.objects("GET") <= until_found | last
    again = seen_by(app, address, sql)
    assert again.planning.objects("GET") <= last
    for seen in (first, again):
        assert sorted(row["id"] for row in seen.answer.rows) == [8, 9, 10, 11]
        assert seen.answer.limit["files"]["scanned"] == 1
        assert seen.running.objects("GET") == selected
        assert seen.running.objects("GET", "HEAD", "LIST") == selected


@pytest.fixture(scope="module", params=["path", "catalog"])
def sightings(
    request: pytest.FixtureRequest, app: Application, address: str, written: Path
) -> Iterator[str]:
    """A partitioned table, as Spark may know it; the catalog's partitions are listed each time."""
    folder = Bucket(address, "classic").upload(written / "sightings", "sightings")
    if request.param == "path":
        yield f"parquet.`{folder}`"
    else:
        with app.conf({"spark.sql.hive.filesourcePartitionFileCacheSize": "0"}):
            columns = "(id BIGINT, s INT, species STRING, day DATE)"
            options = f"USING parquet PARTITIONED BY (day) LOCATION '{folder}'"
            app.rows(f"CREATE TABLE listed {columns} {options}")
            app.rows("ALTER TABLE listed RECOVER PARTITIONS")
            yield "listed"
            app.rows("DROP TABLE listed")


# The others are read by Spark's own scan, which lists a catalog's partitions when it runs.
PLANNED = [name for name, case in READ.items() if case.table == "sightings" and not case.reason]


@pytest.mark.parametrize("name", PLANNED)
def test_nothing_is_listed_while_a_query_runs(
    app: Application, address: str, sightings: str, name: str
) -> None:
    case = READ[name]
    with app.conf(case.settings):
        seen = seen_by(app, address, case.sql.format(table=sightings))
    assert seen.answer.error is None
    assert seen.running.count("GET") > 0
    assert seen.running.objects("LIST") == set()
