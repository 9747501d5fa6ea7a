"""Faults of the search for rows by reading columns first."""

from __future__ import annotations

from faults.fault import LIES, ORDERS, TABLES, fault

BY_ROWS = "tests/limits/test_by_rows.py"
WAVES = "tests/limits/test_order_waves.py"
_SQL = "org.apache.spark.sql.catalyst.expressions"

FAULTS = (
    fault(
        "by rows: positions in a row group are shifted by one",
        "rows/Positions.scala",
        "val inGroup = row - ends(ordinal) + rowGroups(ordinal)",
        "val inGroup = (row - ends(ordinal) + rowGroups(ordinal) + 1).min(rowGroups(ordinal) - 1)",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: positions are those of another file",
        "rows/ChooseByRows.scala",
        "files.get(some.path).map(_ -> some)",
        "files.values.headOption.map(_ -> some)",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: NULL is taken for true",
        "rows/PositionScan.scala",
        "conjuncts.reduceOption",
        f"conjuncts.map(c => {_SQL}.Or({_SQL}.IsNull(c), c): Expression).reduceOption",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: the rows of a job count twice",
        "rows/FindPositions.scala",
        "val found = before.iterator.map(_.rows.length.toLong).sum",
        "val found = 2 * before.iterator.map(_.rows.length.toLong).sum",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: the positions of a task are lost",
        "rows/FindPositions.scala",
        "before ++ parts.flatMap(_.toSeq)",
        "before ++ parts.drop(1).flatMap(_.toSeq)",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: rows of files that are not read count",
        "rows/ChooseByRows.scala",
        "val rows = footers.zip(located).map",
        "val rows = footers.zip(located).take(1).map",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: a partition is not searched",
        "search/LikelyRowGroups.scala",
        "PartitionOrder(ranked.map(_._2)",
        "PartitionOrder(ranked.drop(1).map(_._2)",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: a task stops one row early",
        "rows/Positions.scala",
        "while (count < limit && rows.hasNext)",
        "while (count < limit - 1 && rows.hasNext)",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: the last row of a row group is lost",
        "rows/Positions.scala",
        "RowRange.joined(ranges)",
        "RowRange.joined(if (ranges.size > 1) ranges.init else ranges)",
        TABLES,
        BY_ROWS,
    ),
    fault(
        "by rows: the first rows are searched without the predicate",
        "rows/PositionScan.scala",
        "conjuncts.reduceOption",
        "conjuncts.filter(_ => order.isEmpty).reduceOption",
        ORDERS,
        BY_ROWS,
    ),
    fault(
        "by rows: only the first sort key counts",
        "rows/PositionScan.scala",
        "keys = order.zipWithIndex.map",
        "keys = order.take(1).zipWithIndex.map",
        ORDERS,
        BY_ROWS,
    ),
    fault(
        "by rows: row groups with the same first key are left out",
        "rows/BestFirst.scala",
        "best => key.order.gt(best.place, place)",
        "best => key.order.gteq(best.place, place)",
        ORDERS,
        WAVES,
    ),
    fault(
        "by rows: a row group between two jobs is lost",
        "rows/BestFirst.scala",
        "copyOf(later, if (isLast)",
        "copyOf(later.drop(1), if (isLast)",
        ORDERS,
        WAVES,
    ),
    fault(
        "by rows: nulls are on the other side",
        "rows/PositionScan.scala",
        "key.copy(child = alias.toAttribute)",
        "key.copy(child = alias.toAttribute, nullOrdering = if (key.nullOrdering == "
        f"{_SQL}.NullsFirst) {_SQL}.NullsLast else {_SQL}.NullsFirst)",
        ORDERS,
        BY_ROWS,
    ),
    fault(
        "by rows: rows of a row group that is read whole are lost",
        "search/NarrowRowGroups.scala",
        "whole.copy(ranges = chosen.ranges, inWholeChunks = true)",
        "whole.copy(ranges = chosen.ranges.take(1), inWholeChunks = true)",
        ORDERS,
        BY_ROWS,
    ),
    fault(
        "by rows: column indexes of writers that are not listed do not matter",
        "parquet/Footer.scala",
        "Boolean = !hasTrustedPages &&",
        "Boolean = false && !hasTrustedPages &&",
        LIES,
    ),
)
