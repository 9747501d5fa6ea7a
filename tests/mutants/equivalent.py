"""Mutants that behave as the code does, with the reason. No test can notice them."""

from __future__ import annotations

# By file and change; a line number would have to follow each edit of the file.
EQUIVALENT: dict[str, str] = {
    "predicate/Operands.scala: if (!from) unknown -> if (!true && !from) unknown": (
        "each monotone function whose result has a supported type has an operand of such a type"
    ),
}
