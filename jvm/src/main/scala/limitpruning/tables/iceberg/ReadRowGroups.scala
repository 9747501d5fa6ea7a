package limitpruning.tables.iceberg

import java.util.concurrent.{ExecutionException, TimeoutException}

import scala.concurrent.duration.Deadline
import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.iceberg.{FileFormat, FileScanTask}
import org.apache.iceberg.io.{FileIO, SeekableInputStream}
import org.apache.iceberg.types.Types.NestedField
import org.apache.parquet.io.DelegatingSeekableInputStream
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.conf.LimitPruningConf
import limitpruning.footers.{FactsCache, FooterToRead, FootersByThreads, PlanningThreads}
import limitpruning.parquet.{
  FileColumns, Footer, FooterReader, NamesInFiles, ReadSettings, RowGroupFacts, TestedWriters,
  UnreadableFooterException
}
import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.search.{ManifestFacts, ManifestRowGroup}

/** The tasks by which Iceberg reads single row groups of a data file: one for each split offset in the manifest. */
private object RowGroupTasks {

  /** Number of row groups that can be read on their own; 1 if only the whole file can be. Reads nothing. */
  def count(task: FileScanTask): Int = {
    val offsets = Option(task.file.splitOffsets).fold(Seq.empty[Long])(_.asScala.toSeq.map(_.longValue))
    val isOrdered = offsets.zip(offsets.drop(1)).forall { case (one, next) => one < next }
    if (hasFooter(task) && isOrdered) offsets.size.max(1) else 1
  }

  /** Whether the file has a footer that can be read. */
  def hasFooter(task: FileScanTask): Boolean = {
    val file = task.file
    val isPlain = file.format == FileFormat.PARQUET && file.keyMetadata == null
    // Footers are cached by the path, which must name one file only.
    isPlain && new Path(file.location).toString == file.location
  }

  /** The tasks, in the order of the split offsets. Iceberg divides a file that has split offsets by nothing else. */
  def of(task: FileScanTask): IndexedSeq[FileScanTask] = task.split(Long.MaxValue).asScala.toIndexedSeq

  /**
   * Whether each task reads exactly the row group of its position, and row groups are in the order of the file. Parquet's readers
   * decide this by midpoints.
   */
  def areRowGroups(tasks: IndexedSeq[FileScanTask], footer: Footer): Boolean = {
    val midpoints = footer.offsets.midpoints
    tasks.size == midpoints.size && tasks.indices.forall { i =>
      // A task that has the midpoint of another row group, too, has that of a neighbour.
      def isOther(row: Int) = !midpoints.isDefinedAt(row) || !isIn(midpoints(row), tasks(i))
      (i == 0 || midpoints(i - 1) < midpoints(i)) &&
      isIn(midpoints(i), tasks(i)) && isOther(i - 1) && isOther(i + 1)
    }
  }

  private def isIn(offset: Long, task: FileScanTask): Boolean =
    task.start <= offset && offset - task.start < task.length
}

/**
 * Reads footers of data files through the table's own file IO. Iceberg finds columns of a file by field ids, and so does
 * this.
 *
 * A footer is not believed if its rows are not those of the manifest, or if one of its columns has no field id: Iceberg then
 * finds columns by other rules. Of a column that the file lacks, the facts are those of its default. A column without facts
 * in the footer is unknown.
 *
 * @param fields the columns in the table's schema; none for those that are not in files
 * @param columns the same columns
 * @param readsDefaults see [[ScanInternals]]
 */
private final class ReadRowGroups(
    io: FileIO,
    fields: IndexedSeq[Option[NestedField]],
    columns: IndexedSeq[LeafColumn],
    readsDefaults: Boolean,
    cache: FactsCache
) {
  import ReadRowGroups._

  private val conf = SQLConf.get
  private val trustedWritersOnly = conf.getConf(LimitPruningConf.TrustedWritersOnly)

  /** @return for each file its row groups; none if they cannot be read one by one, or if the footer is not believed */
  def apply(files: Seq[FileScanTask], deadline: Deadline): Seq[Option[IndexedSeq[ManifestRowGroup]]] =
    files.zip(footers(files, deadline)).map { case (task, footer) => footer.flatMap(rowGroups(task, _)) }

  /** @return for each file its footer; none if the file has none that can be read, or in time */
  def footers(files: Seq[FileScanTask], deadline: Deadline): Seq[Option[Footer]] = {
    val statuses = files.map(task => Some(statusOf(task)).filter(_ => RowGroupTasks.hasFooter(task)))
    val found = statuses.map(_.flatMap(cache.footer(_, FileColumns.All)))
    val missing = statuses.zip(found).collect { case (Some(status), None) =>
      FooterToRead(status, FileColumns.All)
    }
    val read = readAll(missing, deadline)
    statuses.zip(found).map { case (status, cached) =>
      cached.orElse(status.flatMap(known => read.get(known.getPath)))
    }
  }

  private def readAll(files: Seq[FooterToRead], deadline: Deadline): Map[Path, Footer] =
    if (files.isEmpty) Map.empty
    else {
      val threads = new PlanningThreads(conf.getConf(LimitPruningConf.Threads))
      try {
        val underWay = new FootersByThreads(reader, cache, threads).begin(files)
        try files.indices.flatMap(i =>
            await(underWay.await(i, deadline.timeLeft)).map(files(i).file.getPath -> _)
          ).toMap
        finally underWay.close()
      } finally threads.close()
    }

  /** None if a footer cannot be read, or does not arrive in time. If the file is broken, Iceberg's reader says so. */
  private def await(footer: => Footer): Option[Footer] =
    try Some(footer)
    catch {
      case _: TimeoutException => None
      case error: ExecutionException =>
        error.getCause match {
          case _: UnreadableFooterException => None
          case interruption: InterruptedException => throw interruption
          case other => throw other
        }
    }

  private def reader: FooterReader = new FooterReader(
    status => new Stream(io.newInputFile(status.getPath.toString, status.getLen).newStream()),
    None
  )

  private def rowGroups(task: FileScanTask, footer: Footer): Option[IndexedSeq[ManifestRowGroup]] = {
    val rows = footer.rowGroups.map(_.getRowCount)
    val isBelieved = !trustedWritersOnly || TestedWriters.contain(footer.createdBy)
    if (
      isBelieved && rows.forall(count => count > 0 && count <= task.file.recordCount) &&
      rows.map(BigInt(_)).sum == BigInt(task.file.recordCount) &&
      RowGroupTasks.areRowGroups(RowGroupTasks.of(task), footer)
    )
      namesOf(footer).map { names =>
        val facts = columns.indices.map(i => factsOf(i, task, footer, names))
        rows.indices.map(i => ManifestRowGroup(i, rows(i), footer.offsets.bytes(i), facts.map(_(i))))
      }
    else None
  }

  /** The facts about a column, by row group. */
  private def factsOf(
      column: Int,
      task: FileScanTask,
      footer: Footer,
      names: Map[Int, String]
  ): Int => ManifestFacts = {
    val leaf = columns(column)
    fields(column).filterNot(MetricFacts.isPartition(task.spec, _)) match {
      case None => _ => ManifestFacts.Unknown
      case Some(field) => names.get(field.fieldId).fold(factsOfMissing(field, leaf, footer)) { inFile =>
          val renamed = NamesInFiles.Renamed(Map(Seq(leaf.attribute.name) -> Seq(inFile)))
          val facts = new RowGroupFacts(footer, Settings.copy(names = renamed))
          val known = facts.of(leaf)
          val nullCounts = facts.nullCounts(leaf)
          rowGroup =>
            ManifestFacts(
              certain(known(rowGroup)),
              nullCounts(rowGroup),
              facts.maxIfNeverNaN(leaf, rowGroup)
            )
        }
    }
  }

  /** Iceberg's reader may skip a row group whose bounds are not UTF-8, although its rows match. */
  private def certain(known: ColumnFacts): ColumnFacts = known.values match {
    case Values.Range(min: UTF8String, max: UTF8String)
        if !(StringBounds.isUtf8(min) && StringBounds.isUtf8(max)) => known.copy(values = Values.Unknown)
    case _ => known
  }

  private def factsOfMissing(field: NestedField, leaf: LeafColumn, footer: Footer): Int => ManifestFacts = {
    val known = MetricFacts.ofMissing(field, leaf.dataType, readsDefaults)
    rowGroup => {
      val nullCount = known.nulls match {
        case Nulls.All => Some(footer.rowGroups(rowGroup).getRowCount)
        case Nulls.No => Some(0L)
        case Nulls.Unknown => None
      }
      ManifestFacts(known, nullCount)
    }
  }
}

private object ReadRowGroups {

  /** The names of top-level columns in a file, by their field ids; none if a column has no id, or the id of another. */
  def namesOf(footer: Footer): Option[Map[Int, String]] = {
    val fields = footer.schema.getFields.asScala.toSeq
    if (fields.exists(_.getId == null)) None
    else Some(fields.map(field => field.getId.intValue -> field.getName).toMap).filter(_.size == fields.size)
  }

  /** Iceberg reads dates and timestamps as they are stored. It does not read INT96 as Spark does, so nothing is known. */
  private val Settings =
    ReadSettings(caseSensitive = true, byFieldId = false, rebaseMode = "CORRECTED", convertsInt96 = true)

  /** A data file never changes, so its path and its length identify it. */
  private def statusOf(task: FileScanTask): FileStatus =
    new FileStatus(task.file.fileSizeInBytes, false, 1, 0, 0, new Path(task.file.location))

  private final class Stream(in: SeekableInputStream) extends DelegatingSeekableInputStream(in) {
    override def getPos: Long = in.getPos
    override def seek(position: Long): Unit = in.seek(position)
  }
}
