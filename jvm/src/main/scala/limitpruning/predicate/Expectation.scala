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

    override def at(range: Range, isLeast: Boolean): Values = (range.min, range.max) match {
      case (min: Int, max: Int) =>
        val width = widthOf(max.toLong - min).toInt
        if (isLeast) Range(min, min + width) else Range(max - width, max)
      case (min: Long, max: Long) =>
        val width = widthOf(max - min)
        if (isLeast) Range(min, min + width) else Range(max - width, max)
      case _ => EachValue.at(range, isLeast)
    }

    /** @param all the width of the range of all pages, negative if it is larger than any number */
    private def widthOf(all: Long): Long = if (all < 0) Width else Width.min(all / Pages)

    // More values than are evaluated one by one.
    private val Width = 1000L

    /** The least number of pages for which it pays to look at each. */
    private val Pages = 4L
  }
}
