"""The mutants that `make mutants` tries."""

from __future__ import annotations

from collections import Counter

from mutants.__main__ import all_mutants
from mutants.equivalent import EQUIVALENT
from mutants.operators import mutants
from mutants.trial import CONTRACT, scala_version, suites
from support.paths import SCALA, SCALA_TESTS

SOURCE = """package p
/* a && b */
object A {
  def f(a: Int, b: Int) = a < b && !g(a) // a && b
  val text = "a && b"
}
"""


def test_only_code_is_changed_and_one_place_at_a_time() -> None:
    found = [one.after for one in mutants("A.scala", SOURCE)]
    assert found == [
        "def f(a: Int, b: Int) = a <= b && !g(a) // a && b",
        "def f(a: Int, b: Int) = a < b || !g(a) // a && b",
        "def f(a: Int, b: Int) = a < b && g(a) // a && b",
    ]


def test_a_mutant_is_its_file_with_its_change() -> None:
    for one in mutants("A.scala", SOURCE):
        changed = one.of(SOURCE).splitlines()
        assert changed[one.line - 1].strip() == one.after
        assert len(changed) == len(SOURCE.splitlines())


def test_all_files_of_the_proofs_have_mutants_and_suites() -> None:
    found = all_mutants()
    files = Counter(one.file for one in found)
    assert len(found) >= 300
    assert files[CONTRACT] >= 20
    assert files["predicate/Comparisons.scala"] >= 40
    for one in found:
        source = (SCALA / one.file).read_text(encoding="utf-8")
        assert one.of(source) != source
    names = {name for one in found for part in suites(one) for name in part}
    missing = [n for n in names if not (SCALA_TESTS / f"{n.replace('.', '/')}.scala").exists()]
    assert not missing


def test_each_equivalent_mutant_can_still_be_made() -> None:
    assert set(EQUIVALENT) <= {one.change for one in all_mutants()}


def test_mutants_are_compiled_by_the_scala_of_the_build() -> None:
    assert scala_version().startswith("2.13.")
