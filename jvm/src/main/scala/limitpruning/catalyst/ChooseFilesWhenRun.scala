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
    wanted.chosenOnce(FailOpen(state, conf)(chosen(conf))(Left(_))).flatMap { files =>
      val read = FailOpen(state, conf)(planned(files))(Left(_))
      // Another copy may have read only the chosen rows, for a filter.
      for (reason <- read.left.toOption if wanted.rows.ofCopies.nonEmpty)
        throw new IllegalStateException(
          s"The rows that were chosen for a LIMIT over ${wanted.table.name} cannot be read: $reason. Create the DataFrame again."
        )
      read
    }

  private def chosen(conf: SQLConf): Either[Reason, ChosenFiles] =
    if (!conf.getConf(LimitPruningConf.Enabled)) Left(Reason.DisabledWhenRun)
    else {
      val classic = SparkSessions.onServer(session)
      new ChooseFilesByRows(
        classic,
        wanted.table,
        wanted.rows.limit,
        wanted.rows.conjuncts,
        wanted.rows.order.toSeq.flatMap(_.all),
        wanted.rows.groups,
        new DataSourceV2Strategy(classic)(_),
        wanted.searched,
        wanted.sample,
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
