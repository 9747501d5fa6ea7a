package limitpruning.report

import scala.collection.mutable.ArrayBuffer

import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}

import limitpruning.predicate.{LeafColumn, ColumnFacts, Nulls, SupportedTypes, Values}
import limitpruning.search.InspectedChunk

/**
 * How well a table is laid out for predicates on one column. Not thread-safe.
 *
 * @param isPartition whether its values are those of directories
 */
private[report] final class ColumnLayout(val column: LeafColumn, val isPartition: Boolean) {
  import ColumnLayout._

  private val ordering = SupportedTypes.ordering(column.dataType)
  private val ranges = ArrayBuffer.empty[Values.Range]

  /** In how many row groups there is what, as far as it is believed. */
  var bounds, nullCounts, pageIndexes, dictionaries, bloomFilters = 0

  def add(chunk: InspectedChunk): Unit = {
    chunk.facts.values.hull(ordering).foreach { range =>
      bounds += 1
      if (ranges.size < MostRanges) ranges += range
    }
    if (chunk.facts.nulls != Nulls.Unknown) nullCounts += 1
    if (chunk.hasPageIndex) pageIndexes += 1
    if (chunk.hasDictionary) dictionaries += 1
    if (chunk.hasBloomFilter) bloomFilters += 1
  }

  /**
   * How many pairs of row groups have ranges that overlap, among all pairs: from 0, where a value is in one row group at
   * most, to 1, where it may be in any. None where there are no two ranges.
   */
  def overlap: Option[Double] = if (ranges.lengthIs < 2) None
  else {
    val ends = ranges.map(_.max).sorted(ordering)
    // As starts ascend, so does the number of ranges that have ended before.
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

  /** Ranges that are compared at most. */
  private val MostRanges = 20000
}

/** What is known of a column's values over some rows, for people: `s: 76 … 101, no nulls`. */
private[report] object DescribeFacts {

  /** Values that are listed at most. */
  private val MostValues = 5

  /** Characters of one value. */
  private val MostCharacters = 60

  def apply(column: LeafColumn, facts: ColumnFacts): String = {
    val known = Seq(values(facts.values, column.dataType), nulls(facts)).flatten
    s"${column.name}: ${if (known.isEmpty) "nothing known" else known.mkString(", ")}"
  }

  /** A value as people write it, strings in quotes; cut where it becomes long. */
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
    case Values.Finite(few) if few.lengthIs <= MostValues =>
      Some(few.map(value(_, dataType)).mkString(" or "))
    case Values.Finite(many) => Some(s"one of ${many.size} values")
  }

  private def nulls(facts: ColumnFacts): Option[String] = facts.nulls match {
    case Nulls.No => Some("no nulls")
    case Nulls.Unknown if facts.values != Values.Unknown => Some("nulls perhaps")
    case Nulls.Unknown | Nulls.All => None
  }
}
