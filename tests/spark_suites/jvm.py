"""Runs suites of Spark in a JVM of their own."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from spark_suites import jars, outcomes
from spark_suites.outcomes import Runs
from support.paths import ROOT

LOG4J = Path(__file__).with_name("log4j2.properties")
LIMITS = "limitpruning.sparksuites.LimitScans"
PRUNING = "limitpruning.LimitPruningExtensions"
WATCH = "limitpruning.sparksuites.WatchPlans"
# C1 alone: tests are short, and compiling them well takes more time than it saves.
JVM = "-ea -Xmx4g -Xss4m -XX:+UseParallelGC -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=512m"
# As Spark's own build sets them for its tests.
SPARKS_PROPERTIES = {
    "derby.system.durability": "test",
    "hive.conf.validation": "false",
    "io.netty.tryReflectionSetAccessible": "true",
    "spark.hadoop.hadoop.security.key.provider.path": "test:///",
    "spark.master.rest.enabled": "false",
    "spark.port.maxRetries": "100",
    "spark.testing": "1",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.unsafe.exceptionOnMemoryLeak": "true",
}


@dataclass(frozen=True)
class Leg:
    """How suites are run: with LIMIT pruning or without; `limited`: with a LIMIT over each scan."""

    limited: bool
    pruning: bool

    @property
    def name(self) -> str:
        """For folders and messages."""
        return ("limited-" if self.limited else "") + ("with" if self.pruning else "without")

    def properties(self) -> dict[str, str]:
        """Spark takes settings from system properties, so that sessions of all suites have them."""
        extensions = [LIMITS] * self.limited + [PRUNING] * self.pruning + [WATCH]
        return {
            "spark.sql.extensions": ",".join(extensions),
            "spark.limitPruning.failOnError": "true",
            "spark.limitPruning.fileScan": "never",
        }


def add_opens() -> list[str]:
    """Take from `build.sbt` what is opened to Spark."""
    build = (ROOT / "build.sbt").read_text("utf-8")
    listed = re.search(r"sparkModuleOptions =(.*?)\)\.map", build, re.DOTALL)
    assert listed, "build.sbt has no sparkModuleOptions"
    opened = re.findall(r'"([a-z.]+)"', listed[1])
    return [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in opened]


def command(properties: Mapping[str, str], class_path: str) -> list[str]:
    """Start scalatest; what it runs is to be added."""
    java = Path(os.environ["JAVA_HOME"], "bin", "java") if "JAVA_HOME" in os.environ else "java"
    scalatest = ["org.scalatest.tools.Runner", "-R", str(jars.SQL_TESTS), "-oW"]
    return [
        str(java),
        *JVM.split(),
        *add_opens(),
        *(f"-D{key}={value}" for key, value in properties.items()),
        *("-cp", class_path),
        *scalatest,
        *("-C", "limitpruning.sparksuites.WriteEvents"),
    ]


def run(
    leg: Leg, name: str, tests: Mapping[str, Sequence[str]], class_path: str, seconds: float
) -> Runs:
    """Run suites, or where tests are named only those of a suite, one after the other.

    What a JVM does not finish in `seconds` is missing from the result.
    """
    folder = jars.WORK / "runs" / leg.name / name
    shutil.rmtree(folder, ignore_errors=True)
    temporary = folder / "tmp"
    temporary.mkdir(parents=True)
    events = folder / "events.jsonl"
    properties = {
        **SPARKS_PROPERTIES,
        **leg.properties(),
        "java.io.tmpdir": str(temporary),
        "limitpruning.events": str(events),
        "log4j2.configurationFile": LOG4J.as_uri(),
        "spark.test.home": str(jars.HOME),
    }
    words = command(properties, class_path)
    for suite, names in tests.items():
        words += ["-s", suite, *(word for test in names for word in ("-t", test))]
    with (folder / "output.txt").open("wb") as output:
        try:
            subprocess.run(
                words,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env={**os.environ, "SPARK_TESTING": "1", "SPARK_LOCAL_IP": "127.0.0.1"},
                timeout=seconds,
                check=False,
            )
        except subprocess.TimeoutExpired:
            output.write(f"\nended after {seconds:.0f} s\n".encode())
    for left in (temporary, folder / "spark-warehouse", folder / "artifacts"):
        shutil.rmtree(left, ignore_errors=True)
    return outcomes.read_file(events)
