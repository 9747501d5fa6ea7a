"""The faults that `make faults` plants fit the current code."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from faults.planted import FAULTS, Edit, Fault
from faults.trial import SOURCES, copied
from support.paths import ROOT, SCALA


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.what)
def test_a_fault_can_be_planted_and_its_tests_exist(fault: Fault, tmp_path: Path) -> None:
    for edit in fault.edits:
        (tmp_path / edit.file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(SCALA / edit.file, tmp_path / edit.file)
    for edit in fault.edits:
        edit.apply(tmp_path)
        assert (tmp_path / edit.file).read_text("utf-8") != (SCALA / edit.file).read_text("utf-8")
    for test in fault.tests:
        file, _, function = test.partition("::")
        assert (ROOT / file).exists()
        assert not function or f"def {function}(" in (ROOT / file).read_text("utf-8")


def test_a_text_that_is_not_there_exactly_once_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "A.scala").write_text("a < b, a < c", "utf-8")
    for find in ("a < ", "a > b"):
        with pytest.raises(ValueError, match=r"A\.scala contains [02] times"):
            Edit("A.scala", find, "true").apply(tmp_path)


def test_the_copy_contains_the_sources_and_the_tests() -> None:
    names = {str(name) for name in copied()}
    assert {"build.sbt", "python/limit_pruning/_version.py", "tests/conftest.py"} <= names
    assert f"{SOURCES}/predicate/Evaluator.scala" in names
