package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, AttributeSet, BoundReference, Expression, FileSourceMetadataAttribute, Predicate
}
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, LogicalRelation}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.footers.FactsCache
import limitpruning.predicate.LeafColumn
import limitpruning.search.ClassifyRowGroups
import limitpruning.select.ListedFile

/**
 * The files of a version of a Delta table in which a row may match: their partition values do, and the statistics of the log exclude
 * none. Delta finds them in a Spark job for each query. Here, the log is read once for each version, and for each set of columns.
 */
private[delta] object MatchingFiles {

  /**
   * @param index has all files of the version
   * @param filters all filters of the scan
   * @param keys what the rows are sorted by, whose statistics a search reads, too
   * @return none if Delta may exclude more files
   */
  def apply(
      relation: LogicalRelation,
      index: PreparedDeltaFileIndex,
      filters: Seq[Expression],
      keys: Seq[Expression],
      cache: FactsCache
  ): Option[Seq[AddFile]] = relation.relation match {
    case files: HadoopFsRelation =>
      val table = new DeltaTable(relation, files.copy(location = index)(files.sparkSession))
      // Spark does not evaluate these filters again.
      val (ofPartitions, ofRows) =
        filters.partition(_.references.subsetOf(AttributeSet(table.partitionColumns)))
      lazy val listing = new DeltaListing(table, index, filters, keys, cache)
      if (
        table.unsupported.isEmpty && ofPartitions.forall(table.decides) && !filters.exists(readsMetadata) &&
        ofRows.forall(isCertain(table, listing, _))
      ) {
        val inPartitions = listing.files.filter(hasPartition(table, ofPartitions))
        if (ofRows.isEmpty) Some(inPartitions.map(listing.action))
        else if (inPartitions.forall(listing.isRead)) {
          val classify = new ClassifyRowGroups(
            ofRows,
            table.output,
            table.partitionSchema,
            table.settings,
            known = listing.facts
          )
          def mayMatch(file: ListedFile) = classify.neverTrue(classify.beforeReading(file)).isEmpty
          Some(inPartitions.filter(mayMatch).map(listing.action))
        } else None
      } else None
    case _ => None
  }

  private def readsMetadata(filter: Expression): Boolean = filter.references.exists {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }

  /** Whether what the log may say about all columns of a filter is certain. */
  private def isCertain(table: DeltaTable, listing: DeltaListing, filter: Expression): Boolean = {
    val partitions = AttributeSet(table.partitionColumns)
    val columns = LeafColumn.in(filter)
    filter.references.subsetOf(AttributeSet(columns.map(_.attribute))) && columns.forall { column =>
      partitions.contains(column.attribute) ||
      listing.knows(column) && table.settings.names.of(column.attribute.name +: column.path).nonEmpty
    }
  }

  /** Evaluates filters as Spark evaluates them when it lists the files of a partitioned table. */
  private def hasPartition(table: DeltaTable, filters: Seq[Expression]): ListedFile => Boolean = {
    val bound = filters.map(_.transform { case column: AttributeReference =>
      val ordinal = table.partitionSchema.fields.indexWhere(field =>
        SQLConf.get.resolver(field.name, column.name)
      )
      BoundReference(ordinal, column.dataType, nullable = true)
    })
    val evaluated = bound.map(Predicate.createInterpreted)
    file => evaluated.forall(_.eval(file.partitionValues))
  }
}
