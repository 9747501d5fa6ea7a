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
    "predicate/Evaluator.scala: case _ => _ => Outcomes.Any -> case _ => _ => Outcomes.True": (
        "predicates and their parts are Boolean, and the case before has all of these"
    ),
    "predicate/Evaluator.scala: case Branches(branches, otherwise) if expression.dataType =="
    " BooleanType => -> case Branches(branches, otherwise) =>": (
        "predicates and their parts are Boolean"
    ),
    "predicate/MonotoneFunctions.scala: case _ => true -> case _ => false": (
        "a unit that is null gives null at both ends, of which nothing is known"
    ),
    "predicate/FiniteEvaluation.scala: distance >= 0 && distance < LongestRange -> distance > 0 &&"
    " distance < LongestRange": "a range of one value is constant, which is asked before",
    'tables/ScanContract.scala: "markedForSingleTaskExecution", -> '
    '"no markedForSingleTaskExecution",': (
        "of Spark 4.3; the suites run on 4.2. On 4.3, test_scan_contract.py asks for it"
    ),
}
