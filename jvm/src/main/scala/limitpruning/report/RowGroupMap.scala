package limitpruning.report

/**
 * The row groups that were looked at for one LIMIT, in file order.
 *
 * @param omitted how many more there are
 */
final case class RowGroupMap(rowGroups: Seq[RowGroupReport], omitted: Int)

object RowGroupMap {

  /** Nothing was looked at, or what was seen has been let go. */
  val Empty: RowGroupMap = RowGroupMap(Nil, 0)
}

/**
 * What is known of one row group.
 *
 * @param file its path
 * @param ordinal its position in the file, from 0
 * @param bytes compressed bytes of all its columns
 * @param state "not", "partially" or "fully": how much of it is proved to match
 * @param decidedBy "statistics", "values" (dictionaries and bloom filters) or "pages"; `None` where it is undecided
 * @param why what decided it, or what stood in the way, as a sentence
 * @param facts what the footer tells of each column that is asked about
 * @param rowsToRead rows of it that are scanned, `None` where it is not chosen
 */
final case class RowGroupReport(
    file: String,
    ordinal: Int,
    rows: Long,
    bytes: Long,
    state: String,
    decidedBy: Option[String],
    why: String,
    facts: Seq[String],
    rowsToRead: Option[Long]
)
