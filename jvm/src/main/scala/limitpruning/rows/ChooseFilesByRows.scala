package limitpruning.rows

import scala.concurrent.duration.{Deadline, DurationInt, DurationLong}

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.Selectivity
import limitpruning.predicate.{BriefSql, LeafColumn}
import limitpruning.search.{
  ChosenFile, ChosenFiles, InspectedPart, ManifestFile, ReadableTable, SampleOfFiles
}
import limitpruning.select.{Groups, Reason, SearchCounts, VerifiedRows}
import limitpruning.shims.ClassicSession

/**
 * Chooses files and row groups of a [[ReadableTable]] for a LIMIT when its query runs, by reading first the columns of the
 * predicate and of the sort keys, or of the keys of groups. The format's own reader reads them, without deleted rows. The plan keeps
 * its filter.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param order the sort keys, over the table's columns; empty if any rows will do
 * @param groups the keys of groups, over the table's columns, of any of which one row each is needed; empty if the LIMIT counts rows
 * @param planned plans a scan as without the extension
 * @param searched what the search of metadata found
 * @param sample the row groups in which rows of groups are searched for; none for the whole table
 * @param selectivity what is known about the predicate
 */
private[limitpruning] final class ChooseFilesByRows(
    session: ClassicSession,
    table: ReadableTable,
    limit: Int,
    conjuncts: Seq[Expression],
    order: Seq[SortOrder],
    groups: Seq[Expression],
    planned: LogicalPlan => Seq[SparkPlan],
    searched: Either[Reason, ChosenFiles],
    sample: Option[SampleOfFiles],
    conf: SQLConf,
    selectivity: Selectivity
) {
  import ChooseFilesByRows._

  private val started = System.nanoTime()

  /** @return what to read; what metadata found, if the rows cannot be searched for */
  def apply(): Either[Reason, ChosenFiles] = {
    val columns = AttributeSet((conjuncts ++ order.map(_.child) ++ groups).flatMap(_.references))
    // If the footers take long, the sample is in vain.
    val inSample = sample.map(_.chosen(table, Deadline.now + conf.getConf(LimitPruningConf.MaxTime).millis))
    val chosen = for {
      _ <- if (inSample.exists(_.isEmpty)) None else Some(())
      numbered <- table.numbered(columns, inSample.orElse(searched.toOption.map(_.files)))
      positions <- PositionScan.of(session, numbered, conjuncts, order, groups, planned)
      // How many rows match is not how many groups they have.
      known = if (groups.isEmpty) selectivity else Selectivity.unknown
      find = new FindPositions(session, table.name, conf, known, bytes)
      // The scan reads nothing but the sample.
      found <- find(positions, limit, sample = inSample.map(_ => (scan: PositionScan) => Some(scan.plan)))
      (files, opened) <- select(found.positions)
    } yield {
      val before = searched.toOption
      val all = table.files
      val counts = before.fold(SearchCounts.Zero.copy(all.size, bytes = ManifestFile.bytes(all)))(_.counts)
      ChosenFiles(
        table.name,
        limit,
        conjuncts,
        files,
        counts.copy(rowGroups = opened, matched = opened, fullyMatched = 0),
        before.fold(0L)(_.planningNanos) + System.nanoTime() - started,
        None, // rows that are not read may sort before the threshold of metadata
        before.fold(Seq.empty[InspectedPart])(_.inspected),
        before.fold(IndexedSeq.empty[LeafColumn])(_.columns),
        // Other rows of the same groups match, too.
        Some(VerifiedRows(found.rows, found.areAll && groups.isEmpty, found.waves, found.bytes)),
        groups =
          if (groups.isEmpty) None
          else Some(Groups(BriefSql.list(groups), found.rows.toInt, found.areAll))
      )
    }
    sample.foreach(some => if (chosen.isEmpty) some.form.readInVain() else some.form.decided())
    chosen.fold(searched)(Right(_))
  }

  private def bytes: Long = RowsOfFilesPay.candidates(table, searched).iterator.map(_.bytes).sum

  /**
   * The row groups with the rows, and the number of all row groups of their files; the whole file where they cannot be read on
   * their own. None if a file is not known.
   */
  private def select(positions: Seq[Positions]): Option[(IndexedSeq[ChosenFile], Int)] = {
    val byPath = table.files.map(file => file.path -> file).toMap
    val located = positions.flatMap(some => byPath.get(some.path).map(_ -> some)).toIndexedSeq
    if (byPath.size < table.files.size || located.size < positions.size) None
    else {
      val most = conf.getConf(LimitPruningConf.MaxFiles)
      val divided = located.map(_._1).filter(_.parts > 1).take(most)
      val rowGroups = table.rowGroups(divided, IndexedSeq.empty, Deadline.now + Patience)
      val known = divided.map(_.position).zip(rowGroups).toMap
      val chosen = located.map { case (file, rows) =>
        known.get(file.position).flatten.flatMap { known =>
          rows.byRowGroup(known.map(_.rows)).filter(_.size < known.size).map { found =>
            ChosenFile(file, Some(found.map { case (ordinal, _) => known(ordinal) }))
          }
        }.getOrElse(ChosenFile(file))
      }
      Some((chosen, rowGroups.flatten.map(_.size).sum))
    }
  }
}

private object ChooseFilesByRows {

  /** The maximum time to read the footers of the files with rows. */
  private val Patience = 1.minute
}
