package limitpruning.rows

import scala.annotation.tailrec

/** Estimates from some parts of a table how many first rows of groups all its parts have. */
private[rows] object ExpectedRows {

  /**
   * If parts have few rows of the same groups, other parts have rows of other groups: the table is clustered by the groups, or has
   * many. As many rows are expected as if each part had drawn its rows from one set for all parts (capture and recapture).
   *
   * @param parts that were read, at least 1
   * @param inEach the sum of the rows of these parts, each by itself
   * @param together the rows of these parts, of which the others have the same groups
   * @param all parts of the table
   * @return at least `together`; as many if one part was read, which shows nothing about others
   */
  def inAll(parts: Int, inEach: Long, together: Long, all: Int): Double = {
    val one = inEach.toDouble / parts

    // What so many parts have, if there are so many rows to draw from.
    def distinct(rows: Double, of: Int): Double =
      if (rows <= one) rows else -rows * math.expm1(of * math.log1p(-one / rows))

    @tailrec
    def drawnFrom(low: Double, high: Double): Double = {
      val middle = math.sqrt(low * high)
      if (high / low < Precise) middle
      else if (distinct(middle, parts) < together) drawnFrom(middle, high)
      else drawnFrom(low, middle)
    }

    if (parts == 1 || together == 0) together.toDouble
    else if (together >= inEach) one * all
    else distinct(drawnFrom(together.toDouble, Unlimited), all).max(together.toDouble)
  }

  private val Precise = 1.001
  private val Unlimited = 1e15
}
