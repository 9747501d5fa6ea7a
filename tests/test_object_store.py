"""Tables in an object store, read by S3A from a server that speaks the protocol of S3."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

import application
import object_store
import oracle
import s3a
import tables
from application import Application
from buckets import Bucket
from runs import ENABLED


@pytest.fixture(scope="module")
def s3a_jars() -> Path:
    """The JARs of S3A; where they cannot be had these tests are skipped, but in CI they fail."""
    try:
        return s3a.jars()
    except s3a.NotToBeHadError as error:
        (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(str(error))


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of an object store."""
    pytest.importorskip("moto.server")
    with object_store.running(tmp_path_factory.mktemp("store")) as address:
        yield address


@pytest.fixture(scope="module")
def app(
    s3a_jars: Path, address: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Application]:
    """An application that reads from the store."""
    folder = tmp_path_factory.mktemp("application")
    with application.running(s3a.settings(address, s3a_jars), folder) as started:
        yield started


@pytest.fixture(scope="module", params=["milliseconds", "seconds", "classic"])
def bucket(request: pytest.FixtureRequest, address: str) -> Bucket:
    """Stores whose listings have milliseconds, or not, and S3A's two kinds of streams."""
    return Bucket(address, request.param)


def test_listings_have_milliseconds_and_heads_have_not(
    app: Application, bucket: Bucket, tmp_path: Path
) -> None:
    tables.numbered_files(tmp_path, 2)
    bucket.upload(tmp_path, "times")
    listed, head = bucket.times("times/1.parquet")
    assert head.microsecond == 0
    assert listed.replace(microsecond=0) == head
    assert (listed == head) == (bucket.name == "seconds")
    in_listing, in_status = app.times(bucket.url("times/1.parquet"))
    assert in_status % 1000 == 0
    assert in_listing // 1000 == in_status // 1000
    assert (in_listing == in_status) == (bucket.name == "seconds")


def test_a_covered_limit_gives_the_rows(app: Application, bucket: Bucket, tmp_path: Path) -> None:
    table = tables.sightings(tmp_path)
    folder = bucket.upload(table.path, "sightings")
    query = f"SELECT id, s FROM parquet.`{folder}` WHERE s >= 4 LIMIT 25"
    answer = app.sql(query)
    assert answer.limit["covered"]
    allowed = {row["id"] for row in oracle.read(table.path) if row["s"] >= 4}
    with app.conf({ENABLED: "false"}):
        plain = app.rows(query)
    for rows in (answer.rows, plain):
        assert len({row["id"] for row in rows}) == len(rows) == 25
        assert {row["id"] for row in rows} <= allowed
