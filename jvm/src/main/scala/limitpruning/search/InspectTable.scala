package limitpruning.search

import scala.concurrent.duration.{Deadline, DurationInt}

import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.expressions.{Expression, FileSourceMetadataAttribute, GetStructField}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.StructType

import limitpruning.footers.FactsCache
import limitpruning.parquet.{ColumnPages, PageIndexReader, RowGroupDetails, UnreadableFooterException}
import limitpruning.predicate.{ColumnFacts, LeafColumn, SupportedTypes}
import limitpruning.select.ListedFile

/**
 * Inspects all files and all columns of a table for one predicate, even if that would not pay for a LIMIT. One instance
 * per inspection; not thread-safe.
 */
final class InspectTable(scan: LimitedScan[Table], session: SparkSession, cache: FactsCache, conf: SQLConf) {
  import InspectTable._

  private val table =
    new SearchInputs(scan, session, cache, conf, alsoNeeded = leaves(scan), mostTime = Some(Patience))

  /** The files that remain after partition pruning, in reading order. */
  val files: IndexedSeq[ListedFile] = table.files

  /** The classifier of the files. */
  def classify: ClassifyRowGroups = table.classify

  /** The inspected columns: first those of the predicate, then all others. */
  def columns: IndexedSeq[LeafColumn] = table.classify.columns

  /** Number of columns of the predicate. */
  val predicateColumns: Int = LeafColumn.inAll(scan.conjuncts).size

  def isPartition(column: LeafColumn): Boolean =
    scan.table.partitionColumns.exists(_.exprId == column.attribute.exprId)

  /**
   * Inspects some of the files, one after the other, with the same metadata as for a LIMIT.
   *
   * @throws limitpruning.parquet.UnreadableFooterException if a file has no footer, or if reading it takes too long
   */
  def inspect(some: Seq[ListedFile]): Seq[InspectedFile] = {
    val deadline = Deadline.now + Patience
    val refine =
      new RefineRowGroups(table.classify, table.storage, table.narrow, table.maxBytes, deadline)
    val footers = table.footers(some)
    try some.map { file =>
        val footer = footers.next(deadline).getOrElse {
          throw new UnreadableFooterException(file.status, s"it was not read within $Patience")
        }
        inspected(refine(table.classify(file, footer), Long.MaxValue))
      }
    finally
      try footers.close()
      finally table.close()
  }

  private def inspected(file: ClassifiedFile): InspectedFile = {
    val status = file.listed.status
    val details = new RowGroupDetails(status, file.footer, file.facts, table.storage, MaxPart)
    val indexes = new PageIndexReader(status, file.footer, table.storage, table.maxBytes)
    try {
      val chunks =
        for (rowGroup <- file.rowGroups.indices; known = file.known(rowGroup)) yield columns.indices.map { i =>
          InspectedChunk(
            if (file.isBelieved) known.facts(i) else ColumnFacts.Unknown,
            ColumnPages.exist(file.facts, indexes, columns(i), rowGroup),
            details.hasDictionary(columns(i), rowGroup),
            details.hasBloomFilter(columns(i), rowGroup)
          )
        }
      new InspectedFile(file, chunks)
    } finally {
      details.close()
      indexes.close()
    }
  }
}

/** @param chunks the metadata of each column, by row group */
final class InspectedFile(val file: ClassifiedFile, val chunks: IndexedSeq[IndexedSeq[InspectedChunk]])

/** The metadata of one column in one row group, as far as it is trusted. */
final case class InspectedChunk(
    facts: ColumnFacts,
    hasPageIndex: Boolean,
    hasDictionary: Boolean,
    hasBloomFilter: Boolean
)

private object InspectTable {

  /** Maximum number of inspected columns, in addition to those of the predicate. */
  private val MostColumns = 200

  /** Maximum time to read the footers of one wave, and to evaluate the predicate for all files. */
  private val Patience = 10.minutes

  /** Maximum bytes of a dictionary or bloom filter. A larger one counts as missing. */
  private val MaxPart = 1024L * 1024

  private def leaves(scan: LimitedScan[Table]): Seq[Expression] =
    scan.table.output
      .filter { case FileSourceMetadataAttribute(_) => false; case _ => true }
      .flatMap(leaves(_))
      .take(MostColumns)

  private def leaves(e: Expression): Seq[Expression] = e.dataType match {
    case struct: StructType =>
      struct.fields.toSeq.zipWithIndex.flatMap { case (field, i) =>
        leaves(GetStructField(e, i, Some(field.name)))
      }
    case type_ if SupportedTypes.contains(type_) => Seq(e)
    case _ => Nil
  }
}
