package limitpruning.select

/**
 * Packs a selection into tasks, in order. The bytes of the selection determine the number of tasks: a small
 * limit needs only one task, and a large one is still read in parallel. Row groups of a file that follow each other form
 * one run if they are in the same task: they are read while the file is open once.
 */
object PackTasks {

  /**
   * @param runBytes bytes of the last run
   * @param files the positions of the files of all runs
   */
  private final case class Task(runs: Vector[SelectedFile], bytes: Long, runBytes: Long, files: Set[Int])

  /**
   * The maximum number of runs of a task. Spark's `FileScanRDD` calls itself once for each split without rows, so thousands
   * of skipped runs would overflow the stack.
   */
  private val MostRuns = 100

  private val empty = Task(Vector.empty, 0L, 0L, Set.empty)

  /**
   * @param bytesOf bytes that are read for a row group
   * @param openCost estimated cost of opening a file, in bytes. It counts once for each file of a task but one, as in
   *   Spark's own packing: the row groups of a small file are one task, even if the cost is the maximum of a task.
   * @param maxTaskBytes a task is closed before its bytes exceed this, unless it is empty. With `Long.MaxValue`, there is
   *   one task, whatever it reads: the plan may rely on it.
   * @param maxRunBytes a run is closed before its bytes exceed this: row groups that are opened together
   *   cannot be skipped separately
   * @param maxGap the most row groups of a file that are not selected between two row groups of a run
   * @return the runs of each task, each with the row groups of this run alone; no task is empty
   */
  def apply(
      selection: Selection,
      bytesOf: SelectedRowGroup => Long,
      openCost: Long,
      maxTaskBytes: Long,
      maxRunBytes: Long = Long.MaxValue,
      maxGap: SelectedFile => Int = _ => 0
  ): Seq[Seq[SelectedFile]] = {

    // Whether a row group follows a run in the same file, with few enough row groups between them.
    def follows(run: SelectedFile, file: SelectedFile, rowGroup: SelectedRowGroup): Boolean =
      run.listed.position == file.listed.position && {
        val last = run.rowGroups.last.ordinal
        last < rowGroup.ordinal && rowGroup.ordinal - last - 1 <= maxGap(file)
      }

    def add(task: Task, file: SelectedFile, rowGroup: SelectedRowGroup): Task =
      task.runs.lastOption match {
        case Some(run)
            if follows(run, file, rowGroup) && task.runBytes <= maxRunBytes - bytesOf(rowGroup) =>
          val bytes = bytesOf(rowGroup)
          task.copy(
            runs = task.runs.init :+ run.copy(rowGroups = run.rowGroups :+ rowGroup),
            bytes = task.bytes + bytes,
            runBytes = task.runBytes + bytes
          )
        case _ =>
          val bytes = bytesOf(rowGroup)
          val position = file.listed.position
          val cost = if (task.files.isEmpty || task.files(position)) 0L else openCost
          val run = file.copy(rowGroups = Vector(rowGroup))
          Task(task.runs :+ run, task.bytes + bytes + cost, bytes, task.files + position)
      }

    val rowGroups = for (file <- selection.files.iterator; rowGroup <- file.rowGroups) yield (file, rowGroup)
    val (closed, last) = rowGroups.foldLeft((Vector.empty[Task], empty)) {
      case ((tasks, task), (file, rowGroup)) =>
        val larger = add(task, file, rowGroup)
        val isFull = larger.bytes > maxTaskBytes || larger.runs.size > MostRuns
        if (task.runs.nonEmpty && maxTaskBytes < Long.MaxValue && isFull)
          (tasks :+ task, add(empty, file, rowGroup))
        else (tasks, larger)
    }
    (closed :+ last).map(_.runs).filter(_.nonEmpty)
  }
}

/** Contiguous bytes of a file that one task reads: the row groups whose midpoint is among them. */
final case class FileRange(file: ListedFile, start: Long, length: Long)

/**
 * Packs files that were not inspected into tasks as Spark does, in order. Files that are larger than the
 * maximum size of a task are split.
 */
object PackUnseen {

  /**
   * @param openCost estimated cost of opening a file, in bytes
   * @param maxTaskBytes a task is closed before its bytes exceed this, unless it is empty
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
