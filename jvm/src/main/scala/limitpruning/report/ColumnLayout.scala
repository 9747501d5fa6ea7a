package limitpruning.report

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, SupportedTypes, Values}
import limitpruning.search.InspectedChunk

/**
 * The quality of a table's layout for predicates on one column. Not thread-safe.
 *
 * @param isPartition whether the column is a partition column, with the values of directories
 */
private[report] final class ColumnLayout(val column: LeafColumn, val isPartition: Boolean) {
  import ColumnLayout._

  private val ordering = SupportedTypes.ordering(column.dataType)
  private val ranges = ArrayBuffer.empty[Values.Range]

  /** The number of row groups that have each of these, as far as they are trusted. */
  var minMax, nullCounts, pageIndexes, dictionaries, bloomFilters = 0

  def add(chunk: InspectedChunk): Unit = {
    chunk.facts.values.hull(ordering).foreach { range =>
      minMax += 1
      if (ranges.size < MostRanges) ranges += range
    }
    if (chunk.facts.nulls != Nulls.Unknown) nullCounts += 1
    if (chunk.hasPageIndex) pageIndexes += 1
    if (chunk.hasDictionary) dictionaries += 1
    if (chunk.hasBloomFilter) bloomFilters += 1
  }

  /**
   * The share of pairs of row groups whose value ranges overlap. It is between 0, if a value is in at most
   * one row group, and 1, if it may be in all of them. None if there are fewer than two value ranges.
   */
  def overlap: Option[Double] = if (ranges.size < 2) None
  else {
    val ends = ranges.map(_.max).sorted(ordering)
    // The starts ascend, so the number of ranges that ended before them ascends, too.
    var ended = 0
    var apart = 0L
    for (start <- ranges.map(_.min).sorted(ordering)) {
      while (ended < ends.size && ordering.lt(ends(ended), start)) ended += 1
      apart += ended
    }
    val pairs = ranges.size.toLong * (ranges.size - 1) / 2
    Some(1 - apart.toDouble / pairs)
  }
}

private object ColumnLayout {

  /** The maximum number of value ranges that are compared. */
  private val MostRanges = 20000
}

/** The facts about a column's values over some rows, as text: `s: 76 … 101, no nulls`. */
private[report] object DescribeFacts {

  /** The maximum number of values that are listed. */
  private val MostValues = 5

  /** The maximum number of characters of one value. */
  private val MostCharacters = 60

  def apply(column: LeafColumn, facts: ColumnFacts): String = {
    val known = Seq(values(facts.values, column.dataType), nulls(facts)).flatten
    s"${column.name}: ${if (known.isEmpty) "unknown" else known.mkString(", ")}"
  }

  /** A value as in SQL, with strings in quotes. Long values are truncated. */
  private def value(value: Any, dataType: DataType): String = {
    val literal = Literal(value, dataType)
    val text = dataType match {
      case StringType | BinaryType => literal.sql
      case _ => Cast(literal, StringType, Some(SQLConf.get.sessionLocalTimeZone)).eval().toString
    }
    if (text.length <= MostCharacters) text else s"${text.take(MostCharacters)}…"
  }

  private def values(values: Values, dataType: DataType): Option[String] = values match {
    case Values.Unknown => None
    case Values.Empty => Some("null in every row")
    case Values.Range(min, max) if min == max => Some(value(min, dataType))
    case Values.Range(min, max) => Some(s"${value(min, dataType)} … ${value(max, dataType)}")
    case Values.Finite(few) if few.size <= MostValues =>
      Some(few.map(value(_, dataType)).mkString(" or "))
    case Values.Finite(many) => Some(s"one of ${many.size} values")
  }

  private def nulls(facts: ColumnFacts): Option[String] = facts.nulls match {
    case Nulls.No => Some("no nulls")
    case Nulls.Unknown if facts.values != Values.Unknown => Some("may be null")
    case Nulls.Unknown | Nulls.All => None
  }
}
