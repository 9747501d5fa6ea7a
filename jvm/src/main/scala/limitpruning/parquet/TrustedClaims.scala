package limitpruning.parquet

import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData
import org.apache.parquet.schema.PrimitiveType
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName

/**
 * What the writer of one file states about columns, and which of these statements count as proofs: kinds for which the
 * writer is listed, without its known errors.
 *
 * @param createdBy of the file's footer, null if there is none
 */
private[parquet] final class TrustedClaims(createdBy: String) {
  import Claim._
  import TrustedClaims._

  private val writer = Writer.of(createdBy)
  private val listed = ListedWriters.claimsOf(writer)
  private val quirks = WriterQuirks.table.filter(_.isOf(writer))

  /** The writer, for users. */
  val writerName: String = Option(createdBy).filter(_.nonEmpty).getOrElse("unknown")

  /** The same chunk with only the metadata that are proofs. */
  def proved(column: PrimitiveType): ColumnChunk => ColumnChunk = {
    val known = claimed(column)
    if (isListed(column)) known
    else {
      val (hasNullCounts, hasMinMax) = (listed(NullCounts), listed(minMaxOf(column)))
      known.andThen { chunk =>
        chunk.copy(
          nullCount = chunk.nullCount.filter(_ => hasNullCounts),
          minMax = chunk.minMax.filter(_ => hasMinMax)
        )
      }
    }
  }

  /**
   * The same chunk without the metadata that a known error makes wrong. Of a writer that is not listed, the others prove
   * nothing.
   */
  def claimed(column: PrimitiveType): ColumnChunk => ColumnChunk = {
    val doubted = doubtedOf(column)
    if (doubted.isEmpty) identity
    else
      chunk =>
        chunk.copy(
          nullCount = chunk.nullCount.filterNot { count =>
            doubted(Doubt.NullCount) || (doubted(Doubt.NullCountAboveZero) && count > 0)
          },
          minMax = chunk.minMax.filterNot(_ => doubted(Doubt.MinMax))
        )
  }

  /** Whether a row has the min, and a row has the max, of each chunk of the column that has both. */
  def occur(column: PrimitiveType): Boolean = listed(NumbersOccur) && isListed(column) &&
    minMaxOf(column) == NumbersMinMax && Occurring(column.getPrimitiveTypeName)

  def provesByPages: Boolean = listed(PageIndexes)
  def provesByDictionaries: Boolean = listed(Dictionaries)
  def provesByEntries: Boolean = listed(Dictionaries) && listed(EntriesOccur)

  def provesByBloomFilters(column: PrimitiveType): Boolean =
    listed(BloomFilters) && !doubtedOf(column)(Doubt.BloomFilter)

  /** Whether min, max and null counts of a column's chunks count, if they are written. */
  def isListed(column: PrimitiveType): Boolean = listed(NullCounts) && listed(minMaxOf(column))

  /** The kinds of statements about a chunk that are not proofs, only because the writer is not listed for them. */
  def unlisted(column: PrimitiveType, chunk: ColumnChunk): Seq[Claim] = {
    val all = claimed(column)(chunk)
    Seq(
      all.minMax.map(_ => minMaxOf(column)),
      all.nullCount.map(_ => NullCounts)
    ).flatten.filterNot(listed)
  }

  /** Whether everything that a file has beside the statistics of its footer counts. */
  val areAllPartsListed: Boolean = Seq(PageIndexes, Dictionaries, BloomFilters).forall(listed)

  /** What the file has about a chunk beside the statistics of its footer, and the writer is not listed for. */
  def unlistedParts(chunk: ColumnChunkMetaData): Seq[Claim] = Seq(
    if (chunk.getColumnIndexReference != null) Some(PageIndexes) else None,
    if (chunk.hasDictionaryPage) Some(Dictionaries) else None,
    if (chunk.getBloomFilterOffset >= 0) Some(BloomFilters) else None
  ).flatten.filterNot(listed)

  private def doubtedOf(column: PrimitiveType): Set[Doubt] =
    quirks.iterator.filter(_.concerns(column)).flatMap(_.doubted).toSet
}

private object TrustedClaims {

  /** Of floats, a max leaves out NaN, and 0.0 may be written for -0.0. INT96 has several orders. */
  private val Occurring = Set(PrimitiveTypeName.INT32, PrimitiveTypeName.INT64)
}
