"""The contract of the scan: every decision has a test, and this Spark has nothing undecided."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

import limit_pruning
from support.paths import SCALA, SCALA_TESTS, TEST_FILES
from support.runs import ENABLED, conf
from support.scan_tables import is_pruned, partitioned, plain

# What the compiler adds to a case class, and what all nodes of a plan have.
OF_ALL_NODES = {
    *("apply", "canEqual", "copy", "curried", "equals", "hashCode", "toString", "tupled"),
    *("productArity", "productElement", "productElementName", "productIterator", "productPrefix"),
    *("children", "mapChildren", "producedAttributes", "unapply", "withNewChildrenInternal"),
    # The session's settings, as the node reads them: of the trait SessionStateHelper.
    *("getHadoopConf", "getSparkConf", "getSqlConf", "sessionState"),
}


@pytest.fixture
def contract(spark: SparkSession) -> Any:
    """Return the object with the table of decisions."""
    return spark._jvm.limitpruning.tables.ScanContract  # type: ignore[union-attr]


def items(found: Any) -> list[Any]:
    """Return what a sequence of Scala holds."""
    return [found.apply(n) for n in range(found.size())]


def public_methods(spark: SparkSession, name: str) -> set[str]:
    """List the methods of a class or trait of Spark's that are not the compiler's own."""
    loader: Any = spark._jvm.java.lang.Thread.currentThread().getContextClassLoader()  # type: ignore[union-attr]
    methods = loader.loadClass(f"org.apache.spark.sql.execution.{name}").getDeclaredMethods()
    modifier: Any = spark._jvm.java.lang.reflect.Modifier  # type: ignore[union-attr]
    public = {m.getName() for m in methods if modifier.isPublic(m.getModifiers())}
    return {method for method in public if "$" not in method}


def test_every_decision_of_the_contract_has_its_test(contract: Any) -> None:
    names = {clause.test() for clause in items(contract.all())}
    tests = "\n".join(path.read_text() for path in TEST_FILES)
    suites = {path.stem for path in SCALA_TESTS.rglob("*Suite.scala")}
    assert len(names) > 25
    missing = {
        name
        for name in names
        if name not in suites and not re.search(rf"^def {name}\(", tests, re.MULTILINE)
    }
    assert not missing


def test_every_reason_of_the_contract_is_one_that_reports_give(contract: Any) -> None:
    codes = set(
        re.findall(r'Reason\(\s*"([a-z0-9-]+)"', (SCALA / "select/Reason.scala").read_text())
    )
    decisions = [clause.decision() for clause in items(contract.all())]
    refused = [d for d in decisions if d.productPrefix() == "NotPruned"]
    assert len(refused) > 5
    assert {code for decision in refused for code in items(decision.codes())} <= codes


@pytest.mark.usefixtures("planned_at_root")
@pytest.mark.core
def test_this_spark_has_no_field_that_nobody_has_decided_about(
    spark: SparkSession, contract: Any, tmp_path: Path
) -> None:
    """A field of Spark's scan that is new would keep every LIMIT from being pruned."""
    partitioned(spark, tmp_path / "t").createOrReplaceTempView("t")
    with conf(spark, {ENABLED: "false", "spark.sql.adaptive.enabled": "false"}):
        plain: Any = spark.sql("SELECT * FROM t")._jdf.queryExecution()
    scan = plain.executedPlan().collectLeaves().head()
    logical = plain.optimizedPlan().collectLeaves().head()
    clauses: Any = spark._jvm.limitpruning.tables.ScanClauses  # type: ignore[union-attr]
    for part, known in (
        (scan, clauses.fileSourceScan()),
        (logical, clauses.logicalRelation()),
        (logical.relation(), clauses.fsRelation()),
    ):
        assert 4 <= part.productArity() <= known.size()  # some came with later Sparks
        assert str(contract.undecided(part, known)) == "None"
        assert "Some" in str(contract.undecided(part, known.tail()))
    df = spark.sql("SELECT * FROM t LIMIT 3")
    assert limit_pruning.report(df).only.covered


def test_this_spark_has_no_method_that_nobody_has_decided_about(
    spark: SparkSession, contract: Any
) -> None:
    classes = ["FileSourceScanExec", "FileSourceScanLike", "DataSourceScanExec"]
    methods = set().union(*(public_methods(spark, name) for name in classes))
    assert len(methods) > 30
    decided = {clause.what() for clause in items(contract.all())}
    assert not methods - decided - OF_ALL_NODES


SINGLE = "spark.sql.optimizer.singleTaskExecution"
# Queries over a LIMIT of several files and tasks; each has one answer, whichever rows are taken.
OVER_A_LIMIT = {
    "aggregation": "SELECT count(*), count(DISTINCT id) FROM (SELECT id FROM t LIMIT 120)",
    "groups": "SELECT sum(n) FROM (SELECT p, count(*) n FROM (SELECT * FROM t LIMIT 120)"
    " GROUP BY p)",
    "sort": "SELECT id FROM (SELECT id FROM t LIMIT 300) ORDER BY id DESC",
    "window": "SELECT max(r), count(*) FROM (SELECT row_number() OVER (ORDER BY id) r"
    " FROM (SELECT id FROM t LIMIT 120))",
    "limit": "SELECT count(*) FROM (SELECT * FROM (SELECT id FROM t LIMIT 120) LIMIT 70 OFFSET 20)",
    "top": "SELECT id FROM t ORDER BY id DESC LIMIT 5",
    "top, aggregated": "SELECT sum(id) FROM (SELECT id FROM t ORDER BY id LIMIT 105)",
    "filter": "SELECT count(*) FROM (SELECT id FROM t WHERE id % 3 = 0 LIMIT 120)",
}


@pytest.mark.parametrize("task_size", ["128m", "400"])
@pytest.mark.parametrize("query", OVER_A_LIMIT.values(), ids=OVER_A_LIMIT.keys())
def test_scans_that_are_marked_for_a_single_task(
    spark: SparkSession, tmp_path: Path, query: str, task_size: str
) -> None:
    """Since Spark 4.3 the optimizer can mark a scan, for operators above not to shuffle."""
    partitioned(spark, tmp_path / "t", rows=300).createOrReplaceTempView("t")
    parts = ["aggregation", "expand", "limitOffset", "sort", "window"]
    marks = {f"{SINGLE}.{part}": "true" for part in ["enabled", *parts]}
    marks |= {f"{SINGLE}.{key}": "0" for key in ["minNumFiles", "minNumBytes"]}
    marks |= {f"{SINGLE}.maxNumFiles": "1000"}
    tasks = {"spark.sql.files.maxPartitionBytes": task_size, "spark.sql.files.openCostInBytes": "0"}
    with conf(spark, marks | tasks):
        df = spark.sql(query)
        assert is_pruned(df) or "id % 3" in query
        assert [tuple(row) for row in df.collect()] == plain(spark, query)
