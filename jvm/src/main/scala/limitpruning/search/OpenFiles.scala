package limitpruning.search

import scala.concurrent.duration.Deadline

import limitpruning.predicate.LeafColumn

/**
 * How many footers a search over a [[ManifestTable]] may read.
 *
 * @param first number of files whose footers are read first, together
 * @param most maximum number of files whose footers are read
 * @param deadline until when footers are waited for
 */
final case class FooterBudget(first: Int, most: Int, deadline: Deadline)

/**
 * Reads the row groups of files in waves, each of twice as many files as the one before, as long as this helps.
 *
 * @param columns the columns whose facts are needed
 */
private[search] final class OpenFiles(
    table: ManifestTable,
    columns: IndexedSeq[LeafColumn],
    budget: FooterBudget
) {

  /**
   * @param next the files that are worth opening, given the row groups that are known so far, and without the files that
   *   were opened; the best first
   * @param helped takes the row groups of one wave; whether there should be another wave
   */
  def apply(next: () => Seq[ManifestFile])(helped: Seq[(
      ManifestFile,
      IndexedSeq[ManifestRowGroup]
  )] => Boolean)
      : Unit = {
    var opened = Set.empty[Int]
    var size = budget.first
    var goesOn = true
    while (goesOn && opened.size < budget.most && budget.deadline.hasTimeLeft()) {
      val wave = next().filterNot(file => opened(file.position)).take(size.min(budget.most - opened.size))
      goesOn = wave.nonEmpty && {
        val found = table.rowGroups(wave, columns, budget.deadline)
        helped(wave.zip(found).collect { case (file, Some(rowGroups)) => file -> rowGroups })
      }
      opened ++= wave.map(_.position)
      size *= 2
    }
  }
}
