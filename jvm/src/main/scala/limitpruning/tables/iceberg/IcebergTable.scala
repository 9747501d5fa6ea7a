package limitpruning.tables.iceberg

import scala.concurrent.duration.Deadline
import scala.jdk.CollectionConverters._

import org.apache.iceberg.{BaseTable, BatchScan, FileScanTask, MetadataColumns, ScanTask}
import org.apache.iceberg.types.Types.NestedField
import org.apache.iceberg.util.ContentFileUtil
import org.apache.spark.sql.catalyst.expressions.{Attribute, AttributeReference, AttributeSet}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2ScanRelation

import limitpruning.footers.FactsCache
import limitpruning.predicate.{LeafColumn, SupportedTypes}
import limitpruning.search.{
  ChosenFile, ChosenFiles, ManifestFacts, ManifestFile, ManifestRowGroup, NumberedRows, ReadSizes,
  ReadableTable
}
import limitpruning.select.Reason

/**
 * An Iceberg table, as Iceberg's own scan reads it: one snapshot, with the files that its filters leave.
 *
 * @param scan Iceberg's scan of the snapshot
 * @param planned the files of the scan, in any order
 * @param cache the application's cache of manifests
 */
private[tables] final class IcebergTable private (
    relation: DataSourceV2ScanRelation,
    internals: ScanInternals,
    scan: Option[BatchScan],
    planned: IndexedSeq[ScanTask],
    cache: FactsCache
) extends ReadableTable {
  import IcebergTable._

  // A rule may need to know no more than that a plan reads such a table.
  private lazy val tasks: IndexedSeq[FileScanTask] = sorted(planned)

  override def name: String = relation.relation.name

  override lazy val files: IndexedSeq[ManifestFile] = tasks.zipWithIndex.map { case (task, position) =>
    val file = task.file
    ManifestFile(
      file.location,
      file.recordCount,
      file.fileSizeInBytes,
      deletedRows(task),
      position,
      parts = RowGroupTasks.count(task)
    )
  }

  override def facts(
      columns: IndexedSeq[LeafColumn],
      deadline: Deadline
  ): ManifestFile => IndexedSeq[ManifestFacts] = {
    val fields = columns.map(fieldOf)
    val ids = fields.flatten.map(_.fieldId).toSet
    lazy val manifests = scan.map(new ReadManifests(internals.table, _, ids, cache, deadline))
    file => {
      val task = tasks(file.position)
      val constants = columns.zip(fields).map { case (column, field) =>
        field.flatMap(MetricFacts.ofPartition(task, _, column.dataType))
      }
      // A manifest is read only if it may say something that the plan of the scan does not.
      lazy val metrics =
        if (MetricFacts.mayHave(task.file)) manifests.flatMap(_.metrics(task.file)) else None
      columns.indices.map { i =>
        constants(i).orElse {
          fields(i).flatMap(field => metrics.map(MetricFacts.of(_, field, columns(i).dataType)))
        }.getOrElse(ManifestFacts.Unknown)
      }
    }
  }

  override def rowGroups(
      files: Seq[ManifestFile],
      columns: IndexedSeq[LeafColumn],
      deadline: Deadline
  ): Seq[Option[IndexedSeq[ManifestRowGroup]]] = {
    val read =
      new ReadRowGroups(internals.table.io, columns.map(fieldOf), columns, internals.readsDefaults, cache)
    read(files.map(file => tasks(file.position)), deadline)
  }

  override def output: Seq[Attribute] = relation.output

  override def columns: IndexedSeq[LeafColumn] =
    relation.output.map(column => LeafColumn(column, Nil, column.dataType)).filter(mayHaveFacts).toIndexedSeq

  override def isPartition(column: LeafColumn): Boolean =
    fieldOf(column).exists(MetricFacts.isPartition(internals.table.spec, _))

  override def hasDefault(column: LeafColumn): Boolean =
    internals.readsDefaults && fieldOf(column).exists(_.initialDefault != null)

  override def mayHaveFacts(column: LeafColumn): Boolean =
    fieldOf(column).nonEmpty && SupportedTypes.contains(column.dataType)

  /** The column in the table's schema; none for a field of a struct, and for a column that is not in the files. */
  private def fieldOf(column: LeafColumn): Option[NestedField] =
    for {
      // A query may spell the name in another way than the table.
      attribute <- relation.output.find(_.exprId == column.attribute.exprId) if column.path.isEmpty
      field <- fieldNamed(attribute.name)
      if field.`type`.isPrimitiveType && !MetadataColumns.isMetadataColumn(field.fieldId)
    } yield field

  private def fieldNamed(name: String): Option[NestedField] =
    internals.projection.columns.asScala.find(_.name == name)

  override def sizes(
      first: AttributeSet,
      equal: Seq[LeafColumn],
      keys: Seq[LeafColumn],
      files: Seq[ManifestFile],
      deadline: Deadline
  ): Option[ReadSizes] = {
    def idsOf(columns: Seq[Attribute]) = columns.flatMap(column => fieldNamed(column.name)).map(_.fieldId)
    def idsOfLeaves(columns: Seq[LeafColumn]) = columns.flatMap(fieldOf).map(_.fieldId).toSet
    val sizesOf = new SizesOfFiles(
      idsOf(relation.output.filter(first.contains)).toSet,
      idsOf(relation.output).toSet,
      idsOfLeaves(equal),
      idsOfLeaves(keys)
    )
    val footers = new ReadRowGroups(
      internals.table.io,
      IndexedSeq.empty,
      IndexedSeq.empty,
      internals.readsDefaults,
      cache
    ).footers(files.map(file => tasks(file.position)), deadline)
    sizesOf(footers.zip(files).collect { case (Some(footer), file) => footer -> file.bytes })
  }

  override def numbered(
      columns: AttributeSet,
      files: Option[IndexedSeq[ChosenFile]]
  ): Option[NumberedRows] = {
    import PositionsScan.{Path, Row}
    val used = relation.output.filter(columns.contains)
    val fields = used.flatMap(column => fieldNamed(column.name))
    val places = Seq(Path, Row)
    def isPlace(field: NestedField) = places.exists(_.fieldId == field.fieldId)
    val areTheirs =
      internals.projection.columns.asScala.forall(f => isPlace(f) || !places.exists(_.name == f.name))
    for (planned <- scan if areTheirs && fields.size == used.size) yield {
      val selected = files.fold(tasks: Seq[FileScanTask])(_.flatMap(tasksOf))
      val positions =
        new PositionsScan(relation.scan, internals, planned, selected, fields.filterNot(isPlace))
      val output = positions.readSchema.map { field =>
        // A query that uses such a column has it among its own.
        used.find(_.name == field.name)
          .getOrElse(AttributeReference(field.name, field.dataType, field.nullable)())
      }
      def named(place: NestedField) = output.find(_.name == place.name).get
      NumberedRows(withFields(positions, output), named(Path), named(Row))
    }
  }

  override def scan(chosen: ChosenFiles): Scan = new SelectedScan(
    relation.scan,
    internals,
    scan.getOrElse(throw new IllegalStateException("no snapshot")),
    chosen.files.flatMap(tasksOf),
    chosen
  )

  override def replaceScan(plan: LogicalPlan)(by: Scan => Scan): LogicalPlan = {
    val changed = withFields(by(relation.scan), relation.output)
    plan.transformDown { case leaf if leaf eq relation => changed }
  }

  /** The relation with another scan. It has other fields in other versions of Spark. */
  private def withFields(other: Scan, output: Seq[AttributeReference]): LogicalPlan =
    relation.makeCopy(relation.productIterator.map {
      case field: AnyRef if field eq relation.scan => other
      case field: AnyRef if field eq relation.output => output
      case field => field.asInstanceOf[AnyRef]
    }.toArray)

  /** The parts of a file that are read. */
  private def tasksOf(chosen: ChosenFile): Seq[FileScanTask] = {
    val task = tasks(chosen.file.position)
    chosen.rowGroups.fold(Seq(task)) { some =>
      val all = RowGroupTasks.of(task)
      // Iceberg splits no task twice, and takes a part that is as long as the file for a file.
      if (all.size == 1) some.map(_ => task) else some.map(rowGroup => all(rowGroup.ordinal))
    }
  }
}

private[tables] object IcebergTable {

  /** The table, or the reason why it is not supported. */
  def of(relation: DataSourceV2ScanRelation, cache: FactsCache): Either[Reason, IcebergTable] = {
    val internals = new ScanInternals(relation.scan)
    unsupported(internals).map(Reason.IcebergScan(_)).toLeft(()).flatMap { _ =>
      val tasks = internals.tasks.asScala.toIndexedSeq
      if (tasks.forall(isWholeFile))
        Right(new IcebergTable(relation, internals, internals.planned, tasks, cache))
      else Left(Reason.IcebergScan("tasks that are not whole data files"))
    }
  }

  /** Iceberg's own planning, on the driver or by Spark jobs. Tables of a REST catalog may be planned by its server. */
  private val Plans = Set(
    "org.apache.iceberg.BatchScanAdapter", // not public in Iceberg 1.10
    "org.apache.iceberg.SparkDistributedDataScan"
  )

  /** The filters of a scan that Iceberg evaluates; `None` if this version of Iceberg does not tell. */
  def filter(scan: Scan): Option[String] =
    try new ScanInternals(scan).planned.map(_.filter.toString)
    catch { case _: LinkageError | _: ReflectiveOperationException | _: ClassCastException => None }

  private def unsupported(internals: ScanInternals): Option[String] =
    if (internals.table.getClass != classOf[BaseTable])
      Some(s"a table of class ${internals.table.getClass.getName}")
    else if (!internals.plannedBy.forall(Plans.contains))
      internals.plannedBy.map(plan => s"a plan of class $plan")
    else if (internals.projection.findField(MetadataColumns.IS_DELETED.fieldId) != null)
      Some("a scan that returns deleted rows")
    else None

  private def isWholeFile(task: ScanTask): Boolean = task match {
    case file: FileScanTask => !file.isDataTask && file.start == 0 && file.length == file.file.fileSizeInBytes
    case _ => false
  }

  /**
   * At most this number of rows of a file are deleted; none if it is not known. A deletion vector has its cardinality as
   * record count, and Iceberg's reader fails if this is not so. Other delete files may delete a row twice, or rows of other
   * files.
   */
  private def deletedRows(task: FileScanTask): Option[Long] = task.deletes.asScala.toSeq match {
    case Seq() => Some(0L)
    case Seq(only)
        if ContentFileUtil.isDV(only) && only.referencedDataFile == task.file.location &&
          only.recordCount >= 0 =>
      Some(only.recordCount)
    case _ => None
  }

  /** Iceberg plans in threads, in no fixed order. Files of one manifest come together, so that few manifests are read. */
  private def sorted(tasks: IndexedSeq[ScanTask]): IndexedSeq[FileScanTask] =
    tasks.map(_.asFileScanTask).sortBy(task =>
      (Option(task.file.manifestLocation).getOrElse(""), task.file.location)
    )
}
