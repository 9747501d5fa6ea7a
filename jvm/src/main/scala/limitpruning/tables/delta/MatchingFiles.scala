package limitpruning.tables.delta

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, FileSourceMetadataAttribute}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.datasources.LogicalRelation

import limitpruning.footers.FactsCache
import limitpruning.predicate.{LeafColumn, Values}
import limitpruning.search.ClassifyRowGroups
import limitpruning.select.ListedFile
import limitpruning.tables.SelectedRelation

/**
 * The files of a version of a Delta table in which a row may match: their partition values do, and the statistics of the log exclude
 * none. Delta finds them in a Spark job for each query. Here, the log is read once for each version, and for each set of columns.
 *
 * @param relation reads the table
 * @param filters all filters of the scan, deterministic
 * @param keys what the rows are sorted by, whose statistics a search reads, too
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
  def canDecide: Boolean =
    ofPartitions.forall(table.decides) && ofRows.forall(isCertain) && !filters.exists(readsMetadata)

  /**
   * @param every has all files of the version
   * @return none if Delta may exclude more files
   */
  def in(every: PreparedDeltaFileIndex): Option[MatchingFiles.Found] = {
    val table = DeltaTable.of(SelectedRelation.withLocation(relation, every))
    if (table.unsupported.nonEmpty) None
    else {
      val listed =
        try Some(new DeltaListing(table, every, filters, keys, cache, needsAll = true))
        catch {
          case NonFatal(_) => None
        } // a filter fails for a partition; Delta has the error, for the user
      listed.map { listing =>
        val files = listing.files
        if (ofRows.isEmpty) MatchingFiles.Found(areRead = true, Some(files.map(listing.action)))
        else if (!files.forall(listing.isRead)) MatchingFiles.Found(areRead = false, None)
        else {
          val classify = new ClassifyRowGroups(
            ofRows,
            table.output,
            table.partitionSchema,
            table.settings,
            known = listing.facts
          )
          def mayMatch(file: ListedFile) = classify.neverTrue(classify.beforeReading(file)).isEmpty
          // Delta excludes files by what is less certain, too.
          def isDoubtful(file: ListedFile) = classify.columns.exists { column =>
            val facts = listing.facts(file)
            facts.columns(column).values == Values.Unknown && facts.hints(column).values != Values.Unknown
          }
          val found = files.filter(mayMatch)
          val isSure = !classify.work.isUsedUp && !found.exists(isDoubtful)
          MatchingFiles.Found(areRead = true, if (isSure) Some(found.map(listing.action)) else None)
        }
      }
    }
  }

  private def readsMetadata(filter: Expression): Boolean = filter.references.exists {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }

  private def isCertain(filter: Expression): Boolean = {
    val columns = LeafColumn.in(filter)
    filter.references.subsetOf(AttributeSet(columns.map(_.attribute))) && columns.forall { column =>
      partitions.contains(column.attribute) || LogStatistics.mayKnow(column) && table.isNamed(column)
    }
  }
}

private[delta] object MatchingFiles {

  /**
   * @param areRead whether the statistics that are needed were read in time
   * @param files none if Delta may exclude more
   */
  final case class Found(areRead: Boolean, files: Option[Seq[AddFile]])
}
