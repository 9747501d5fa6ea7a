"""The page on settings lists them as Spark does; `make golden` writes that part anew."""

from __future__ import annotations

import re

import pytest
from pyspark.sql import Row, SparkSession

from support.doc_pages import fill, hold_generated
from support.paths import DOCS

UNITS = {"b": (1024, ["bytes", "KiB", "MiB", "GiB"]), "ms": (1000, ["ms", "s"])}


def test_the_page_lists_what_spark_lists(spark: SparkSession, pytestconfig: pytest.Config) -> None:
    hold_generated(DOCS / "settings.md", listing(spark), pytestconfig)


def listing(spark: SparkSession) -> str:
    """Return a section for each setting, as a session has them that sets none."""
    session = spark.newSession()
    names = [row.key for row in settings(session) if session.conf.isModifiable(row.key)]
    for name in names:
        session.conf.unset(name)
    return "".join(map(section, settings(session), [row.key in names for row in settings(session)]))


def settings(session: SparkSession) -> list[Row]:
    """Return the rows of ``SET -v`` that are of this extension, in order of their keys."""
    rows = session.sql("SET -v").collect()
    return sorted(row for row in rows if row.key.startswith("spark.limitPruning."))


def section(row: Row, is_modifiable: bool) -> str:
    """Return the text about one setting."""
    changed = "" if is_modifiable else ", set *when Spark starts*"
    about = f"Default: {default(row.value)}{changed}. Since version {row['Since version']}."
    return f"\n## `{row.key}`\n\n{about}\n\n{wrapped(row.meaning)}\n"


def default(value: str) -> str:
    """Return a value as it can be set; a size or a time also in a unit that is easy to read."""
    match = re.fullmatch(r"(\d+)(b|ms)", value)
    if match is None:
        return f"`{value}`"
    step, units = UNITS[match[2]]
    number, unit = int(match[1]), 0
    while number and number % step == 0 and unit + 1 < len(units):
        number, unit = number // step, unit + 1
    return f"`{value}`, which is {number} {units[unit]}"


def wrapped(text: str) -> str:
    """Return the text in lines, with the names of settings in it as code."""
    return fill(re.sub(r"\bspark\.[A-Za-z.]+[A-Za-z]", r"`\g<0>`", text))
