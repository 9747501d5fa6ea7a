"""The JAR and one setting are enough: spark-sql and spark-shell, with no Python package."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pyspark
import pytest

import limit_pruning
import tables

BIN = Path(pyspark.__path__[0]) / "bin"
STATES = "4 total → 3 matched → 1 fully matched → 1 scanned"
ROWS = {"Alpine Ibex", "Alpine Goat", "Alpine Sheep"}


def launch(script: str, *arguments: str, cwd: Path, stdin: str = "") -> str:
    """Run one of Spark's scripts with the extension and return what it printed."""
    command = [
        *(str(BIN / script), "--master", "local[1]", "--jars", str(limit_pruning.jar_path())),
        *("--conf", "spark.sql.extensions=limitpruning.LimitPruningExtensions"),
        *("--conf", "spark.ui.enabled=false", "--conf", "spark.driver.host=127.0.0.1"),
        *("--conf", f"spark.sql.warehouse.dir={cwd / 'warehouse'}"),
        *("--driver-java-options", "-Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8"),
        *arguments,
    ]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK")}
    environment |= {"SPARK_HOME": str(BIN.parent), "SPARK_LOCAL_IP": "127.0.0.1"}
    done = subprocess.run(
        command,
        cwd=cwd,
        env=environment,
        input=stdin,
        capture_output=True,
        encoding="utf-8",
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, f"{command} failed\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture
def query(tmp_path: Path) -> str:
    """The case study over a fresh file."""
    tables.wildlife(tmp_path)
    file = (tmp_path / "tracking_data.parquet").as_uri()
    return f"SELECT species FROM parquet.`{file}` WHERE species LIKE 'Alpine%' AND s >= 50 LIMIT 3"


def test_spark_sql(tmp_path: Path, query: str) -> None:
    metastore = f"jdbc:derby:;databaseName={tmp_path / 'metastore'};create=true"
    output = launch(
        "spark-sql",
        *("--conf", f"spark.hadoop.javax.jdo.option.ConnectionURL={metastore}"),
        *("-e", f"EXPLAIN {query}; {query}"),
        cwd=tmp_path,
    )
    assert STATES in output
    assert set(output.splitlines()) >= ROWS


def test_spark_shell(tmp_path: Path, query: str) -> None:
    script = f'val df = spark.sql("""{query}""")\ndf.explain()\ndf.show(false)\nsys.exit(0)\n'
    output = launch("spark-shell", cwd=tmp_path, stdin=script)
    assert STATES in output
    for species in ROWS:
        assert f"|{species}" in output
