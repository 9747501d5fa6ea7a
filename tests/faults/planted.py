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
)
