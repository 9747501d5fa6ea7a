"""Faults of `ORDER BY … LIMIT`."""

from __future__ import annotations

from faults.fault import MIN_MAX, ORDERS, SOUNDNESS, Edit, Fault, fault

FAULTS = (
    fault(
        "ORDER BY: a row group that begins at the threshold is skipped",
        "select/Threshold.scala",
        "best.exists(order.gt(_, threshold))",
        "best.exists(order.gteq(_, threshold))",
        ORDERS,
    ),
    fault(
        "ORDER BY: of the row groups that begin at the threshold, none is read",
        "search/TopRowsSearch.scala",
        "needed(i) || !isSkipped",
        "(needed(i) && !isSkipped(matched(i).best)) || !isSkipped",
        ORDERS,
    ),
    fault(
        "ORDER BY: the row that has the min or max of its row group counts twice",
        "search/KeyPlaces.scala",
        "(place, all - 1)",
        "(place, all)",
        ORDERS,
    ),
    Fault(
        "MIN and MAX: the rows that one function has read skip row groups, without a threshold",
        (
            Edit(
                "catalyst/DecideLimit.scala",
                "rows.top.exists(_.threshold.nonEmpty) && rows.selection.unseen.isEmpty",
                "true",
            ),
            Edit(
                "search/LimitQuery.scala",
                "bytes <= all * (1 - LeastSkipped)",
                "bytes <= all * (1 + LeastSkipped)",
            ),
            Edit(
                "catalyst/DecideLimit.scala",
                "Right(plan.copy(notedSortKey = None))",
                "Right(plan)",
            ),
        ),
        (MIN_MAX,),
    ),
    fault(
        "MIN and MAX: of several, only the rows of the first are read",
        "search/ChooseTopRows.scala",
        "val all = several.flatMap(_.candidates)",
        "val all = several.head.candidates",
        MIN_MAX,
    ),
    fault(
        "MIN and MAX: a min counts as the first row of a descending order",
        "catalyst/MatchMinMax.scala",
        "case min: Min => order(min.child, Ascending)",
        "case min: Min => order(min.child, Descending)",
        MIN_MAX,
    ),
    fault(
        "ORDER BY: ties are skipped although there is another key",
        "search/SortKeys.scala",
        "all.size == 1",
        "all.nonEmpty",
        ORDERS,
    ),
    fault(
        "ORDER BY: a row group whose key has a dictionary counts as without nulls",
        "search/KeyDictionaries.scala",
        "ends.fold(facts)(range => facts.copy(values = range))",
        "ends.fold(facts)(range => facts.copy(values = range).withoutNulls)",
        ORDERS,
        "tests/limits/test_int96.py",
    ),
    fault(
        "ORDER BY: the key counts as not null if the predicate excludes nulls of any column",
        "search/KeyFacts.scala",
        "case IsNotNull(LeafColumn(notNull)) => column.exists(_.id == notNull.id)",
        "case IsNotNull(LeafColumn(_)) => column.nonEmpty",
        ORDERS,
        SOUNDNESS,
    ),
    fault(
        "ORDER BY a partition column: nulls of a column of the same name in the files count",
        "parquet/RowGroupFacts.scala",
        "settings.byFieldId || isPartition(column.attribute)",
        "settings.byFieldId || (isPartition(column.attribute) && settings.byFieldId)",
        ORDERS,
        "tests/scan/test_scan_partitions.py",
    ),
    fault(
        "ORDER BY: NaN is missing from the threshold",
        "search/TopRowsSearch.scala",
        "threshold.add(place, rows)",
        "threshold.add(key.ifNeverNaN(place, file, rowGroup), rows)",
        ORDERS,
        "tests/limits/test_order_floats.py",
    ),
)
