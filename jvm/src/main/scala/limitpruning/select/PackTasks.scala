package limitpruning.select

/**
 * Row groups that stand next to each other in one file and are read with one opening of it.
 *
 * @param file the file; its `rowGroups` are those of this run alone
 */
final case class RowGroupRun(file: SelectedFile) {

  /** Whether `rowGroup` of `other` comes right after this run. */
  def isFollowedBy(other: SelectedFile, rowGroup: SelectedRowGroup): Boolean =
    file.listed.position == other.listed.position && file.rowGroups.last.ordinal + 1 == rowGroup.ordinal

  def :+(rowGroup: SelectedRowGroup): RowGroupRun = RowGroupRun(file.copy(rowGroups = file.rowGroups :+ rowGroup))
}

/**
 * Packs a selection into tasks, in order: as few as its bytes ask for, so that a small limit is one task, and
 * a large one is still read in parallel. Row groups that are neighbours in a file and in a task form one [[RowGroupRun]].
 */
object PackTasks {

  /** @param runBytes those of its last run */
  private final case class Task(runs: Vector[RowGroupRun], bytes: Long, runBytes: Long)

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
  ): Seq[Seq[RowGroupRun]] = {

    def open(file: SelectedFile, rowGroup: SelectedRowGroup): RowGroupRun =
      RowGroupRun(file.copy(rowGroups = Vector(rowGroup)))

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

/** Bytes of a file that one task reads together: the row groups whose middle is among them. */
final case class FileRange(file: ListedFile, start: Long, length: Long)

/** Packs files that were not looked at into tasks as Spark does: cut where they are larger than a task may be, in order. */
object PackUnseen {

  /**
   * @param openCost bytes that opening a file is reckoned to cost
   * @param maxTaskBytes a task is closed before it grows beyond this, unless it is empty
   * @return the pieces of each task; no task is empty
   */
  def apply(files: Seq[ListedFile], openCost: Long, maxTaskBytes: Long): Seq[Seq[FileRange]] = {
    val pieces = for (file <- files; start <- 0L until file.length by maxTaskBytes)
      yield FileRange(file, start, math.min(maxTaskBytes, file.length - start))
    val (closed, last, _) = pieces.foldLeft((Vector.empty[Vector[FileRange]], Vector.empty[FileRange], 0L)) {
      case ((tasks, task, bytes), piece) if task.nonEmpty && bytes + piece.length > maxTaskBytes =>
        (tasks :+ task, Vector(piece), piece.length + openCost)
      case ((tasks, task, bytes), piece) => (tasks, task :+ piece, bytes + piece.length + openCost)
    }
    (closed :+ last).filter(_.nonEmpty)
  }
}
