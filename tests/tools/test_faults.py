"""The faults that `make faults` plants fit the current code."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from faults.__main__ import is_meant, save
from faults.fault import PARTS, Edit, Fault
from faults.planted import FAULTS
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


def test_a_word_means_a_part_or_some_descriptions() -> None:
    of_parts = {part: [fault for fault in FAULTS if is_meant(fault, part)] for part in PARTS}
    assert sum(map(len, of_parts.values())) == len(FAULTS)
    assert {fault.tests[0] for fault in of_parts["delta"]} == {"tests/delta/test_delta_random.py"}
    vectors = [fault.what for fault in FAULTS if is_meant(fault, "deletion vectors")]
    assert "deletion vectors are ignored" in vectors
    assert not [fault for fault in FAULTS if is_meant(fault, "no such words")]


def test_the_results_of_other_faults_are_kept(tmp_path: Path) -> None:
    file = tmp_path / "faults.json"
    first, second = FAULTS[0].what, FAULTS[1].what
    for what, query in ((second, 1), (first, 2), (second, 3)):
        save(file, {"fault": what, "runs": [{"query": query}]})
    found = json.loads(file.read_text(encoding="utf-8"))["faults"]
    assert [(one["fault"], one["runs"][0]["query"]) for one in found] == [(first, 2), (second, 3)]


def test_the_copy_contains_the_sources_and_the_tests() -> None:
    names = {str(name) for name in copied()}
    assert {"build.sbt", "python/limit_pruning/_version.py", "tests/conftest.py"} <= names
    assert f"{SOURCES}/predicate/Evaluator.scala" in names
