"""The faults, each as edits of the current code.

Each fault could make a proof wrong. If the code around a fault changes, its edits must be adapted:
`test_faults` fails if an edit does not apply exactly once.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

TABLES = "tests/fuzz/test_properties.py::test_random_tables"
ORDERS = "tests/fuzz/test_random_orders.py"
DELTA = "tests/delta/test_delta_random.py"
GROUPS = "tests/fuzz/test_random_groups.py"
NAMED_GROUPS = "tests/soundness/test_soundness_groups.py"
PLANS = "tests/fuzz/test_random_plans.py"
MIN_MAX = "tests/limits/test_min_max.py"
ICEBERG = "tests/iceberg/test_iceberg_random.py"
ICEBERG_ORDERS = "tests/iceberg/test_iceberg_random_orders.py"
NAMED_ICEBERG_ORDERS = "tests/iceberg/test_iceberg_orders.py"
NAMED_ICEBERG_ROW_GROUPS = "tests/iceberg/test_iceberg_row_groups.py"
SOUNDNESS = "tests/soundness"


@dataclass(frozen=True)
class Edit:
    """A replacement in one file.

    Attributes:
        file: The file, below the folder of the main sources.
        find: Text that the file contains exactly once.
        replace: The faulty text.
    """

    file: str
    find: str
    replace: str

    def apply(self, sources: Path) -> None:
        """Replace the text below `sources`.

        Raises:
            ValueError: The file does not contain the text exactly once.
        """
        path = sources / self.file
        text = path.read_text(encoding="utf-8")
        if text.count(self.find) != 1:
            raise ValueError(f"{self.file} contains {text.count(self.find)} times: {self.find}")
        path.write_text(text.replace(self.find, self.replace), encoding="utf-8")


@dataclass(frozen=True)
class Fault:
    """A fault and the tests that should find it.

    Attributes:
        what: What is wrong with the faulty code.
        edits: How to plant it.
        tests: A random test, then tests that are tried if it finds nothing.
    """

    what: str
    edits: tuple[Edit, ...]
    tests: tuple[str, ...]

    @property
    def part(self) -> str:
        """The part of the product that it is in, by which `make faults` chooses faults."""
        return _PARTS[self.tests[0]]


_PARTS = {
    TABLES: "rows",
    ORDERS: "orders",
    DELTA: "delta",
    GROUPS: "groups",
    PLANS: "plans",
    ICEBERG: "iceberg",
    ICEBERG_ORDERS: "iceberg",
}
PARTS = tuple(dict.fromkeys(_PARTS.values()))


def fault(what: str, file: str, find: str, replace: str, *tests: str) -> Fault:
    """Return a fault of one edit."""
    return Fault(what, (Edit(file, find, replace),), tests)


FAULTS = (
    fault(
        "`a < b` is proved where the ranges touch",
        "predicate/Comparisons.scala",
        "canBeFalse = ordering.gteq(l.max, r.min), // [c",
        "canBeFalse = ordering.gt(l.max, r.min), // [c",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "a null on the right side of `<=>` is ignored",
        "predicate/Comparisons.scala",
        "|| (left.canBeValue && right.canBeNull)) Outcomes.False",
        "|| (left.canBeNull && right.canBeNull)) Outcomes.False",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "`IN` is proved where the range contains one of the values",
        "predicate/FactOutcomes.scala",
        "else if (ordering.equiv(range.min, range.max)) Outcomes.True",
        "else if (ordering.lteq(range.min, range.max)) Outcomes.True",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "`LIKE 'x%'` is proved by one end of the range",
        "predicate/FactOutcomes.scala",
        "canBeFalse = !(min.startsWith(prefix) && max.startsWith(prefix)),",
        "canBeFalse = !(min.startsWith(prefix) || max.startsWith(prefix)),",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "`AND` is never null unless both sides can be",
        "predicate/Outcomes.scala",
        "(canBeNull && (other.canBeTrue || other.canBeNull)) || (other.canBeNull && canBeTrue)",
        "canBeNull && other.canBeNull",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "of more than two conjuncts, only the first two are evaluated",
        "predicate/Evaluator.scala",
        "while (next < roots.size && all.canBeTrue)",
        "while (next < math.min(2, roots.size) && all.canBeTrue)",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "an unknown null count is used as zero",
        "parquet/ColumnChunk.scala",
        "ColumnFacts(values, if (isRequired) Nulls.No else Nulls.Unknown)",
        "ColumnFacts(values, if (isRequired || chunk.nullCount.isEmpty) Nulls.No"
        " else Nulls.Unknown)",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "NaN is missing from a range of floats",
        "parquet/TrustedTypes.scala",
        "(min, _) => if (isNaN(min)) None else Some(Values.Range(convert(min), nan))",
        "(min, max) => if (isNaN(min)) None"
        " else Some(Values.Range(convert(min), if (isNaN(max)) nan else convert(max)))",
        TABLES,
        "tests/soundness/test_soundness_floats.py",
    ),
    fault(
        "a dictionary counts although some pages do not use it",
        "parquet/ChunkReader.scala",
        ".forall(e => e.usesDictionary && statistics.getNumDataPagesEncodedAs(e) > 0)",
        ".exists(e => e.usesDictionary && statistics.getNumDataPagesEncodedAs(e) > 0)",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "an INT96 timestamp before 1900 is trusted, although the reader may rebase it",
        "parquet/DictionaryDecoder.scala",
        ".toOption.filter(_ >= RebaseDateTime.lastSwitchJulianTs)",
        ".toOption.filter(_ >= RebaseDateTime.lastSwitchJulianTs || day > 0)",
        TABLES,
        "tests/limits/test_int96.py",
    ),
    fault(
        "INT96 statistics are trusted in any order that Thrift does not know",
        "parquet/Int96Statistics.scala",
        "case (leaf, OrderOfTime) if",
        "case (leaf, _) if",
        TABLES,
        "tests/limits/test_int96_order.py",
    ),
    fault(
        "unsigned integers are converted as if they were signed",
        "parquet/TrustedTypes.scala",
        "Integer.toUnsignedLong(value)",
        "value.toLong",
        TABLES,
        "tests/limits/test_unsigned.py",
    ),
    fault(
        "unsigned integers of all writers are trusted, also of those that merge pages as signed",
        "parquet/WriterQuirks.scala",
        "if (comparesUnsigned || !UnsignedWriters.concern(column)) doubted",
        "if (comparesUnsigned || doubted.isEmpty) doubted",
        TABLES,
        "tests/limits/test_unsigned.py",
    ),
    fault(
        "a range of rows reaches one row into the next page",
        "search/ClassifyPages.scala",
        "RowRange(from, until) ->",
        "RowRange(from, math.min(rows, until + 1)) ->",
        TABLES,
        SOUNDNESS,
    ),
    fault(
        "a row group counts as decided although some of its pages are not",
        "search/ClassifyPages.scala",
        "val isDecided = states.forall {",
        "val isDecided = states.exists {",
        TABLES,
        ORDERS,
    ),
    fault(
        "null counts of pages are used as zero",
        "parquet/PageFacts.scala",
        "Some(ColumnChunk(rows, rows, nullCount, minMax(",
        "Some(ColumnChunk(rows, rows, Some(0L), minMax(",
        TABLES,
        SOUNDNESS,
    ),
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
        "!isSkipped",
        ORDERS,
    ),
    fault(
        "ORDER BY: ties are skipped although there is another key",
        "catalyst/MatchTopRows.scala",
        "order.size == 1,",
        "order.nonEmpty,",
        ORDERS,
    ),
    fault(
        "subqueries: a max is chosen in ascending order",
        "catalyst/MatchMinMax.scala",
        "order(max.child, Descending)",
        "order(max.child, Ascending)",
        PLANS,
        MIN_MAX,
    ),
    fault(
        "subqueries: Spark merges those with different predicates",
        "tables/UndecidedIndex.scala",
        "wanted.conjuncts.map(normalized)",
        "Nil",
        PLANS,
        "tests/soundness/test_soundness_subqueries.py",
    ),
    fault(
        "subqueries: one order for functions with different keys",
        "catalyst/MatchMinMax.scala",
        "orders.forall(_.exists(_.semanticEquals(first)))",
        "orders.exists(_.exists(_.semanticEquals(first)))",
        PLANS,
        MIN_MAX,
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
        "deletion vectors are ignored",
        "tables/delta/SelectedDeltaIndex.scala",
        "if (selected.exists(_.deletionVector != null))",
        "if (selected.isEmpty)",
        DELTA,
    ),
    fault(
        "deleted rows are counted, while Delta reads the files",
        "search/ClassifyRowGroups.scala",
        "known(listed).deletedRows.getOrElse(0L)",
        "known(listed).deletedRows.map(_ => 0L).getOrElse(0L)",
        DELTA,
    ),
    fault(
        "groups: min and max of a row group count as two keys",
        "search/DistinctSearch.scala",
        "certain += Certain(certain.size, file, rows, ends)",
        "for (end <- Seq(ends.from, ends.to))"
        " certain += Certain(certain.size, file, rows, GroupKeys.Ends(end, end))",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: a key counts as not null, whatever is known",
        "search/GroupKeys.scala",
        "(if (known(i).canBeNull) null else range.min, range.max)",
        "(range.min, range.max)",
        GROUPS,
        NAMED_GROUPS,
    ),
    fault(
        "groups: 0.0 and -0.0 count as two keys",
        "search/GroupKeys.scala",
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
        "case Some(withoutNulls) => (endsOf(withoutNulls), matching)",
        "case Some(withoutNulls) =>"
        " (endsOf(withoutNulls), matching.copy(ranges = RowRange.take(matching.ranges, 1)))",
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
        "subqueries: a conjunct with a subquery counts as proved",
        "catalyst/ChooseWhenRunExec.scala",
        "choose(conjuncts.map(ScalarSubqueries.withValues),",
        "choose(conjuncts.filterNot(ScalarSubqueries.plansIn(_).nonEmpty),",
        PLANS,
        "tests/limits/test_subqueries.py",
    ),
    fault(
        "at the root: one row of a split is missing",
        "scan/FirstPages.scala",
        "val range = RowRange(0, missing)",
        "val range = RowRange(0, math.max(1, missing - 1))",
        TABLES,
        "tests/limits/test_at_root.py",
    ),
    fault(
        "partitions: decimals of other digits are trusted",
        "tables/ParquetTable.scala",
        "value.scale != decimal.scale || value.precision > decimal.precision",
        "value.precision > decimal.precision",
        PLANS,
        "tests/soundness/test_soundness_places.py",
    ),
    fault(
        "Iceberg: position deletes and equality deletes are ignored",
        "tables/iceberg/IcebergTable.scala",
        "      Some(only.recordCount)\n    case _ => None",
        "      Some(only.recordCount)\n    case _ => Some(0L)",
        ICEBERG,
    ),
    fault(
        "Iceberg: the cardinality of deletion vectors is ignored",
        "tables/iceberg/IcebergTable.scala",
        "Some(only.recordCount)",
        "Some(0L)",
        ICEBERG,
    ),
    fault(
        "Iceberg: a column of a file has no nulls, whatever the manifest counts",
        "tables/iceberg/MetricFacts.scala",
        "val known = if (nulls.contains(0L)) Nulls.No else Nulls.Unknown",
        "val known = Nulls.No",
        ICEBERG,
    ),
    fault(
        "Iceberg: a column of a file has no NaN, whatever the manifest counts",
        "tables/iceberg/MetricFacts.scala",
        "!count(file.nanValueCounts, field).contains(0L)",
        "count(file.nanValueCounts, field).contains(-1L)",
        ICEBERG,
    ),
    fault(
        "Iceberg: the value of every partition transform is a value of the column",
        "tables/iceberg/MetricFacts.scala",
        "by.sourceId == field.fieldId && by.transform.isIdentity",
        "by.sourceId == field.fieldId",
        ICEBERG,
    ),
    fault(
        "Iceberg: a file of which some rows match counts with all rows",
        "search/ChooseFiles.scala",
        "        case MatchState.FullyMatching =>\n          chosen += ChosenFile(file)",
        "        case MatchState.FullyMatching | MatchState.PartiallyMatching =>\n"
        "          chosen += ChosenFile(file)",
        ICEBERG,
    ),
    fault(
        "Iceberg: a row group of which some rows match counts with all rows",
        "search/ChooseFiles.scala",
        "case (rowGroup, MatchState.FullyMatching) => rowGroup",
        "case (rowGroup, state) if state != MatchState.NotMatching => rowGroup",
        ICEBERG,
    ),
    fault(
        "Iceberg: deleted rows of a file count in its row groups",
        "search/ChooseFiles.scala",
        "file.liveRowsOf(rowGroup.rows)",
        "file.deletedRows.fold(0L)(_ => rowGroup.rows)",
        ICEBERG,
        NAMED_ICEBERG_ROW_GROUPS,
    ),
    fault(
        "Iceberg, ORDER BY: a file that begins at the threshold is skipped",
        "search/KeyPlaces.scala",
        "!mayMatch || threshold.excludes(best)",
        "!mayMatch || threshold.excludes(best) || threshold.place == best",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ORDERS,
    ),
    fault(
        "Iceberg, ORDER BY: nulls of the key are ignored",
        "search/KeyPlaces.scala",
        "best(known.known), counted)",
        "best(known.known.withoutNulls), counted)",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ORDERS,
    ),
    fault(
        "Iceberg, ORDER BY: deleted rows count",
        "search/ChooseTopFiles.scala",
        "places.unit(found.state, facts, file.rows, file.deletedRows)",
        "places.unit(found.state, facts, file.rows, file.deletedRows.map(_.min(0L)))",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ORDERS,
    ),
    fault(
        "Iceberg, ORDER BY: a row is certain to be at the better bound, which may be truncated",
        "search/ChooseTopFiles.scala",
        "for ((place, rows) <- unit.certain) threshold.add(place, rows)",
        "for ((place, rows) <- unit.certain) {\n"
        "        threshold.add(place, rows - 1)\n"
        "        unit.best.foreach(threshold.add(_, 1))\n"
        "      }",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ORDERS,
    ),
    fault(
        "Iceberg, ORDER BY: a file of which some rows match counts with all rows",
        "search/KeyPlaces.scala",
        "if (state != MatchState.FullyMatching) Nil",
        "if (state == MatchState.NotMatching) Nil",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ORDERS,
    ),
    fault(
        "Iceberg, ORDER BY: NaN is missing from the range of the key",
        "search/ChooseTopFiles.scala",
        "val facts = found.facts(keyOrdinal)",
        "val facts = found.facts(keyOrdinal).known.values match {\n"
        "        case Values.Range(min, max) if KeyFacts.isNaN(max) =>\n"
        "          val all = found.facts(keyOrdinal)\n"
        "          all.copy(known = all.known.copy(values = Values.Range(min, min)))\n"
        "        case _ => found.facts(keyOrdinal)\n"
        "      }",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ORDERS,
    ),
    fault(
        "Iceberg, ORDER BY: rows of a file count by its manifest and by its row groups",
        "search/RefineTopFiles.scala",
        "known.get(file.position).fold(Seq(unit))(_.map(_.unit))",
        "Seq(unit) ++ known.get(file.position).toSeq.flatMap(_.map(_.unit))",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ROW_GROUPS,
    ),
    fault(
        "Iceberg, ORDER BY: deleted rows of a file count in its row groups",
        "search/RefineTopFiles.scala",
        "places.unit(found.state, found.facts(keyOrdinal), rowGroup.rows, file.deletedRows)",
        "places.unit(found.state, found.facts(keyOrdinal), rowGroup.rows, Some(0L))",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ROW_GROUPS,
    ),
)
