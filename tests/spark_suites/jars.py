"""Gets the JARs of Spark and of its tests, of the version that the JAR is compiled for."""

from __future__ import annotations

import os
import re
import subprocess
import zipfile
from pathlib import Path

import limit_pruning
from support import build_sbt
from support.paths import ROOT

WORK = ROOT / "target" / "spark-suites"
SQL_TESTS = WORK / "sql-tests"  # the unpacked tests of Spark SQL, with their resources
HOME = WORK / "home"  # which tests take for Spark's sources; it has the resources alone
WORDS = re.compile(r"\b(limit|explain)\b", re.IGNORECASE)
SPARK_TESTS = ["sql", "core", "catalyst", "tags", "common-utils", "sql-api", "network-common"]
# Of the versions that the parent POM of Spark 4.2.0 names.
SCALATEST, SCALACHECK, MOCKITO, PARQUET = "3.2.19", "1.18.0", "5.23.0", "1.17.0"


def coordinates() -> list[str]:
    """Name what is fetched, as coursier's arguments."""
    version = build_sbt.value("sparkVersion")
    alone = [
        *(
            f"org.apache.spark:spark-{module}_2.13:{version},classifier=tests"
            for module in SPARK_TESTS
        ),
        f"org.scalatestplus:scalacheck-1-18_2.13:{SCALATEST}.0",
        f"org.scalatestplus:mockito-5-18_2.13:{SCALATEST}.0",
        f"org.apache.parquet:parquet-avro:{PARQUET}",
        f"org.apache.parquet:parquet-variant:{PARQUET}",
    ]
    return [
        f"org.apache.spark:spark-sql_2.13:{version}",
        f"org.scalatest:scalatest_2.13:{SCALATEST}",
        f"org.scalacheck:scalacheck_2.13:{SCALACHECK}",
        f"org.mockito:mockito-core:{MOCKITO}",
        *(word for jar in alone for word in ("--intransitive", jar)),
    ]


def fetch() -> list[Path]:
    """Download the JARs, once, into coursier's cache."""
    command = [str(ROOT / "bin" / "coursier"), "fetch", "-q", *coordinates()]
    done = subprocess.run(command, stdout=subprocess.PIPE, encoding="utf-8", check=True)
    return [Path(line) for line in done.stdout.split()]


def unpack(jar: Path, folder: Path) -> None:
    """Unpack a JAR, once: tests read resources as files."""
    done = folder.with_suffix(".unpacked")
    if not done.exists() or done.read_text() != str(jar):
        with zipfile.ZipFile(jar) as archive:
            archive.extractall(folder)
        done.write_text(str(jar))


# Its scripts take rows by LIMIT without ORDER BY, from files with random names, and do something
# else for each row.
BY_CHANCE = "scripting/randomly_generated_scripts.sql"


def inputs_with_limits() -> list[str]:
    """Name the files of SQLQueryTestSuite with a LIMIT or an EXPLAIN, once they are unpacked."""
    folder = SQL_TESTS / "sql-tests" / "inputs"
    files = (
        file for file in sorted(folder.rglob("*.sql")) if WORDS.search(file.read_text("utf-8"))
    )
    names = [file.relative_to(folder).as_posix() for file in files]
    return [name for name in names if name != BY_CHANCE]


def class_path() -> str:
    """Make the class path of the suites, and `HOME`."""
    jars = fetch()
    unpack(next(jar for jar in jars if re.match("spark-sql_.*-tests.jar$", jar.name)), SQL_TESTS)
    resources = HOME / "sql" / "core" / "src" / "test" / "resources"
    if not resources.is_symlink():
        resources.parent.mkdir(parents=True, exist_ok=True)
        resources.symlink_to(SQL_TESTS, target_is_directory=True)
    jar = limit_pruning.jar_path()
    places = [
        SQL_TESTS,
        jar,
        jar.with_name(f"{jar.stem}-tests.jar"),
        *jars,
    ]
    return os.pathsep.join(map(str, places))
