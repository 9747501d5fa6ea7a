package limitpruning.scan

import org.apache.spark.sql.catalyst.util.truncatedString
import org.apache.spark.sql.execution.ExplainUtils

import limitpruning.select.{ChosenRows, SkippedRows}

/**
 * The text of EXPLAIN for the scan: one line about the selection, or the same as a list in formatted mode.
 */
private[scan] object ScanDescription {

  /**
   * The text with which Spark replaces text that matches `spark.sql.redaction.string.regex`, quoted for a
   * regex.
   */
  private val Redacted = "*********(redacted)"

  /** For the simple, extended, cost and codegen modes. */
  def line(node: LimitPrunedScanExec, maxFields: Int): String = {
    val columns = truncatedString(node.output, "[", ",", "]", maxFields)
    val entries = details(node, Some(node.conf.maxMetadataStringLength))
    s"${node.nodeName} $columns ${entries.map { case (key, value) => s"$key: $value" }.mkString(", ")}"
  }

  /** For the formatted mode. */
  def block(node: LimitPrunedScanExec, title: String): String = {
    val entries = details(node, None).map { case (key, value) => s"$key: $value" }
    s"""
       |$title
       |${ExplainUtils.generateFieldString("Output", node.output)}
       |${entries.mkString("\n")}
       |""".stripMargin
  }

  private def details(node: LimitPrunedScanExec, maxLength: Option[Int]): Seq[(String, String)] = {
    val chosen = node.chosen
    val counts = chosen.counts
    val scanned = chosen.selection.rowGroups
    def shown(text: String): String = {
      val redacted = node.conf.stringRedactionPattern.fold(text)(_.replaceAllIn(text, Redacted))
      maxLength.filter(_ < redacted.length).fold(redacted)(length => redacted.take(length - 3) + "...")
    }
    val filter =
      if (node.skipsRowFilter) Some("RowFilter" ->
        s"skipped ${shown(chosen.conjuncts.map(_.simpleString(25)).mkString("[", ", ", "]"))}")
      else None
    Seq("Limit" -> chosen.limit.toString) ++ groups(chosen, shown) ++ whyCandidates(chosen, shown) ++ Seq(
      "RowGroups" ->
        s"${counts.rowGroups} total → ${counts.matched} matched → ${counts.fullyMatched} fully matched → $scanned scanned",
      "Files" ->
        s"${counts.files} total → ${counts.filesInspected} inspected → ${chosen.selection.listed.size} scanned",
      "Rows" -> chosen.selection.rows.toString
    ) ++ skipped(chosen) ++ verified(chosen) ++ chosen.selection.reserve.map(more =>
      "Reserve" -> s"${more.rowGroups} row groups, ${more.unseen.size} files that were not inspected"
    ) ++ counts.filesPrunedByLog.map("FilesPrunedByLog" -> _.toString) ++ narrowed(node) ++ filter ++ Seq(
      "Batched" -> SelectionRead.isColumnar(node.scan).toString,
      "ReadSchema" -> shown(node.scan.requiredSchema.catalogString),
      "Location" -> shown(location(node))
    )
  }

  /** The groups that the rows have, if the LIMIT counts groups. Empty if it counts rows. */
  private def groups(chosen: ChosenRows, shown: String => String): Seq[(String, String)] =
    chosen.groups.toSeq.flatMap { groups =>
      Seq(
        "GroupBy" -> shown(groups.keys),
        "GroupsCertain" -> (groups.certain.toString + (if (groups.areAll) ", which are all" else ""))
      )
    }

  /** Why the rows are not exactly those that the LIMIT needs. Empty if they are. */
  private def whyCandidates(chosen: ChosenRows, shown: String => String): Seq[(String, String)] =
    (chosen.top, chosen.notCovered) match {
      case (Some(top), _) => Seq(
          "OrderBy" -> shown(top.key),
          "Threshold" -> top.threshold.fold("found while reading")(shown),
          "RowsCertain" -> top.rowsCertain.toString,
          "DroppedByThreshold" -> top.rowGroupsDropped.toString
        )
      case (None, Some(reason)) => Seq("NotCovered" -> shown(reason.message))
      case (None, None) => Nil
    }

  /** How the rows were found, if columns were read before. */
  private def verified(chosen: ChosenRows): Seq[(String, String)] = chosen.verified.toSeq.flatMap { found =>
    Seq(
      "RowsVerified" -> (found.rows.toString + (if (found.areAll) ", which are all that match" else "")),
      "ReadFirst" -> s"${found.bytes} bytes in ${found.jobs} jobs"
    )
  }

  /** What an OFFSET skips without reading it. Empty if there is nothing. */
  private def skipped(chosen: ChosenRows): Seq[(String, String)] = chosen.skipped match {
    case SkippedRows.Zero => Nil
    case SkippedRows(rows, rowGroups) =>
      Seq("SkippedByOffset" -> s"$rows rows, $rowGroups whole row groups")
  }

  /** Empty if row groups are read whole. */
  private def narrowed(node: LimitPrunedScanExec): Seq[(String, String)] = {
    val selection = node.chosen.selection
    val ranges =
      if (selection.rowRanges == 0) Nil
      else Seq("RowRanges" -> selection.rowRanges.toString, "RowsCut" -> selection.rowsCut.toString)
    val skipped = node.noPageSkipping match {
      case Some(reason) if selection.rows > node.chosen.limit || ranges.nonEmpty =>
        Seq("PagesSkipped" -> s"0, because $reason")
      case None if ranges.nonEmpty => Seq("PagesSkipped" -> s"${node.pagesSkipped}${inWholePages(node)}")
      case _ => Nil
    }
    ranges ++ skipped
  }

  private def inWholePages(node: LimitPrunedScanExec): String = node.columnsInWholePages match {
    case Seq() => ""
    case columns =>
      val shown = truncatedString(columns, "", ", ", "", node.conf.maxToStringFields)
      s" ($shown in whole pages, because Spark's reader cannot skip values in their encoding)"
  }

  private def location(node: LimitPrunedScanExec): String = node.scan.relation.location.rootPaths match {
    case Seq(path) => s"[$path]"
    case paths => s"[${paths.headOption.mkString}, ... ${paths.size - 1} more]"
  }
}
