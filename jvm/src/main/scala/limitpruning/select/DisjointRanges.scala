package limitpruning.select

/** Finds ranges of which no two overlap. A value from each of them gives as many distinct values as there are ranges. */
object DisjointRanges {

  /**
   * The largest set of ranges of which no two have a value in common: always the range that ends first, then the first
   * that begins after it. For example, of `1 … 5`, `2 … 3`, `3 … 4`, `4 … 4` and `6 … 9` these are `2 … 3`, `4 … 4` and
   * `6 … 9`. Of equal ranges, it is the first.
   *
   * @param ends the first and the last value that may be in the range of an element
   */
  def of[A, V](all: Seq[A])(ends: A => (V, V))(implicit order: Ordering[V]): Seq[A] = {
    val byEnd = all.map(one => (ends(one), one)).sortBy { case ((_, to), _) => to }
    byEnd.foldLeft((Vector.empty[A], Option.empty[V])) {
      case ((found, last), ((from, to), one)) if last.forall(order.lt(_, from)) => (found :+ one, Some(to))
      case (before, _) => before
    }._1
  }
}
