package limitpruning.search

/**
 * Gaps between chosen row groups of a file that take less time to read than to open the file again. A reader that cannot
 * pass over row groups opens a file again behind each gap, while plain Spark opens it once.
 *
 * @param passesOver whether the reader passes over row groups of a file that it has opened
 */
private[search] final class SmallGaps(narrow: NarrowRowGroups, passesOver: => Boolean) {
  import SmallGaps._

  /**
   * @param chosen ordinals of row groups, ascending
   * @return the chosen row groups, and those of small gaps between them; ascending
   */
  def filled(file: ClassifiedFile, chosen: Seq[Int]): Seq[Int] = {
    val gaps = chosen.zip(chosen.drop(1)).map { case (before, after) => before + 1 until after }
    if (gaps.forall(_.isEmpty) || passesOver) chosen
    else {
      val small = gaps.filter(_.iterator.map(narrow.bytes(file.footer, _)).sum <= costToOpen(file))
      (chosen ++ small.flatten).sorted
    }
  }
}

private object SmallGaps {

  /** To open a file takes one to two milliseconds, in which a task reads so many bytes. */
  private val Fixed = 144L * 1024

  /** To parse a footer takes so many times as long as reading a column of the same length. */
  private val Parsing = 5L

  /** In bytes that a task reads in the same time. */
  private def costToOpen(file: ClassifiedFile): Long = Fixed + Parsing * file.footer.seal.length
}
