"""Faults of subqueries and of partitions."""

from __future__ import annotations

from faults.fault import MIN_MAX, PLANS, fault

FAULTS = (
    fault(
        "subqueries: a max is chosen in ascending order",
        "catalyst/MatchMinMax.scala",
        "order(max.child, Descending)",
        "order(max.child, if (max.child.resolved) Ascending else Descending)",
        PLANS,
        MIN_MAX,
    ),
    fault(
        "subqueries: Spark merges those with different predicates",
        "tables/WantedRows.scala",
        "conjuncts.map(normalized)",
        "conjuncts.map(normalized).take(0)",
        PLANS,
        "tests/soundness/test_soundness_subqueries.py",
    ),
    fault(
        "subqueries: one order for functions with different keys",
        "catalyst/MatchMinMax.scala",
        "known.exists(_.semanticEquals(order))",
        "known.nonEmpty",
        PLANS,
        MIN_MAX,
    ),
    fault(
        "subqueries: a conjunct with a subquery counts as proved",
        "catalyst/ChooseWhenRunExec.scala",
        "conjuncts.map(ScalarSubqueries.withValues)",
        "conjuncts.filter(c => ScalarSubqueries.plansIn(Seq(c)).isEmpty)",
        PLANS,
        "tests/limits/test_subqueries.py",
    ),
    fault(
        "partitions: decimals of other digits are trusted",
        "tables/ParquetTable.scala",
        "value.scale != decimal.scale || value.precision > decimal.precision",
        "value.precision > decimal.precision",
        PLANS,
        "tests/soundness/test_soundness_places.py",
    ),
)
