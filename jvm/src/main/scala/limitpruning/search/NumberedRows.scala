package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.NamedExpression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan

/**
 * A relation with the places of its rows.
 *
 * @param path the path of the file of a row
 * @param row the position of the row in the file, counted from 0
 */
private[limitpruning] final case class NumberedRows(
    relation: LogicalPlan,
    path: NamedExpression,
    row: NamedExpression
)

/**
 * What a query reads of some files of a table.
 *
 * @param first compressed bytes of the columns that can be read first, to find rows
 * @param all compressed bytes of all columns that the query reads
 * @param files bytes of the files
 * @param havePages whether single pages can be read of each row group, and most bytes are in chunks of several pages
 * @param dropRows whether the scan drops the rows that are not chosen, also of row groups that it reads whole
 * @param otherColumns number of columns that are not read first
 * @param areSelective whether the query skips most row groups by the values of a column that has to be equal to one; it takes
 *   longer to find out than the rest
 * @param requests what requests to the storage cost; none if the files are local
 * @param dictionaries those of keys of groups in the first row group
 */
private[limitpruning] final case class ReadSizes(
    first: Long,
    all: Long,
    files: Long,
    rowGroups: Long,
    rows: Long,
    havePages: Boolean,
    dropRows: Boolean,
    otherColumns: Int,
    areSelective: () => Boolean,
    requests: Option[Requests] = None,
    dictionaries: Seq[DictionarySize] = Nil
) {

  /** The share of the bytes that is read first. */
  def share: Double = if (all == 0) 1.0 else first.toDouble / all

  /** The bytes that need not be read if no row is found, as a share of the bytes of the files. */
  def savedPerByte: Double = if (files == 0) 0.0 else (all - first).toDouble / files
}

private[limitpruning] object ReadSizes {

  /**
   * Whether a dictionary has so many values that most row groups probably do not have a certain one of them.
   *
   * @param dictionary its bytes in the file; none if they are not known
   * @param rows number of rows of the row group
   */
  def haveMany(dictionary: Option[Long], rows: Long): Boolean = dictionary.forall(_ * RowsOfFewValues > rows)

  /** The rows of a row group, for each byte of a dictionary, if most row groups have each of its values. */
  private val RowsOfFewValues = 16L
}

/**
 * The requests to the storage that read a row group.
 *
 * @param first those for the columns that can be read first
 * @param all those for all columns that the query reads
 * @param bytes the bytes that a task could read during one of them
 */
private[limitpruning] final case class Requests(first: Double, all: Double, bytes: Long)

private[limitpruning] object Requests {

  /**
   * @param rowGroups the chunks of some row groups that a query reads: whether they can be read first, where they begin, and
   *   their bytes
   * @param bytes the bytes that a task could read during a request, as requests for some files show
   * @return none if requests take no time
   */
  def of(rowGroups: => Seq[Seq[(Boolean, Long, Long)]], bytes: Seq[Long]): Option[Requests] = {
    // Some requests take longer, for reasons of their own.
    val least = if (bytes.isEmpty) 0L else bytes.min
    lazy val chunks = rowGroups // of local files, which may have thousands, nothing is asked
    if (least == 0 || chunks.isEmpty) None
    else {
      def mean(count: Seq[(Boolean, Long, Long)] => Int) = chunks.iterator.map(count).sum.toDouble /
        chunks.size
      Some(Requests(mean(ofOne => ofChunks(ofOne.filter(_._1))), mean(ofChunks(_)), least))
    }
  }

  /** Chunks that follow each other in the file are read together. */
  private def ofChunks(chunks: Seq[(Boolean, Long, Long)]): Int = {
    val places = chunks.map { case (_, start, length) => (start, start + length) }.sorted
    places.map(_._1).zip(Long.MinValue +: places.map(_._2)).count { case (start, end) => start != end }
  }
}
