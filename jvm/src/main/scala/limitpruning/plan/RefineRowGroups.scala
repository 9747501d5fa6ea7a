package limitpruning.plan

import org.apache.hadoop.conf.Configuration

import limitpruning.parquet.{Footer, RowGroupDetails}
import limitpruning.predicate.MatchState

/**
 * Looks deeper into row groups that the footer leaves undecided: at dictionaries and bloom filters, in order, as long as
 * rows are missing, bytes are left, and it helps. One search, one instance.
 *
 * @param maxBytes bytes of dictionaries and bloom filters that are read for one LIMIT at most
 */
final class RefineRowGroups(classify: ClassifyRowGroups, conf: Configuration, maxBytes: Long) {
  import RefineRowGroups._

  private var bytesLeft = maxBytes
  private var inVain = 0

  /**
   * @param needed rows that are still missing, counted from this file's first row group on
   * @return the row groups, some of them decided now
   */
  def apply(
      file: ListedFile,
      footer: Footer,
      classified: Seq[ClassifiedRowGroup],
      needed: Long
  ): Seq[ClassifiedRowGroup] =
    if (classified.forall(_.state != MatchState.PartiallyMatching)) classified
    else {
      val facts = classify.factsOf(footer)
      val details = new RowGroupDetails(file.status, footer, facts, conf, math.min(maxBytes, LargestPart))
      try {
        var found = 0L
        classified.zipWithIndex.map { case (rowGroup, index) =>
          val refined =
            if (rowGroup.state == MatchState.PartiallyMatching && found < needed && pays(details))
              refine(file, footer, index, rowGroup, details)
            else rowGroup
          if (refined.state == MatchState.FullyMatching) found += footer.rowGroups(index).getRowCount
          refined
        }
      } finally {
        bytesLeft -= details.bytesRead
        details.close()
      }
    }

  private def pays(details: RowGroupDetails): Boolean = details.bytesRead < bytesLeft && inVain < MostInVain

  private def refine(
      file: ListedFile,
      footer: Footer,
      index: Int,
      rowGroup: ClassifiedRowGroup,
      details: RowGroupDetails
  ): ClassifiedRowGroup = classify.refined(file, footer, index, details) match {
    case None => rowGroup // there is nothing to be read that could decide it
    case Some(refined) =>
      inVain = if (refined.state == MatchState.PartiallyMatching) inVain + 1 else 0
      refined
  }
}

private object RefineRowGroups {

  /** Row groups in a row that stay undecided before looking deeper is given up. */
  private val MostInVain = 8

  /** Bytes of one dictionary or bloom filter. */
  private val LargestPart = 1024L * 1024
}
