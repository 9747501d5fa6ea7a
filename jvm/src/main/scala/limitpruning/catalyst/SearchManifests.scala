package limitpruning.catalyst

import java.util.concurrent.TimeUnit

import scala.concurrent.duration.{Deadline, DurationLong}

import org.apache.spark.sql.catalyst.expressions.SortOrder
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.search.{
  ChooseFiles, ChooseGroupFiles, ChooseTopFiles, ChosenFiles, FooterBudget, ReadableTable
}
import limitpruning.select.Reason

/** Searches the manifests of a table for one LIMIT, within the budget of the session. The time runs from here. */
private[catalyst] final class SearchManifests(conf: SQLConf) {
  private type Limited = MatchLimit.Limited[ReadableTable]

  private val files = conf.getConf(LimitPruningConf.MaxFiles)
  private val millis = conf.getConf(LimitPruningConf.MaxTime)
  val deadline: Deadline = millis.millis.fromNow
  private val footers = FooterBudget(conf.getConf(LimitPruningConf.FirstFiles), files, deadline)

  /**
   * @param keys the first sort key of each order; none without ORDER BY
   * @param offset how many rows an OFFSET skips, if the LIMIT can be reduced by those that are counted
   * @param leastSkipped see [[ChooseTopFiles]]
   */
  def rows(
      found: Limited,
      keys: Seq[SortOrder],
      offset: Int,
      leastSkipped: Option[Double] = None
  ): Either[Reason, ChosenFiles] = {
    val stop = stopOf(found.limit, "rows") _
    if (keys.isEmpty) new ChooseFiles(found.limit, found.conjuncts, found.table, stop, footers, offset)()
    else new ChooseTopFiles(found.limit, found.conjuncts, keys, found.table, stop, footers, leastSkipped)()
  }

  def groups(found: MatchGroups.Groups[Limited]): Either[Reason, ChosenFiles] = {
    val scan = found.scan
    val stop = stopOf(scan.limit, "groups") _
    val choose = new ChooseGroupFiles(scan.limit, scan.conjuncts, found.keys, scan.table, stop, footers)
    if (found.areKeysAll) choose.distinct() else choose.whole()
  }

  private def stopOf(limit: Int, what: String)(unproved: Int, nanos: Long): Option[Long => Reason] =
    if (unproved > files)
      Some(Reason.OutOfBudget(LimitPruningConf.MaxFiles.key, s"$files files", _, limit, what))
    else if (nanos > TimeUnit.MILLISECONDS.toNanos(millis))
      Some(Reason.OutOfBudget(LimitPruningConf.MaxTime.key, s"$millis milliseconds", _, limit, what))
    else None
}
