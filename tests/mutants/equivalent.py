"""Mutants that behave as the code does, with the reason. No test can notice them."""

from __future__ import annotations

# By file and change; a line number would have to follow each edit of the file.
_EQUALITY = (
    "predicate/Comparisons.scala: !(ordering.equiv(l.min, l.max) && ordering.equiv(r.min, r.max) &&"
    " ordering.equiv(l.min, r.min)), -> !(ordering.equiv(l.min, l.max) && ordering.equiv(r.min,"
    " r.max) && ordering.equiv({})),"
)
EQUIVALENT: dict[str, str] = {
    _EQUALITY.format("l.max, r.min"): "at that point, min and max of the left side are equal",
    _EQUALITY.format("l.min, r.max"): "at that point, min and max of the right side are equal",
    "predicate/Operands.scala: if (!from) unknown -> if (!true && !from) unknown": (
        "each monotone function whose result has a supported type has an operand of such a type"
    ),
}
