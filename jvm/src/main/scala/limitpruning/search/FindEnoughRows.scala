package limitpruning.search

import scala.util.control.NonFatal

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression}
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.{FileColumns, Footer, FooterReader, ReadSettings}
import limitpruning.predicate.MatchState
import limitpruning.scan.{EnoughRows, InspectWhileReading}
import limitpruning.select.{FileVersion, ListedFile}

/**
 * Finds fully matching row groups with `limit` rows in a part of a file, while a task reads it. If there are such row
 * groups, the task need not read the rest of the part: no LIMIT above it needs more rows, whatever else the task reads.
 * Uses only statistics, from the footer that the reader opens anyway.
 *
 * @param limit rows that the LIMIT needs, at least 1
 * @param columns the columns of the predicate
 */
private[limitpruning] final class FindEnoughRows(
    limit: Int,
    conjuncts: Seq[Expression],
    output: Seq[Attribute],
    partitions: StructType,
    settings: ReadSettings,
    columns: FileColumns
) extends InspectWhileReading {
  @transient private lazy val classify = new ClassifyRowGroups(conjuncts, output, partitions, settings)

  override def apply(
      file: FileStatus,
      partitionValues: InternalRow,
      from: Long,
      length: Long,
      conf: Configuration
  ): Option[EnoughRows] =
    try {
      val footer = new FooterReader(conf).read(file, columns)
      val states = classify(ListedFile.alone(partitionValues, file), footer).rowGroups.map(_.state)
      val midpoints = footer.offsets.midpoints
      val fully = states.indices.filter(i =>
        states(i) == MatchState.FullyMatching && from <= midpoints(i) && midpoints(i) < from + length
      )
      enough(footer, fully, footer.seal.version(file.getLen))
    } catch {
      // If something is wrong with the file, reading it fails with Spark's own error.
      case NonFatal(_) => None
    }

  private def enough(footer: Footer, fully: Seq[Int], version: FileVersion): Option[EnoughRows] = {
    val before = fully.scanLeft(0L)((rows, i) => rows + footer.rowGroups(i).getRowCount.min(limit.toLong))
    val needed = fully.zip(before).collect { case (rowGroup, rows) if rows < limit => rowGroup }
    val runs = neighbours(needed)
    if (before.last < limit || !footer.offsets.selectsExactly(needed)) None
    else {
      val ranges = runs.map { run =>
        val start = footer.offsets.midpoints(run.head)
        (start, footer.offsets.midpoints(run.last) + 1 - start)
      }
      Some(EnoughRows(ranges, needed.size, needed.map(footer.offsets.bytes(_)).sum, version))
    }
  }

  private def neighbours(rowGroups: Seq[Int]): Seq[Seq[Int]] = rowGroups.foldLeft(Vector.empty[Vector[Int]]) {
    case (done :+ run, next) if run.last + 1 == next => done :+ (run :+ next)
    case (done, next) => done :+ Vector(next)
  }
}
