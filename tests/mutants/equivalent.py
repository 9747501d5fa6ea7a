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
    "predicate/Evaluator.scala: case Coalesce(children) if expression.dataType == BooleanType =>"
    " -> case Coalesce(children) =>": "predicates and their parts are Boolean",
    "predicate/Evaluator.scala: case e if e.dataType == BooleanType =>"
    " ask(e)(FactOutcomes.isTrue) -> case e => ask(e)(FactOutcomes.isTrue)": (
        "predicates and their parts are Boolean"
    ),
    "predicate/ColumnFacts.scala: if (values.size == 1) Some(Range(values.head, values.head)) else"
    " Option.empty -> if (!true && values.size == 1) Some(Range(values.head, values.head)) else"
    " Option.empty": "without it, the same range is computed from all values",
    "predicate/FactOutcomes.scala: canBeTrue = ordering.gteq(max, prefix) && (ordering.lteq(min,"
    " prefix) || min.startsWith(prefix)), -> canBeTrue = ordering.gteq(max, prefix) &&"
    " (ordering.lt(min, prefix) || min.startsWith(prefix)),": (
        "a min that is the prefix starts with it"
    ),
    "predicate/FewValues.scala: case range: Values.Range => if (isConstant(range, dataType))"
    " Seq(range.min) else enumerate(range) -> case range: Values.Range => if (isConstant(range,"
    " dataType)) Seq(range.max) else enumerate(range)": "min and max of a constant are equal",
    "predicate/FewValues.scala: private def isShort(range: Values.Range, dataType:"
    " DataType): Boolean = range.min match { -> private def isShort(range: Values.Range,"
    " dataType: DataType): Boolean = range.max match {": "min and max have the same class",
    "predicate/Operands.scala: e.mapChildren(c => if (c eq operand) BoundReference(0,"
    " operand.dataType, nullable = true) else c) -> e.mapChildren(c => if (c eq operand)"
    " BoundReference(0, operand.dataType, nullable = false) else c)": "no end of a range is null",
    "predicate/Operands.scala: val values = if (!known.canBeValue) Values.Empty -> val values ="
    " if (!true && !known.canBeValue) Values.Empty": (
        "only nulls are few values, for which the function is evaluated before"
    ),
    "predicate/Operands.scala: val values = if (!known.canBeValue) Values.Empty -> val values ="
    " if (!known.canBeValue) Values.Unknown": (
        "only nulls are few values, for which the function is evaluated before"
    ),
    "predicate/Operands.scala: else if (!first.canBeValue) rest -> else if (!true &&"
    " !first.canBeValue) rest": "the union of no value and the rest is the rest",
    "predicate/FewValues.scala: values >= 0 && values < LongestRange -> values > 0 && values"
    " < LongestRange": "a range of one value is constant, which is asked before",
    'tables/ScanContract.scala: "markedForSingleTaskExecution" -> '
    '"no markedForSingleTaskExecution"': (
        "of Spark 4.3; the suites run on 4.2. On 4.3, test_scan_contract.py asks for it"
    ),
}
