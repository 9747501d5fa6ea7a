package limitpruning.select

/**
 * Row groups that stand next to each other in one file and are read with one opening of it.
 *
 * @param file the file; its `rowGroups` are those of this run alone
 */
final case class Run(file: SelectedFile) {

  /** Whether `rowGroup` of `other` comes right after this run. */
  def isFollowedBy(other: SelectedFile, rowGroup: SelectedRowGroup): Boolean =
    file.listed.position == other.listed.position && file.rowGroups.last.ordinal + 1 == rowGroup.ordinal

  def :+(rowGroup: SelectedRowGroup): Run = Run(file.copy(rowGroups = file.rowGroups :+ rowGroup))
}

/**
 * Packs a selection into tasks, in order: as few as its bytes ask for, so that a small limit is one task, and
 * a large one is still read in parallel. Row groups that are neighbours in a file and in a task form one [[Run]].
 */
object PackTasks {

  /** @param runBytes those of its last run */
  private final case class Task(runs: Vector[Run], bytes: Long, runBytes: Long)

  /**
   * @param bytesOf bytes that reading a row group costs
   * @param openCost bytes that opening a file is reckoned to cost
   * @param maxTaskBytes a task is closed before it grows beyond this, unless it is empty
   * @param maxRunBytes a run is closed before it grows beyond this: what is opened together cannot be left out in parts
   * @return the runs of each task; no task is empty
   */
  def apply(
      selection: Selection,
      bytesOf: SelectedRowGroup => Long,
      openCost: Long,
      maxTaskBytes: Long,
      maxRunBytes: Long = Long.MaxValue
  ): Seq[Seq[Run]] = {

    def open(file: SelectedFile, rowGroup: SelectedRowGroup): Run =
      Run(file.copy(rowGroups = Vector(rowGroup)))

    def add(task: Task, file: SelectedFile, rowGroup: SelectedRowGroup): Task =
      task.runs.lastOption match {
        case Some(run)
            if run.isFollowedBy(file, rowGroup) && task.runBytes <= maxRunBytes - bytesOf(rowGroup) =>
          val bytes = bytesOf(rowGroup)
          Task(task.runs.init :+ (run :+ rowGroup), task.bytes + bytes, task.runBytes + bytes)
        case _ =>
          val bytes = bytesOf(rowGroup)
          Task(task.runs :+ open(file, rowGroup), task.bytes + bytes + openCost, bytes)
      }

    val rowGroups = for (file <- selection.files.iterator; rowGroup <- file.rowGroups) yield (file, rowGroup)
    val (closed, last) = rowGroups.foldLeft((Vector.empty[Task], Task(Vector.empty, 0L, 0L))) {
      case ((tasks, task), (file, rowGroup)) =>
        val larger = add(task, file, rowGroup)
        if (task.runs.nonEmpty && larger.bytes > maxTaskBytes)
          (tasks :+ task, add(Task(Vector.empty, 0L, 0L), file, rowGroup))
        else (tasks, larger)
    }
    (closed :+ last).map(_.runs).filter(_.nonEmpty)
  }
}
