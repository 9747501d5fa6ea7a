package limitpruning.select

/**
 * Adjacent rows of one row group, counted from 0 within it: `from` (inclusive) to `until` (exclusive), at
 * least one.
 */
final case class RowRange(from: Long, until: Long) {
  def rows: Long = until - from
}

object RowRange {

  /** Every row of a row group that is not empty. */
  def all(rows: Long): Seq[RowRange] = Seq(RowRange(0, rows))

  def rowsOf(ranges: Seq[RowRange]): Long = ranges.iterator.map(_.rows).sum

  /** The first `rows` rows of ascending ranges. */
  def take(ranges: Seq[RowRange], rows: Long): Seq[RowRange] = {
    val before = ranges.scanLeft(0L)(_ + _.rows)
    ranges.zip(before).collect {
      case (range, seen) if seen < rows => range.copy(until = range.from + range.rows.min(rows - seen))
    }
  }

  /** The rows of ascending ranges without the first `rows` rows. */
  def drop(ranges: Seq[RowRange], rows: Long): Seq[RowRange] = {
    val before = ranges.scanLeft(0L)(_ + _.rows)
    ranges.zip(before).collect {
      case (range, seen) if seen + range.rows > rows =>
        range.copy(from = range.from + (rows - seen).max(0))
    }
  }

  /** The rows that are in both, of ascending ranges that are not adjacent. */
  def intersection(one: Seq[RowRange], other: Seq[RowRange]): Seq[RowRange] = {
    val (a, b) = (one.toIndexedSeq, other.toIndexedSeq)
    val both = Vector.newBuilder[RowRange]
    var i, j = 0
    while (i < a.length && j < b.length) {
      val from = a(i).from.max(b(j).from)
      val until = a(i).until.min(b(j).until)
      if (from < until) both += RowRange(from, until)
      if (a(i).until < b(j).until) i += 1 else j += 1
    }
    both.result()
  }

  /** The rows that are in some of these, in any order: ascending ranges that are not adjacent. */
  def union(ranges: Seq[RowRange]): Seq[RowRange] = ranges.sortBy(_.from).foldLeft(Vector.empty[RowRange]) {
    case (done :+ last, next) if last.until >= next.from =>
      done :+ RowRange(last.from, last.until.max(next.until))
    case (done, next) => done :+ next
  }

  /** The same rows of ascending ranges, with adjacent ranges merged. */
  def joined(ranges: Seq[RowRange]): Seq[RowRange] = ranges.foldLeft(Vector.empty[RowRange]) {
    case (done :+ last, next) if last.until == next.from => done :+ RowRange(last.from, next.until)
    case (done, next) => done :+ next
  }
}
