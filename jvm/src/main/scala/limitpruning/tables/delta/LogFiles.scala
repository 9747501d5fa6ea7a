package limitpruning.tables.delta

import org.apache.spark.sql.Encoders
import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.implicits._
import org.apache.spark.sql.functions.{col, lit, struct}
import org.apache.spark.sql.types.StringType

import limitpruning.footers.LogPart

/**
 * All files of a version of a Delta table.
 *
 * @param files without their statistics
 * @param rows the rows of each file that are not deleted; negative if the log does not say
 */
private[delta] final class LogFiles(val files: IndexedSeq[AddFile], rows: Array[Long]) extends LogPart {

  val bytes: Long = files.iterator.map(_.size).sum

  override val size: Int = files.iterator.map(LogFiles.sizeOf).sum.min(Int.MaxValue.toLong).toInt

  /**
   * The first files that have enough rows together; all files if their numbers of rows are not known.
   *
   * @param among whether a file, by its path, is one of those that are asked for
   */
  def enoughFor(limit: Int, among: String => Boolean = _ => true): Seq[AddFile] = {
    val asked = files.indices.filter(i => among(files(i).path))
    val known = asked.iterator.filter(rows(_) >= 0)
    val enough = Vector.newBuilder[AddFile]
    var found = 0L
    while (found < limit && known.hasNext) {
      val next = known.next()
      enough += files(next)
      found += rows(next)
    }
    if (found < limit) asked.map(files) else enough.result()
  }
}

private[delta] object LogFiles {

  /** Reads the log in one Spark job, as Delta does for each LIMIT. */
  def of(snapshot: Snapshot): LogFiles = {
    val counted = snapshot.withStats
      .withColumn(NumRecords, col(s"stats.$NumRecords"))
      .withColumn("stats", lit(null).cast(StringType))
    val read = counted
      .select(struct(col("*")).as[AddFile], col(NumRecords).as[java.lang.Long](Encoders.LONG))
      .collect()
    val rows = read.map { case (file, numRecords) =>
      Option(numRecords).fold(-1L)(_ - Option(file.deletionVector).fold(0L)(_.cardinality))
    }
    new LogFiles(read.iterator.map(_._1).toIndexedSeq, rows)
  }

  private val NumRecords = "numRecords"

  private def sizeOf(file: AddFile): Long = {
    def sizeOf(texts: Map[String, String]) = Option(texts).fold(0L)(_.iterator.map { case (key, value) =>
      EntrySize + key.length + Option(value).fold(0)(_.length)
    }.sum)
    ActionSize + file.path.length + sizeOf(file.partitionValues) + sizeOf(file.tags) +
      (if (file.deletionVector == null) 0L else ActionSize)
  }

  /** An action, or a descriptor of a deletion vector, without texts. */
  private val ActionSize = 300L

  /** An entry of a map with two strings, without their characters. */
  private val EntrySize = 150L
}

/** In place of the files of a version that has too many for the cache: Delta chooses them. */
private[delta] object TooManyFiles extends LogPart {
  override def size: Int = 0
}

/** In place of the files of a version that has too many to be compared: Delta chooses them, except for any rows. */
private[delta] object TooManyToCompare extends LogPart {
  override def size: Int = 0
}

/** In place of the files of a version of which one query with a predicate has asked for files: Delta chose them. */
private[delta] object AskedOnce extends LogPart {
  override def size: Int = 0
}
