"""Users who check their types see ours: the installed package is typed, in mypy's strict mode."""

from __future__ import annotations

import re
from pathlib import Path

from mypy import api

SNIPPET = """
from pathlib import Path

from pyspark.sql import SparkSession

import limit_pruning

spark: SparkSession = limit_pruning.configure(SparkSession.builder).getOrCreate()
jar: Path = limit_pruning.jar_path()
report: limit_pruning.PruningReport = limit_pruning.report(spark.range(9).limit(1))
for limit in report:
    rows: int | None = limit.rows.to_read
    codes: list[str] = [limit.reason.code] if limit.reason else []
try:
    limit_pruning.verify(spark)
except limit_pruning.LimitPruningError as error:
    text: str = str(error)

limit_pruning.report("SELECT 1")  # wrong: arg-type
limit_pruning.verify(spark).anything  # wrong: func-returns-value, attr-defined
table: int = report.only.table  # wrong: assignment
report.only.reason.code  # wrong: union-attr
report.only.rows.read = 1  # wrong: misc
limit_pruning.nothing  # wrong: attr-defined
"""


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
