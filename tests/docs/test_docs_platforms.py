"""What the page on platforms calls tried is what tests run."""

from __future__ import annotations

import re

from limit_pruning._pyspark import SUPPORTED_SPARK_LINES
from support.paths import DOCS, TESTS

PAGE = (DOCS / "platforms.md").read_text(encoding="utf-8")
RUN = (TESTS / "install/test_platforms.py").read_text(encoding="utf-8")
STATUSES = ("**tried**", "should work", "unknown", "not yet", "cannot")
PLATFORMS = (
    "pip",
    "standalone",
    "YARN",
    "Kubernetes",
    "Dataproc",
    "EMR",
    "Glue",
    "Databricks",
    "Fabric",
    "Synapse",
    "HDInsight",
    "Jupyter",
    "Airflow",
    "dbt-spark",
    "Thrift server",
    "Kyuubi",
    "Livy",
    "Spark Connect",
)


def rows() -> list[list[str]]:
    """Return the cells of the table of platforms, without its header."""
    table = PAGE.split("| platform | status |")[1].split("\n\n")[0]
    return [[cell.strip() for cell in line.split("|")[1:-1]] for line in table.splitlines()[2:]]


def anchor(title: str) -> str:
    """Return the anchor of a heading."""
    return title.lower().replace(" ", "-")


def test_each_platform_has_a_status() -> None:
    named = " ".join(cells[0] for cells in rows())
    assert [platform for platform in PLATFORMS if platform not in named] == []
    assert [cells for cells in rows() if not cells[1].startswith(STATUSES)] == []


def test_tests_run_the_lines_of_what_is_tried() -> None:
    titles = set(re.findall(r'section\("([^"]+)"', RUN))
    assert len(titles) >= 4
    anchors = {anchor(title) for title in titles}
    tried = [cells[3] for cells in rows() if cells[1] == "**tried**"]
    assert len(tried) >= 6
    for remarks in tried:
        here = re.findall(r"\(#([a-z-]+)\)", remarks)
        assert set(here) <= anchors
        assert here or "(install.md" in remarks


def test_lines_in_a_console_are_run() -> None:
    _, *parts = re.split(r"^## (.+)\n", PAGE, flags=re.MULTILINE)
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    shown = {title for title, text in sections.items() if "```console\n" in text}
    assert shown
    assert shown <= set(re.findall(r'section\("([^"]+)"', RUN))


def test_the_sparks_are_those_that_are_supported() -> None:
    first, *fourth, last = SUPPORTED_SPARK_LINES
    listed = f"{', '.join(fourth)} or {last} with Scala 2.13, or Spark {first} with Scala 2.12"
    assert f"Apache Spark {listed}." in PAGE
    ranges = {cells[2] for cells in rows() if cells[1] == "**tried**"}
    known = [f"{begin} to {last}" for begin in (first, fourth[0])]
    assert [each for each in ranges if not any(one in each for one in known)] == []
