"""Every way to use the extension, by the lines of docs/install.md, finds the case study's rows."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pyspark
import pytest

import limit_pruning
from support import install_page, tables
from support.jvm import SMALL_JVM
from support.processes import output_of
from support.sparks import EXPLAINS_REASONS

pytestmark = [pytest.mark.spark, pytest.mark.slow]

HOME = Path(pyspark.__path__[0])
STATES = re.compile("4 total → 3 matched -?[→>] 1 fully matched")
ROWS = ["Alpine Ibex", "Alpine Goat", "Alpine Sheep"]
JVM = (
    f"{SMALL_JVM} -Dfile.encoding=UTF-8 -Dstdout.encoding=UTF-8 "
    "-Dspark.master=local[1] -Dspark.ui.enabled=false -Dspark.driver.host=127.0.0.1"
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with what the page says is in it."""
    tables.wildlife(tmp_path)
    (tmp_path / "spark-limit-pruning.jar").symlink_to(limit_pruning.jar_path())
    return tmp_path


def run(commands: str, folder: Path) -> str:
    """Run lines of a shell, with Spark on the path, and return what they printed."""
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYSPARK")}
    path = [str(Path(sys.executable).parent), str(HOME / "bin"), os.environ["PATH"]]
    environment |= {
        "PATH": os.pathsep.join(path),
        "PYTHONIOENCODING": "utf-8",
        "SPARK_HOME": str(HOME),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_SUBMIT_OPTS": JVM,
    }
    return output_of("bash", "-euc", commands, cwd=folder, env=environment)


@pytest.mark.parametrize(
    "way", ["Python", "spark-submit", "spark-sql", "Scala", "Java", "spark-defaults.conf"]
)
def test_it_prunes(folder: Path, way: str) -> None:
    section = install_page.section(way)
    section.write(folder)
    output = run(section.commands, folder)
    assert STATES.search(output), output
    # The example in Python prints no plan. The others show reasons without any further setting.
    has_reasons = way != "Python" and EXPLAINS_REASONS
    assert not has_reasons or "Every LIMIT over Parquet is pruned." in output, output
    for species in ROWS:
        assert re.search(rf"^[| ]*{species}\b", output, re.MULTILINE), output
