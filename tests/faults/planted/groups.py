"""Faults of `DISTINCT … LIMIT` and `GROUP BY … LIMIT`."""

from __future__ import annotations

from faults.fault import GROUPS, NAMED_GROUPS, fault

FAULTS = (
    fault(
        "groups: min and max of a row group count as two keys",
        "search/DistinctSearch.scala",
        "certain += Certain(certain.size, file, rows, ends)",
        "for (end <- Seq(ends.from, ends.to))"
        " certain += Certain(certain.size, file, rows, KeyTuples.Ends(end, end))",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: a key counts as not null, whatever is known",
        "search/KeyTuples.scala",
        "(if (facts(i).canBeNull) null else range.min, range.max)",
        "(range.min, range.max)",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: 0.0 and -0.0 count as two keys",
        "search/KeyTuples.scala",
        "case _ => order.compare(a, b)",
        "case (x: Double, y: Double) => java.lang.Double.compare(x, y)\n"
        "      case (x: Float, y: Float) => java.lang.Float.compare(x, y)\n"
        "      case _ => order.compare(a, b)",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: one row is read where it is not known which rows are null",
        "search/GroupKeys.scala",
        "case Some(withoutNulls) => Some((keys.ends(withoutNulls), matching))",
        "case Some(withoutNulls) => Some((keys.ends(withoutNulls),"
        " matching.copy(ranges = RowRange.take(matching.ranges, 1))))",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: ranges that touch count as disjoint",
        "select/DisjointRanges.scala",
        "if last.forall(order.lt(_, from))",
        "if last.forall(order.lteq(_, from))",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: the keys of a row group with several keys do not count as missing",
        "search/DistinctSearch.scala",
        "possible += all.from else areAllEqual = false",
        "possible += all.from else areAllEqual = areAllEqual && all.from.nonEmpty",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: of a group with functions, one file is read",
        "search/WholeGroupsSearch.scala",
        ".flatMap(filesOf(_)).sortBy(_.position)",
        ".flatMap(filesOf(_).take(1)).sortBy(_.position)",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: HAVING is ignored",
        "catalyst/MatchGroups.scala",
        "filters.headOption.map(filter => Reason.GroupFilter(BriefSql(filter)))",
        "filters.headOption.map(filter => Reason.GroupFilter(BriefSql(filter))).filter(_ => false)",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: a dictionary counts for one key more than it has",
        "search/OccurringKeys.scala",
        "def isEnough: Boolean = values.size >= limit",
        "def isEnough: Boolean = values.size + 1 >= limit",
        GROUPS,
        "tests/limits/test_groups_by_dictionaries.py",
    ),
    fault(
        "groups: dictionaries count in row groups in which some rows match",
        "search/OccurringKeys.scala",
        "rows.isWhole && RowRange.rowsOf(rows.ranges) ==",
        "rows.isWhole || RowRange.rowsOf(rows.ranges) <=",
        GROUPS,
        "tests/limits/test_groups_by_dictionaries.py",
    ),
    fault(
        "groups: entries of dictionaries occur, whoever wrote them",
        "parquet/TrustedClaims.scala",
        "def provesByEntries: Boolean = listed(Dictionaries) && listed(EntriesOccur)",
        "def provesByEntries: Boolean = listed(Dictionaries) || listed(EntriesOccur)",
        GROUPS,
        "tests/limits/test_groups_by_dictionaries.py",
    ),
)
