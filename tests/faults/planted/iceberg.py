"""Faults of tables of Apache Iceberg."""

from __future__ import annotations

from faults.fault import (
    ICEBERG,
    ICEBERG_ORDERS,
    NAMED_ICEBERG_BY_ROWS,
    NAMED_ICEBERG_GROUPS,
    NAMED_ICEBERG_GROUPS_BY_ROWS,
    NAMED_ICEBERG_MIN_MAX,
    NAMED_ICEBERG_ORDERS,
    NAMED_ICEBERG_ROW_GROUPS,
    fault,
)

FAULTS = (
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
        "Iceberg: bounds of strings are the bytes of the file, whatever Java's strings have",
        "tables/iceberg/StringBounds.scala",
        "isExact = ofOneRowGroup && !low.contains(Replacement) &&\n        !high.exists(",
        "isExact = ofOneRowGroup || !low.contains(Replacement) || low.nonEmpty ||\n"
        "        !high.exists(",
        ICEBERG,
        ICEBERG_ORDERS,
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
        "Long = file.liveRowsOf(rowGroup.rows)",
        "Long = file.deletedRows.fold(0L)(_ => rowGroup.rows)",
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
        "Iceberg, MIN and MAX: of several orders, only the files of the first are read",
        "search/ChooseTopFiles.scala",
        "several.flatMap(_.chosen)",
        "several.take(1).flatMap(_.chosen)",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_MIN_MAX,
    ),
    fault(
        "Iceberg, MIN and MAX: of a file, the row groups of only one order are read",
        "search/ChooseTopFiles.scala",
        "val read = some.flatten",
        "val read = some.take(1).flatten",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_MIN_MAX,
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
    fault(
        "Iceberg, groups: a file of which some rows match counts",
        "search/GroupsOfFiles.scala",
        "if (found.state != MatchState.FullyMatching || live == 0) None",
        "if (found.state == MatchState.NotMatching || live == 0) None",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_GROUPS,
    ),
    fault(
        "Iceberg, groups: a file counts, whatever is deleted",
        "search/GroupsOfFiles.scala",
        "val live = file.liveRowsOf(rows)",
        "val live = rows",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_GROUPS,
    ),
    fault(
        "Iceberg, groups: of a whole group, only the files that count are read",
        "search/ChooseGroupFiles.scala",
        "certain.take(limit).flatten.map(one => ChosenFile(one.file))",
        "certain.take(limit).flatten.filter(_.isCertain).map(one => ChosenFile(one.file))",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_GROUPS,
    ),
    fault(
        "Iceberg, groups: those that were found are all, whatever other files may have",
        "search/ChooseGroupFiles.scala",
        "      areFound(seen.toSeq, found)",
        "      areFound(seen.take(1).toSeq, found)",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_GROUPS,
    ),
    fault(
        "Iceberg, by rows: a row group with rows is left out",
        "rows/ChooseFilesByRows.scala",
        "ChosenFile(file, Some(found.map {",
        "ChosenFile(file, Some(found.drop(1).map {",
        ICEBERG,
        NAMED_ICEBERG_BY_ROWS,
    ),
    fault(
        "Iceberg, groups by rows: rows that do not match have groups",
        "rows/ChooseFilesByRows.scala",
        "numbered, conjuncts, order",
        "numbered, conjuncts.filter(_ => groups.isEmpty), order",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_GROUPS_BY_ROWS,
    ),
    fault(
        "Iceberg: a row group has no NaN, whatever the manifest counts",
        "search/ClassifyFiles.scala",
        "if KeyFacts.isNaN(ofSome) && !KeyFacts.isNaN(ofAll)",
        "if KeyFacts.isNaN(ofSome)",
        ICEBERG_ORDERS,
        NAMED_ICEBERG_ROW_GROUPS,
    ),
)
