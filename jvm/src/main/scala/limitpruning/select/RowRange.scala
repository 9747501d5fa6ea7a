package limitpruning.select

/** Neighbouring rows of one row group, counted from 0 within it: `from` until `until`, at least one. */
final case class RowRange(from: Long, until: Long) {
  def rows: Long = until - from
}

object RowRange {

  /** Every row of a row group that has some. */
  def all(rows: Long): Seq[RowRange] = Seq(RowRange(0, rows))

  def rowsOf(ranges: Seq[RowRange]): Long = ranges.iterator.map(_.rows).sum

  /** The first `rows` rows of ascending ranges. */
  def take(ranges: Seq[RowRange], rows: Long): Seq[RowRange] = {
    val before = ranges.scanLeft(0L)(_ + _.rows)
    ranges.zip(before).collect {
      case (range, seen) if seen < rows => range.copy(until = range.until.min(range.from + (rows - seen)))
    }
  }

  /** The same rows of ascending ranges, with neighbours made one. */
  def joined(ranges: Seq[RowRange]): Seq[RowRange] = ranges.foldLeft(Vector.empty[RowRange]) {
    case (done :+ last, next) if last.until == next.from => done :+ RowRange(last.from, next.until)
    case (done, next) => done :+ next
  }
}
