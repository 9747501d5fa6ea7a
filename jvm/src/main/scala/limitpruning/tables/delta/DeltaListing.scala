package limitpruning.tables.delta

import org.apache.spark.sql.catalyst.expressions.Expression
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.delta.actions.AddFile
import org.apache.spark.sql.delta.stats.PreparedDeltaFileIndex

import limitpruning.predicate.LeafColumn
import limitpruning.search.{FileFacts, LimitPlan, TableListing}
import limitpruning.select.ListedFile
import limitpruning.tables.SelectedRelation

/**
 * The files of a prepared Delta scan, sorted by path, with the statistics of the log.
 *
 * @param conjuncts the predicate
 * @param keys the sort key, if there is one: then facts about all files are needed
 */
private final class DeltaListing(
    table: DeltaTable,
    index: PreparedDeltaFileIndex,
    conjuncts: Seq[Expression],
    keys: Seq[Expression]
) extends TableListing {

  private val added: IndexedSeq[(ListedFile, AddFile)] = {
    // With the filters of the prepared scan, Delta returns its files, and does not read the log again.
    val (partitions, _) = index.listPartitionsAsAddFiles(Nil, index.preparedScan.allFilters.toSeq)
    val listed = for {
      (values, files) <- partitions
      file <- files
    } yield (values, index.fileStatusWithMetadataFromAddFile(file), file)
    listed.sortBy(_._2.getPath.toString).zipWithIndex.map { case ((values, status, file), position) =>
      ListedFile(values, status, position) -> file
    }.toIndexedSeq
  }

  private val statistics = new LogStatistics(
    index.preparedScan.scannedSnapshot,
    added.map(_._2.path),
    keys.nonEmpty,
    (conjuncts ++ keys).flatMap(LeafColumn.in).distinctBy(_.id),
    table.settings.names
  )

  override val files: IndexedSeq[ListedFile] = added.map(_._1)

  override def hasFacts: Boolean = true

  override def prunedByLog: Option[Long] = index.preparedScan.total.files.map(_ - files.size)

  /** Delta reads the statistics in a Spark job, which takes about as long as some waves of footers. */
  override def isWorthAskingFirst: Boolean = files.sizeIs > DeltaListing.FewFiles

  override def cheapFacts: Int = LogStatistics.MostNamed

  override def facts(file: ListedFile): FileFacts = {
    val action = added(file.position)._2
    FileFacts(
      statistics.certain(action.path, _),
      statistics.knows,
      statistics.rows(action.path),
      Some(Option(action.deletionVector).fold(0L)(_.cardinality)),
      statistics.expected(action.path, _)
    )
  }

  override def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan = {
    val selected = chosen.rows.selection.listed.map(file => added(file.position)._2)
    SelectedRelation.replaceIn(plan, table.leaf, new SelectedDeltaIndex(index, selected, chosen))
  }
}

private object DeltaListing {
  private val FewFiles = 64
}
