package limitpruning.report

import scala.collection.mutable.ArrayBuffer

import limitpruning.plan.InspectedChunk
import limitpruning.predicate.{Column, Nulls, SupportedTypes, Values}

/**
 * How well a table is laid out for predicates on one column. Not thread-safe.
 *
 * @param isPartition whether its values are those of directories
 */
private[report] final class ColumnLayout(val column: Column, val isPartition: Boolean) {
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
