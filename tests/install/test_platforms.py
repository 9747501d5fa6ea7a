"""Platforms that run here, by the lines of docs/platforms.md, prune the case study's LIMIT."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import socket
import sys
from collections.abc import Iterator
from pathlib import Path

import pyarrow.parquet as pq
import pyspark
import pytest

import limit_pruning
from support import install_page, tables
from support.applications import cluster
from support.applications.cluster import awaited, daemon
from support.install_page import Section
from support.jvm import SMALL_JVM
from support.paths import DOCS
from support.processes import output_of
from support.sparks import EXPLAINS_REASONS

pytestmark = [pytest.mark.spark, pytest.mark.slow]

HOME = Path(pyspark.__path__[0])
STATES = re.compile("4 total → 3 matched -?[→>] 1 fully matched")
READ = "read: 3 rows in 1 row group"
ALPINE = ["Alpine Ibex", "Alpine Goat", "Alpine Sheep"]
JVM = f"{SMALL_JVM} -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8"
SETTINGS = {
    "spark.master": "local[1]",
    "spark.ui.enabled": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.limitPruning.failOnError": "true",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the page says is in it, and Spark's configuration for this machine."""
    tables.wildlife(tmp_path)
    shutil.copy(limit_pruning.jar_path(), tmp_path / "spark-limit-pruning.jar")
    configure(tmp_path, SETTINGS)
    return tmp_path


def configure(folder: Path, settings: dict[str, str]) -> None:
    """Write settings for Spark that do not concern the extension."""
    lines = "".join(f"{name} {value}\n" for name, value in settings.items())
    (folder / "conf").mkdir(exist_ok=True)
    (folder / "conf" / "spark-defaults.conf").write_text(lines, encoding="utf-8")


def section(title: str, folder: Path) -> Section:
    """Return a section of the page, whose files are then in the folder."""
    found = install_page.section(title, DOCS / "platforms.md")
    found.write(folder)
    assert found.commands
    return found


def environment(folder: Path, **more: str) -> dict[str, str]:
    """Return an environment with Spark's programs on the path, and nothing set for PySpark."""
    path = [str(Path(sys.executable).parent), str(HOME / "bin"), os.environ["PATH"]]
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK")}
    return inherited | {
        "PATH": os.pathsep.join(path),
        "PYTHONIOENCODING": "utf-8",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_CONF_DIR": str(folder / "conf"),
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": JVM,
        **more,
    }


def run(commands: str, folder: Path, **more: str) -> str:
    """Run lines of a shell and return what they printed."""
    return output_of("bash", "-euc", commands, cwd=folder, env=environment(folder, **more))


def test_a_standalone_cluster(folder: Path) -> None:
    small = {"spark.cores.max": "1", "spark.executor.memory": "512m"}
    configure(folder, {**SETTINGS, **small, "spark.executor.extraJavaOptions": SMALL_JVM})
    workers = folder / "cluster"
    workers.mkdir()
    commands = section("Standalone cluster", folder).commands
    with cluster.running(workers) as master:
        output = run(commands, folder, MASTER=master)
    assert STATES.search(output), output
    assert READ in output, "the report has what the executor has read"
    for species in ALPINE:
        assert f"species='{species}'" in output
    (executor,) = workers.glob("worker-*/app-*/*/")
    assert (executor / "spark-limit-pruning.jar").is_file(), "it came with the application"


@pytest.fixture
def thrift_server(folder: Path) -> Iterator[str]:
    """The host and port of a Thrift server."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    script, *options = shlex.split(section("Thrift server", folder).commands)
    assert script == "spark-submit"
    own = {"hive.server2.thrift.bind.host": "127.0.0.1", "hive.server2.thrift.port": port}
    hive = [part for name, value in own.items() for part in ("--hiveconf", f"{name}={value}")]
    settings = [f"--conf={name}={value}" for name, value in SETTINGS.items()]
    command = ["org.apache.spark.deploy.SparkSubmit", *settings, *options, *hive]
    with daemon(folder, "thrift-server", *command, memory="1g") as log:
        awaited(log, r"(Starting ThriftBinaryCLIService) on port")
        yield f"127.0.0.1:{port}"


def test_a_jdbc_client_of_a_thrift_server(thrift_server: str, folder: Path) -> None:
    commands = section("JDBC clients", folder).commands
    assert "localhost:10000" in commands
    output = run(commands.replace("localhost:10000", thrift_server), folder)
    assert STATES.search(output), output
    if EXPLAINS_REASONS:
        assert "Every LIMIT over Parquet is pruned." in output, "reasons are shown, too"
    for species in ALPINE:
        assert re.search(rf"^\| {species}\b", output, re.MULTILINE), output


def test_a_notebook(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    pytest.importorskip("ipykernel")
    found = install_page.section("Jupyter", DOCS / "platforms.md")
    notebook = nbformat.v4.new_notebook()
    notebook.cells = [nbformat.v4.new_code_cell(found.files["cell.py"])]
    for name, value in environment(folder).items():
        monkeypatch.setenv(name, value)
    nbclient.NotebookClient(
        notebook, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(folder)}}
    ).execute()
    (shown,) = (out.data for out in notebook.cells[0].outputs if out.output_type != "stream")
    assert STATES.search(shown["text/plain"])
    assert READ in shown["text/plain"]
    assert "<svg" in shown["text/html"] or "<div" in shown["text/html"]


def test_dbt(folder: Path) -> None:
    pytest.importorskip("dbt.adapters.spark")
    events = folder / "events"
    events.mkdir()
    logged = {"spark.eventLog.enabled": "true", "spark.eventLog.compress": "false"}
    configure(folder, {**SETTINGS, **logged, "spark.eventLog.dir": events.as_uri()})
    quiet = {"DBT_SEND_ANONYMOUS_USAGE_STATS": "false", "DBT_USE_COLORS": "false"}
    output = run(section("dbt-spark", folder).commands, folder, **quiet)
    assert "PASS=1" in output
    written = pq.read_table(folder / "spark-warehouse" / "alpine", columns=["species"])
    assert set(written["species"].to_pylist()) == set(ALPINE)
    plans = "".join(log.read_text(encoding="utf-8") for log in events.rglob("*") if log.is_file())
    assert "LimitPrunedScan parquet" in plans
    assert STATES.search(plans)
