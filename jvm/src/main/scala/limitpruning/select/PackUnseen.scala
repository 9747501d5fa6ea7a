package limitpruning.select

/** Bytes of a file that one task reads together: the row groups whose middle is among them. */
final case class Piece(file: ListedFile, start: Long, length: Long)

/** Packs files that were not looked at into tasks as Spark does: cut where they are larger than a task may be, in order. */
object PackUnseen {

  /**
   * @param openCost bytes that opening a file is reckoned to cost
   * @param maxTaskBytes a task is closed before it grows beyond this, unless it is empty
   * @return the pieces of each task; no task is empty
   */
  def apply(files: Seq[ListedFile], openCost: Long, maxTaskBytes: Long): Seq[Seq[Piece]] = {
    val pieces = for (file <- files; start <- 0L until file.length by maxTaskBytes)
      yield Piece(file, start, math.min(maxTaskBytes, file.length - start))
    val (closed, last, _) = pieces.foldLeft((Vector.empty[Vector[Piece]], Vector.empty[Piece], 0L)) {
      case ((tasks, task, bytes), piece) if task.nonEmpty && bytes + piece.length > maxTaskBytes =>
        (tasks :+ task, Vector(piece), piece.length + openCost)
      case ((tasks, task, bytes), piece) => (tasks, task :+ piece, bytes + piece.length + openCost)
    }
    (closed :+ last).filter(_.nonEmpty)
  }
}
