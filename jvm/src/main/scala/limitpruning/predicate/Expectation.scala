package limitpruning.predicate

import limitpruning.predicate.Values.{Finite, Range}

/** What is expected to become known about the values of a column, of which a range is known. */
sealed trait Expectation {

  /** @param isLeast whether the values are at the lower end of the range */
  def at(range: Range, isLeast: Boolean): Values
}

object Expectation {

  /** All values of a row group, one by one. They include both ends of the range. */
  case object EachValue extends Expectation {
    override def at(range: Range, isLeast: Boolean): Values =
      Finite(Seq(if (isLeast) range.min else range.max))
  }

  /** The range of the values of a page, if the column has many. */
  case object ShortRange extends Expectation {
    // More values than are evaluated one by one.
    private val Width = 1000

    override def at(range: Range, isLeast: Boolean): Values = (range.min, range.max) match {
      case (min: Int, max: Int) if max.toLong - min > Width =>
        if (isLeast) Range(min, min + Width) else Range(max - Width, max)
      case (min: Long, max: Long) if max - min > Width || max - min < 0 =>
        if (isLeast) Range(min, min + Width) else Range(max - Width, max)
      case (_: Int | _: Long, _) => range
      case _ => EachValue.at(range, isLeast)
    }
  }
}
