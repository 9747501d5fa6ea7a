"""Users who check their types see ours: the installed package is typed, in mypy's strict mode."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from mypy import api

SNIPPET = """
from pathlib import Path
from typing import Any

from pyspark.sql import SparkSession, functions

import limit_pruning

spark: SparkSession = limit_pruning.configure(SparkSession.builder).getOrCreate()
jar: Path = limit_pruning.jar_path()
report: limit_pruning.PruningReport = limit_pruning.report(spark.range(9).limit(1))
for limit in report:
    rows: int | None = limit.rows.to_read
    codes: list[str] = [limit.reason.code] if limit.reason else []
    files: limit_pruning.FileCounts = limit.files
active: bool = limit_pruning.is_active(spark)
with limit_pruning.disabled(spark):
    plain: int = spark.range(9).limit(1).count()
for source in ("t", Path("t"), spark.table("t")):
    found: limit_pruning.Inspection = limit_pruning.inspect(spark, source, functions.col("s") > 1)
    share: float | None = found.columns[0].overlap
sums: dict[str, Any] = limit_pruning.totals(spark).to_dict()
try:
    limit_pruning.verify(spark)
except limit_pruning.LimitPruningError as error:
    text: str = str(error)

limit_pruning.report("SELECT 1")  # wrong: arg-type
limit_pruning.verify(spark).anything  # wrong: func-returns-value, attr-defined
table: int = report.only.table  # wrong: assignment
report.only.reason.code  # wrong: union-attr
report.only.rows.read = 1  # wrong: misc
report.only.row_groups_read  # wrong: attr-defined
limit_pruning.inspect(spark, 3)  # wrong: arg-type
limit_pruning.inspect(spark, "t", True)  # wrong: arg-type
limit_pruning.nothing  # wrong: attr-defined
"""


@pytest.mark.slow
def test_a_users_code_is_checked(tmp_path: Path) -> None:
    code = tmp_path / "users.py"
    code.write_text(SNIPPET, encoding="utf-8")
    out, err, _ = api.run(["--strict", "--config-file=", f"--cache-dir={tmp_path}", str(code)])
    assert not err
    found = re.findall(r"users\.py:(\d+): error: .*\[([a-z-]+)\]$", out, re.MULTILINE)
    lines = enumerate(SNIPPET.splitlines(), 1)
    wrong = [(str(n), code) for n, text in lines for code in _wrong(text)]
    assert sorted(found) == sorted(wrong), out


def _wrong(line: str) -> list[str]:
    return line.partition("# wrong: ")[2].split(", ") if "# wrong: " in line else []
