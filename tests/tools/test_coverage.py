"""What `make coverage` makes of JaCoCo's report."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.jvm_coverage import by_package, main

REPORT = """GROUP,PACKAGE,CLASS,LINE_MISSED,LINE_COVERED
limit,a.b,One,1,5
limit,a.b,Two,1,1
limit,a.c,Three,0,12
"""


def test_lines_are_summed_by_package_and_held_to_the_floor(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    report = tmp_path / "jvm.csv"
    report.write_text(REPORT, encoding="utf-8")
    assert by_package(report) == {"a.b": (6, 8), "a.c": (12, 12)}
    assert main(report, 90) == 0
    assert main(report, 90.1) == 1
    assert "below its floor of 90.1 %" in capsys.readouterr().err
