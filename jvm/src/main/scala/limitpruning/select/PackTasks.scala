package limitpruning.select

import scala.collection.mutable.ArrayBuffer

/**
 * Row groups that stand next to each other in one file and are read with one opening of it.
 *
 * @param file the file; its `rowGroups` are those of this run alone
 */
final case class Run(file: SelectedFile)

/**
 * Packs a selection into tasks, in order: as few as its bytes ask for, so that a small limit is one task, and
 * a large one is still read in parallel. Row groups that are neighbours in a file and in a task form one [[Run]].
 */
object PackTasks {

  /**
   * @param bytesOf bytes that reading a row group costs
   * @param openCost bytes that opening a file is reckoned to cost
   * @param maxTaskBytes a task is closed before it grows beyond this, unless it is empty
   * @return the runs of each task; no task is empty
   */
  def apply(
      selection: Selection,
      bytesOf: SelectedRowGroup => Long,
      openCost: Long,
      maxTaskBytes: Long
  ): Seq[Seq[Run]] = {
    val tasks = ArrayBuffer(ArrayBuffer.empty[Run])
    var taskBytes = 0L
    for (file <- selection.files; rowGroup <- file.rowGroups) {
      val extendsLast = tasks.last.lastOption.exists(continues(_, file, rowGroup))
      val cost = bytesOf(rowGroup) + (if (extendsLast) 0L else openCost)
      if (tasks.last.nonEmpty && taskBytes + cost > maxTaskBytes) {
        tasks += ArrayBuffer(startRun(file, rowGroup))
        taskBytes = bytesOf(rowGroup) + openCost
      } else {
        if (extendsLast) tasks.last(tasks.last.size - 1) = extended(tasks.last.last, rowGroup)
        else tasks.last += startRun(file, rowGroup)
        taskBytes += cost
      }
    }
    tasks.iterator.filter(_.nonEmpty).map(_.toSeq).toSeq
  }

  private def continues(run: Run, file: SelectedFile, rowGroup: SelectedRowGroup): Boolean =
    run.file.path == file.path && run.file.rowGroups.last.ordinal + 1 == rowGroup.ordinal

  private def startRun(file: SelectedFile, rowGroup: SelectedRowGroup): Run =
    Run(file.copy(rowGroups = Vector(rowGroup)))

  private def extended(run: Run, rowGroup: SelectedRowGroup): Run =
    Run(run.file.copy(rowGroups = run.file.rowGroups :+ rowGroup))
}
