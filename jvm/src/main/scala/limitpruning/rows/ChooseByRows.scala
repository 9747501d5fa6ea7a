package limitpruning.rows

import java.io.IOException
import java.util.concurrent.ExecutionException

import scala.concurrent.duration.DurationInt

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.internal.Logging
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.Selectivity
import limitpruning.predicate.BriefSql
import limitpruning.search.{
  ClassifiedFile, InspectListed, LikelyRowGroups, LimitPlan, LimitedScan, NotPruned, SampleRowGroups,
  SearchInputs, Table
}
import limitpruning.select.{
  ChosenRows, Groups, ListedFile, MatchingRows, Reason, SearchCounts, Selection, VerifiedRows
}
import limitpruning.shims.ClassicSession

/**
 * Decides what to read for a LIMIT when its query runs, by reading first the columns of the predicate and of the sort keys, or of the
 * keys of groups: Spark jobs find the positions of the rows, and the scan reads these rows. The plan keeps its filter.
 *
 * @param order the sort keys, over the table's columns; empty if any rows will do
 * @param groups the keys of groups, over the table's columns: of each, the first rows are needed, and without an order, one row of any
 *   of them; empty if the LIMIT counts rows
 * @param planned plans a scan of the table as without the extension
 * @param searched what the search of metadata found: why the LIMIT is not pruned, or rows among which those of the LIMIT are
 * @param likely decides where any rows are searched for first
 * @param bestFirst the row groups that may have the first rows, best first; none if that is not known
 * @param sample the row groups in which rows of any groups are searched for; none for the whole table
 */
private[limitpruning] final class ChooseByRows(
    session: ClassicSession,
    scan: LimitedScan[Table],
    order: Seq[SortOrder],
    groups: Seq[Expression],
    planned: LogicalPlan => Seq[SparkPlan],
    inputs: SearchInputs,
    searched: Either[NotPruned, LimitPlan],
    likely: LikelyRowGroups,
    bestFirst: => Option[LimitPlan],
    sample: Option[SampleRowGroups],
    conf: SQLConf
) extends Logging {
  import ChooseByRows._

  private val started = System.nanoTime()

  /** @return what to read; what metadata found, if the rows cannot be searched for */
  def apply(): Either[NotPruned, LimitPlan] = {
    val chosen = for {
      files <- byPath
      if sample.forall(isUnchanged)
      numbered <- PositionScan.numbered(candidates)
      positions <- PositionScan.of(session, numbered, scan.conjuncts, order, groups, planned)
      bytes = RowsPay.bytes(inputs, searched)
      // How many rows match is not how many groups they have.
      selectivity = if (groups.isEmpty) inputs.selectivity else Selectivity.unknown
      find = new FindPositions(session, scan.table.name, conf, selectivity, bytes)
      selected = find(positions, scan.limit, likely, bestFirst, sample.map(some => planOf(some)(_)))
        .flatMap(found => select(found, files).map(found -> _))
      _ = sample.foreach(some => if (selected.isEmpty) some.form.readInVain() else some.form.decided())
      (found, selection) <- selected
    } yield {
      val rows = ChosenRows(
        scan.limit,
        scan.conjuncts,
        selection,
        counts,
        searched.fold(_.planningNanos, _.rows.planningNanos) + System.nanoTime() - started,
        allRowsMatch = false,
        groups =
          if (groups.isEmpty || order.nonEmpty) None
          else Some(Groups(BriefSql.list(groups), found.rows.toInt, found.areAll)),
        // Other rows of the same groups match, too.
        verified =
          Some(VerifiedRows(found.rows, found.areAll && groups.isEmpty, found.waves, found.bytes))
      )
      LimitPlan(rows, scan.table.settings, searched.fold(_.inspected, _.inspected))
    }
    chosen.fold(searched)(Right(_))
  }

  /** The table, without files that metadata exclude. */
  private def candidates: LogicalPlan =
    searched.fold(_ => scan.table.leaf, inputs.listing.read(scan.table.leaf, _))

  private def planOf(sample: SampleRowGroups)(positions: PositionScan): Option[SparkPlan] =
    if (positions.readsRowGroups)
      Some(positions.of(sample.rows, sample.settings, readsDictionaries = false))
    else None

  private def counts: SearchCounts = searched.fold(
    _.counts.getOrElse(SearchCounts.Zero.copy(files = inputs.files.size)),
    _.rows.counts
  )

  /** The files by their paths in Spark's metadata column. None if a path is that of two files. */
  private def byPath: Option[Map[String, ListedFile]] = {
    val named = inputs.files.flatMap { file =>
      // Versions of Spark differ in whether the path is encoded.
      Seq(file.path, new Path(file.path).toUri.toString).distinct.map(_ -> file)
    }
    Some(named.toMap).filter(_.size == named.size)
  }

  private def select(found: FoundPositions, files: Map[String, ListedFile]): Option[Selection] = {
    val listed = found.positions.map(some => files.get(some.path).map(_ -> some))
    if (listed.exists(_.isEmpty)) None
    else {
      val located = listed.flatten
      val footers = InspectListed(located.map(_._1), inputs, Patience)
      if (footers.size < located.size || !areUnchanged(located.map(_._1))) None
      else if (RowsPay.hasUnlistedColumnIndexes(footers, scan, inputs)) {
        // If they are wrong, plain Spark returns other rows.
        logInfo(
          "Rows of a LIMIT were found in files with column indexes of a writer that is not listed, so " +
            s"Spark's own scan reads the table ${scan.table.name}"
        )
        None
      } else {
        val rows = footers.zip(located).map { case (file, (_, positions)) =>
          positions.byRowGroup(file.footer.rowGroups.map(_.getRowCount))
            .map(groups =>
              file -> groups.map { case (ordinal, ranges) =>
                // It may be read as a whole: the plan keeps its filter. Rows that Spark need not sort or group are dropped before.
                MatchingRows(
                  ordinal,
                  ranges,
                  isWhole = true,
                  reliesOnPages = false,
                  areAlone = (order.nonEmpty || groups.nonEmpty) &&
                    inputs.listing.facts(file.listed).isWithoutDeletes
                )
              }
            )
        }
        if (rows.exists(_.isEmpty)) None else addressed(rows.flatten)
      }
    }
  }

  private def addressed(rows: Seq[(ClassifiedFile, Seq[MatchingRows])]): Option[Selection] =
    if (rows.isEmpty) Some(Selection(Nil))
    else inputs.address(Patience.fromNow, rows.map(_._1.footer.requestBytes).min)(rows) match {
      case Right(selection) => Some(selection)
      case Left(_: Reason) => None
    }

  /** Whether the row groups that were chosen while planning can still be read. */
  private def isUnchanged(sample: SampleRowGroups): Boolean =
    sample.settings.changedSince(scan.table.settings).isEmpty && areUnchanged(sample.rows.selection.listed)

  /**
   * Whether files are still as they were listed, before their rows were found. The scan checks that they stay as their
   * footers say.
   */
  private def areUnchanged(files: Seq[ListedFile]): Boolean = {
    val statuses = files.map { file =>
      val path = file.status.getPath
      inputs.threads.submit[FileStatus](() => path.getFileSystem(inputs.storage.conf).getFileStatus(path))
    }
    files.zip(statuses).forall { case (file, status) =>
      // Some stores list milliseconds, and return seconds for single files.
      def seconds(of: FileStatus) = of.getModificationTime / 1000
      def isSameTime = inputs.listing.areFilesImmutable || seconds(status.get()) == seconds(file.status)
      try status.get().getLen == file.length && isSameTime
      catch { case missing: ExecutionException if missing.getCause.isInstanceOf[IOException] => false }
    }
  }
}

private object ChooseByRows {

  /** The maximum time to read the footers and page indexes of the files with rows. */
  private val Patience = 1.minute
}
