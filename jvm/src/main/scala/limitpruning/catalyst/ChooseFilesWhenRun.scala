package limitpruning.catalyst

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Strategy
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.{LimitPruningConf, SparkSessions}
import limitpruning.footers.Selectivity
import limitpruning.parquet.FileId
import limitpruning.rows.ChooseFilesByRows
import limitpruning.search.ChosenFiles
import limitpruning.select.Reason
import limitpruning.tables.WantedFiles

/** Chooses the files and row groups for one LIMIT when its query runs, by reading columns. Thread-safe. */
final class ChooseFilesWhenRun(val session: SparkSession, state: PlanningState, val wanted: WantedFiles) {

  /**
   * @param planned plans the scan of chosen files, or says why it cannot be read
   * @return what to read, or the reason why the format's own scan reads the table
   */
  def apply[T](conf: SQLConf)(planned: ChosenFiles => Either[Reason, T]): Either[Reason, T] =
    if (!conf.getConf(LimitPruningConf.Enabled)) Left(Reason.DisabledWhenRun)
    else
      wanted.chosenOnce(FailOpen(state, conf)(chosen(conf))(Left(_)))
        .flatMap(files => FailOpen(state, conf)(planned(files))(Left(_)))

  private def chosen(conf: SQLConf): Either[Reason, ChosenFiles] = {
    val classic = SparkSessions.onServer(session)
    new ChooseFilesByRows(
      classic,
      wanted.table,
      wanted.rows.limit,
      wanted.rows.conjuncts,
      wanted.rows.order.toSeq.flatMap(_.all),
      new DataSourceV2Strategy(classic)(_),
      wanted.searched,
      conf,
      selectivity
    )()
  }

  private def selectivity: Selectivity = wanted.table.files.headOption.fold(Selectivity.unknown) { file =>
    // Such a file never changes.
    state.facts.selectivity.of(
      wanted.rows.conjuncts,
      FileId(file.path, file.bytes, modificationTime = 0, tag = "")
    )
  }

  /** Equal if both choose for the same LIMIT of an optimized plan. Adaptive execution compares plans. */
  override def equals(other: Any): Boolean = other match {
    case that: ChooseFilesWhenRun => wanted eq that.wanted
    case _ => false
  }

  override def hashCode(): Int = System.identityHashCode(wanted)
}
