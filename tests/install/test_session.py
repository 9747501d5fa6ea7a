"""Checking that the extension is active in a session, and disabling it for a block."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from inspect import isfunction, signature
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import DataFrame, SparkSession

import limit_pruning
from support.runs import ENABLED, conf
from support.tables import Table

QUERY = "SELECT * FROM tracking_data WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"


def test_verify_passes(spark: SparkSession) -> None:
    limit_pruning.verify(spark)
    limit_pruning.verify(spark.newSession())


def test_the_class_in_the_jvm_is_looked_up_once(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit_pruning.verify(spark)
    monkeypatch.delattr("limit_pruning._bridge._new_instance")
    limit_pruning.verify(spark.newSession())
    assert not limit_pruning.report(spark.range(1)).limits


def without_init(kind: type) -> Any:
    """Return an instance of a class of PySpark, without the JVM that its constructor needs."""
    return object.__new__(kind)


def session_of(version: str) -> SparkSession:
    """Return a classic session of another version of Spark."""
    session: SparkSession = without_init(type("Other", (SparkSession,), {"version": version}))
    return session


@pytest.mark.parametrize("version", ["3.4.4", "4.4.0", "5.0.0", "40.1", "unknown"])
def test_verify_refuses_other_versions(version: str) -> None:
    with pytest.raises(limit_pruning.UnsupportedSparkVersionError, match=rf"{version}.*4\.0, 4\.1"):
        limit_pruning.verify(session_of(version))


@pytest.mark.parametrize("version", ["3.4.4", "unknown"])
def test_other_versions_are_not_active(version: str) -> None:
    assert not limit_pruning.is_active(session_of(version))


CLASSIC_OR_CONNECT = "a classic or a Spark Connect SparkSession"
CALLS: dict[str, Callable[[Any], object]] = {
    "verify": limit_pruning.verify,
    "history": limit_pruning.history,
    "totals": limit_pruning.totals,
    "inspect": lambda spark: limit_pruning.inspect(spark, "t"),
    "is_active": limit_pruning.is_active,
    "disabled": lambda spark: limit_pruning.disabled(spark).__enter__(),
}
NO_SESSIONS: dict[str, Any] = {
    "NoneType": None,
    "str": "local[1]",
    "type": SparkSession,
    "Builder": SparkSession.builder,
    "SparkContext": without_init(SparkContext),
    "DataFrame": without_init(DataFrame),  # its repr would need the JVM
    "Column": type("Column", (), {"__module__": "pyspark.sql.connect.column"})(),
}


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("found", NO_SESSIONS)
def test_what_is_no_session_is_named_in_one_line(call: str, found: str) -> None:
    with pytest.raises(TypeError) as error:
        CALLS[call](NO_SESSIONS[found])
    assert str(error.value) == f"{call}() takes {CLASSIC_OR_CONNECT} as spark, not {found}"


def test_every_function_that_takes_a_session_is_among_them() -> None:
    public = [getattr(limit_pruning, name) for name in limit_pruning.__all__]
    functions = [function for function in public if isfunction(function)]
    taking = {each.__name__ for each in functions if "spark" in signature(each).parameters}
    assert taking == CALLS.keys()


@pytest.mark.parametrize(
    ("value", "active"), [("true", True), ("false", False), ("TRUE", True), ("False", False)]
)
def test_a_session_is_active_unless_it_is_disabled(
    spark: SparkSession, value: str, active: bool
) -> None:
    assert limit_pruning.is_active(spark)
    assert limit_pruning.is_active(spark.newSession())
    with conf(spark, {ENABLED: value}):
        assert limit_pruning.is_active(spark) == active


def test_disabled_for_a_block(spark: SparkSession, wildlife: Table) -> None:
    with limit_pruning.disabled(spark):
        assert not limit_pruning.is_active(spark)
        plain = spark.sql(QUERY)
        limit = limit_pruning.report(plain).only
        assert (limit.covered, limit.files.total) == (False, None)
        assert len(plain.collect()) == min(3, len(wildlife.rows))
        assert limit_pruning.is_active(spark.newSession())
    assert limit_pruning.is_active(spark)
    assert limit_pruning.report(spark.sql(QUERY)).only.covered
    assert not limit_pruning.report(plain).only.covered


@pytest.mark.parametrize("before", [None, "true", "false", "TRUE"])
def test_disabled_restores_what_was_set_before(spark: SparkSession, before: str | None) -> None:
    session = spark.newSession()
    if before is not None:
        session.conf.set(ENABLED, before)
    with limit_pruning.disabled(session):
        with limit_pruning.disabled(session):
            assert session.conf.get(ENABLED) == "false"
        assert session.conf.get(ENABLED) == "false"
    assert session.conf.get(ENABLED, None) == before


def test_disabled_restores_after_an_error(spark: SparkSession) -> None:
    with pytest.raises(RuntimeError, match="in the block"), limit_pruning.disabled(spark):
        raise RuntimeError("in the block")
    assert spark.conf.get(ENABLED, None) is None


NOT_ACTIVE = """
import limit_pruning, sys
from pyspark.sql import SparkSession
builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
if sys.argv[1] == "jar_only":
    builder = builder.config("spark.jars", str(limit_pruning.jar_path()))
spark = builder.getOrCreate()
for call in (lambda: limit_pruning.verify(spark), lambda: limit_pruning.report(spark.range(1))):
    try:
        call()
    except limit_pruning.ExtensionNotActiveError as error:
        print("NOT ACTIVE:", error)
print("is active:", limit_pruning.is_active(spark))
with limit_pruning.disabled(spark):
    print("rows:", spark.range(9).limit(2).count())
print("left:", spark.conf.get("spark.limitPruning.enabled", None))
spark.stop()
"""


@pytest.mark.spark
@pytest.mark.slow
@pytest.mark.parametrize("start", ["plain", "jar_only"])
def test_verify_and_report_say_that_the_extension_is_not_active(start: str) -> None:
    script = [sys.executable, "-c", NOT_ACTIVE, start]
    run = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120)
    lines = [line for line in run.stdout.splitlines() if line.startswith("NOT ACTIVE")]
    assert len(lines) == 2
    assert all("limit_pruning.configure" in line for line in lines)
    assert run.stdout.endswith("is active: False\nrows: 2\nleft: None\n")
