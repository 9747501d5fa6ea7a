package limitpruning.tables.delta

import scala.concurrent.duration.{DurationLong, FiniteDuration}

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, FileSourceMetadataAttribute}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.FactsCache
import limitpruning.predicate.{LeafColumn, Values, Work}
import limitpruning.search.ClassifyRowGroups
import limitpruning.select.ListedFile
import limitpruning.tables.SelectedRelation

/**
 * The files of a version of a Delta table in which a row may match: their partition values do, and the statistics of the log exclude
 * none. Delta finds them in a Spark job for each query. Here, the log is read once for each version, and for each set of columns.
 *
 * @param relation reads the table
 * @param filters all filters of the scan, deterministic
 * @param keys what the rows are sorted or grouped by, whose statistics a search reads, too
 */
private[delta] final class MatchingFiles(
    relation: LogicalRelation,
    filters: Seq[Expression],
    keys: Seq[Expression],
    cache: FactsCache
) {
  private val table = DeltaTable.of(relation)
  private val partitions = AttributeSet(table.partitionColumns)

  /** Filters of partition columns, which Spark does not evaluate for rows, and all others. */
  val (ofPartitions, ofRows) = filters.partition(_.references.subsetOf(partitions))

  /** Whether the log may have something certain about all columns. If not, Delta may exclude more files. */
  def canDecide: Boolean = ofPartitions.forall(table.decides) && !filters.exists(readsMetadata) &&
    (ofRows.isEmpty || maxTime.length > 0 && ofRows.forall(isCertain))

  /**
   * @param every has all files of the version
   * @return none if Delta may exclude more files, or statistics were not read in time
   */
  def in(every: PreparedDeltaFileIndex): Option[Seq[AddFile]] = {
    val table = DeltaTable.of(SelectedRelation.withLocation(relation, every))
    if (table.unsupported.nonEmpty) None
    else {
      val listing = new DeltaListing(table, every, filters, keys, cache, needsAll = true)
      if (ofRows.isEmpty) Some(listing.files.map(listing.action))
      else if (listing.files.forall(listing.isRead)) matching(table, listing)
      else None
    }
  }

  private def matching(table: DeltaTable, listing: DeltaListing): Option[Seq[AddFile]] = {
    val work = new Work(mostTime = maxTime)
    val classify = new ClassifyRowGroups(
      ofRows,
      table.output,
      table.partitionSchema,
      table.settings,
      known = listing.facts,
      work = work
    )
    def mayMatch(file: ListedFile) = classify.neverTrue(classify.beforeReading(file)).isEmpty
    // Delta excludes files by what is less certain, too.
    def isDoubtful(file: ListedFile) = classify.columns.exists { column =>
      val facts = listing.facts(file)
      facts.columns(column).values == Values.Unknown && facts.hints(column).values != Values.Unknown
    }
    val found = listing.files.filter(mayMatch)
    if (work.isUsedUp || found.exists(isDoubtful)) None else Some(found.map(listing.action))
  }

  private def maxTime: FiniteDuration = SQLConf.get.getConf(LimitPruningConf.MaxTime).millis

  private def readsMetadata(filter: Expression): Boolean = filter.references.exists {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }

  private def isCertain(filter: Expression): Boolean = {
    val columns = LeafColumn.in(filter)
    filter.references.subsetOf(AttributeSet(columns.map(_.attribute))) && columns.forall { column =>
      partitions.contains(column.attribute) || LogStatistics.mayKnow(column) && isNamed(column)
    }
  }

  private def isNamed(column: LeafColumn): Boolean =
    table.settings.names.of(table.named(column).attribute.name +: column.path).nonEmpty
}
