"""What random plans hold answers to finds each kind of wrong answer."""

from __future__ import annotations

import pytest

from support.random_plans.claims import CLAIMS, Limits, Rows

NUMBERS: Rows = [(1, "a"), (2, "b"), (3, "c"), (3, "d")]
RIGHT: list[tuple[str, Rows, Limits]] = [
    ("rows", [(3, "c"), (1, "a")], ((2, 0),)),
    ("rows", NUMBERS, ((9, 0),)),
    ("rows", [(2, "b")], ((9, 3),)),
    ("rows", [], ((9, 5),)),
    ("all", NUMBERS[::-1], ((1, 0),)),
    ("some", [(2, "b")], ((2, 0),)),
    ("some", [], ((2, 0),)),
    ("branches", [(1, "a"), (3, "d")], ((0, 0), (5, 0), (0, 0), (1, 0))),
    ("order", [(1, "a"), (2, "b"), (3, "d")], ((3, 0),)),
    ("order", [(2, "b"), (3, "d")], ((2, 1),)),
    ("order in any order", [(3, "d"), (1, "a"), (2, "b")], ((3, 0),)),
]
WRONG: list[tuple[str, Rows, Limits, str]] = [
    ("rows", [(1, "a")], ((2, 0),), "too few"),
    ("rows", [(1, "a")], ((0, 0),), "too many"),
    ("rows", [(1, "a"), (1, "a")], ((2, 0),), "wrong rows"),
    ("rows", [(1, "b"), (2, "b")], ((2, 0),), "wrong rows"),
    ("rows", [(1, "a"), (2, "b")], ((2, 3),), "too many"),
    ("all", NUMBERS[1:], ((1, 0),), "too few"),
    ("some", [(2, "b"), (3, "c")], ((1, 0),), "too many"),
    ("some", [(2, "c")], ((1, 0),), "wrong rows"),
    ("branches", [(1, "a")], ((0, 0), (5, 0), (1, 0)), "branch 2 too few"),
    ("order", [(1, "a"), (3, "c")], ((2, 0),), "wrong order"),
    ("order", [(2, "b"), (1, "a")], ((2, 0),), "wrong order"),
    ("order in any order", [(3, "d"), (1, "a")], ((2, 0),), "wrong order"),
]


@pytest.mark.parametrize(("claim", "found", "limits"), RIGHT)
def test_right_answers_are_right(claim: str, found: Rows, limits: Limits) -> None:
    assert CLAIMS[claim](found, NUMBERS, limits, 1) == ""


@pytest.mark.parametrize(("claim", "found", "limits", "problem"), WRONG)
def test_wrong_answers_are_wrong(claim: str, found: Rows, limits: Limits, problem: str) -> None:
    assert CLAIMS[claim](found, NUMBERS, limits, 1).startswith(problem)
