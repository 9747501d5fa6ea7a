package limitpruning.catalyst

import java.util.concurrent.TimeUnit

import scala.concurrent.duration.{Deadline, DurationLong}

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.search.{
  ChooseFiles, ChooseGroupFiles, ChooseTopFiles, ChosenFiles, FooterBudget, LimitedScan, ManifestTable
}
import limitpruning.select.Reason

/** Searches the manifests of a table for one LIMIT, within the budget of the session. The time runs from here. */
private[catalyst] final class SearchManifests(conf: SQLConf) {
  private val files = conf.getConf(LimitPruningConf.MaxFiles)
  private val millis = conf.getConf(LimitPruningConf.MaxTime)
  val deadline: Deadline = millis.millis.fromNow
  private val footers = FooterBudget(conf.getConf(LimitPruningConf.FirstFiles), files, deadline)

  /**
   * @param keys the first sort key of each order; none without ORDER BY
   * @param leastSkipped see [[ChooseTopFiles]]
   */
  def rows(
      scan: LimitedScan[ManifestTable],
      keys: Seq[SortOrder],
      leastSkipped: Option[Double] = None
  ): Either[Reason, ChosenFiles] = {
    val stop = stopOf(scan.limit, "rows") _
    if (keys.isEmpty) new ChooseFiles(scan, stop, footers)()
    else new ChooseTopFiles(scan, keys, stop, footers, leastSkipped)()
  }

  def groups(found: MatchGroups.Groups[LimitedScan[ManifestTable]]): Either[Reason, ChosenFiles] = {
    val choose = new ChooseGroupFiles(found.scan, found.keys, stopOf(found.scan.limit, "groups"), footers)
    if (found.areKeysAll) choose.distinct() else choose.whole()
  }

  private def stopOf(limit: Int, what: String)(unproved: Int, nanos: Long): Option[Long => Reason] =
    if (unproved > files)
      Some(Reason.OutOfBudget(LimitPruningConf.MaxFiles.key, s"$files files", _, limit, what))
    else if (nanos > TimeUnit.MILLISECONDS.toNanos(millis))
      Some(Reason.OutOfBudget(LimitPruningConf.MaxTime.key, s"$millis milliseconds", _, limit, what))
    else None
}
