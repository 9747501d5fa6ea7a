package limitpruning.search

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.Scan

import limitpruning.predicate.LeafColumn

/** A [[ManifestTable]] of which the format's own reader can read a part. */
trait ReadableTable extends ManifestTable {

  /** The columns that the query reads. */
  def output: Seq[Attribute]

  /** The columns by whose values the table is now partitioned. */
  final def partitionColumns: AttributeSet = AttributeSet(
    output.filter(column => isPartition(LeafColumn(column, Nil, column.dataType)))
  )

  /**
   * Replaces the table's scan in `plan` by one that reads only the chosen files and row groups. The changed plan is equal to
   * another plan only if both read the same, so that Spark never reuses one for the other.
   */
  final def read(plan: LogicalPlan, chosen: ChosenFiles): LogicalPlan = replaceScan(plan)(_ => scan(chosen))

  /** Replaces the table's scan in `plan`. */
  def replaceScan(plan: LogicalPlan)(by: Scan => Scan): LogicalPlan

  /** The format's own scan of the chosen files and row groups. */
  def scan(chosen: ChosenFiles): Scan

  /**
   * The table with the places of its rows, which the format's own reader reads, without deleted rows.
   *
   * @param columns those of the table's columns that are read
   * @param files all files that are read, as a whole or in part; none for all files of the table
   * @return none if the table has columns of the names of these places
   */
  def numbered(columns: AttributeSet, files: Option[IndexedSeq[ChosenFile]]): Option[NumberedRows]

  /**
   * What the query reads of files of `files`. Reads their footers.
   *
   * @param first the columns that can be read first
   * @param equal columns that have to be equal to a value
   * @param keys columns that are keys of groups, whose dictionaries are asked for
   * @param deadline until when footers are waited for
   * @return none if the footers cannot be read in time, or if the columns of the files are not known by their ids
   */
  def sizes(
      first: AttributeSet,
      equal: Seq[LeafColumn],
      keys: Seq[LeafColumn],
      files: Seq[ManifestFile],
      deadline: Deadline
  ): Option[ReadSizes]
}
