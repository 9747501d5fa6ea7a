package limitpruning.tables

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

import limitpruning.footers.FactsCache
import limitpruning.search.{ChosenFiles, ReadableTable}
import limitpruning.select.Reason
import limitpruning.tables.iceberg.IcebergTable

/**
 * The only way to the classes that need Apache Iceberg. Iceberg may be missing, or have another version, so its classes
 * are recognized by name before anything that refers to them is loaded.
 */
object Iceberg {
  private val Classes = "org.apache.iceberg."
  private val SparkTable = "org.apache.iceberg.spark.source.SparkTable"
  private val BatchScan = "org.apache.iceberg.spark.source.SparkBatchQueryScan"

  /** Whether a relation reads a table of Iceberg. */
  def reads(relation: DataSourceV2ScanRelation): Boolean =
    relation.relation.table.getClass.getName.startsWith(Classes)

  /** A value for any node that reads a table of Iceberg, whether or not it is supported. */
  def relation(plan: LogicalPlan): Option[Either[Reason, Unit]] = plan match {
    case relation: DataSourceV2ScanRelation if reads(relation) => Some(Right(()))
    case _ => None
  }

  /**
   * The table that a node reads, or the reason why it is not supported; `None` for any other node, and if files have
   * already been chosen.
   *
   * @param cache the application's cache of manifests
   */
  def table(cache: FactsCache)(plan: LogicalPlan): Option[Either[Reason, ReadableTable]] = plan match {
    case relation: DataSourceV2ScanRelation if isUnchosen(relation) =>
      Some(unsupported(relation).toLeft(()).flatMap(_ => supported(relation, cache)))
    case _ => None
  }

  /** Whether a node reads a table of Iceberg with the format's own scan. */
  def isUnchosen(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2ScanRelation => reads(relation) && original(relation.scan).isEmpty
    case _ => false
  }

  /** Whether a node reads chosen rows of a table of Iceberg, or rows that are chosen when the query runs. */
  def isDecided(plan: LogicalPlan): Boolean = plan match {
    case relation: DataSourceV2ScanRelation => original(relation.scan).nonEmpty
    case _ => false
  }

  /** The scan of a node whose rows are chosen when the query runs. */
  def undecided(plan: LogicalPlan): Option[UndecidedScan] = plan match {
    case relation: DataSourceV2ScanRelation =>
      relation.scan match {
        case scan: UndecidedScan => Some(scan)
        case _ => None
      }
    case _ => None
  }

  /** A node whose rows are chosen, or are to be chosen when the query runs, with the format's own scan; `None` for any other node. */
  def restored(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case relation: DataSourceV2ScanRelation =>
      for (original <- original(relation.scan)) yield
        // The node has other fields in other versions of Spark.
        plan.makeCopy(plan.productIterator.map {
          case field: AnyRef if field eq relation.scan => original
          case field => field.asInstanceOf[AnyRef]
        }.toArray)
    case _ => None
  }

  /** The format's own scan, if another one has replaced it. */
  private def original(scan: Scan): Option[Scan] = scan match {
    case files: SelectedFiles => Some(files.original)
    case undecided: UndecidedScan => Some(undecided.original)
    case _ => None
  }

  /** The filters of a scan that Iceberg evaluates; `None` if they are not known. */
  def filter(relation: DataSourceV2ScanRelation): Option[String] = {
    val scan = original(relation.scan).getOrElse(relation.scan)
    if (scan.getClass.getName == BatchScan) IcebergTable.filter(scan) else None
  }

  /** What has been chosen for a LIMIT over a node; `None` if nothing has. */
  def chosen(plan: LogicalPlan): Option[Either[Reason, ChosenFiles]] = plan match {
    case relation: DataSourceV2ScanRelation => selected(relation.scan).map(Right(_))
    case _ => None
  }

  private def selected(scan: Scan): Option[ChosenFiles] = scan match {
    case files: SelectedFiles => Some(files.chosen)
    case _ => None
  }

  private def unsupported(relation: DataSourceV2ScanRelation): Option[Reason] = {
    val table = relation.relation.table.getClass.getName
    val scan = relation.scan.getClass.getName
    if (table != SparkTable) Some(Reason.IcebergScan(s"a table of class $table"))
    else if (scan != BatchScan) Some(Reason.IcebergScan(s"a scan of class $scan"))
    else if (relation.keyGroupedPartitioning.nonEmpty)
      Some(Reason.IcebergScan("a scan that keeps its partitions apart"))
    else if (relation.ordering.nonEmpty) Some(Reason.IcebergScan("an ordered scan"))
    else None
  }

  private[tables] def supported(
      relation: DataSourceV2ScanRelation,
      cache: FactsCache
  ): Either[Reason, ReadableTable] =
    try IcebergTable.of(relation, cache)
    catch {
      case error @ (_: LinkageError | _: ReflectiveOperationException | _: ClassCastException) =>
        Left(Reason.IcebergVersion(error.toString))
    }
}

/** A scan of data source V2 that reads only files that were chosen for a LIMIT. */
private[tables] trait SelectedFiles {

  /** Iceberg's scan of all files. */
  def original: Scan
  def chosen: ChosenFiles
}
