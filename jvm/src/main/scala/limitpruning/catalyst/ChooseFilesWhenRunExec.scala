package limitpruning.catalyst

import java.util.concurrent.atomic.AtomicBoolean

import org.apache.spark.SparkContext
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Expression, SortOrder}
import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.execution.{ColumnarToRowExec, SQLExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.v2.BatchScanExec
import org.apache.spark.sql.execution.metric.{SQLMetric, SQLMetrics}
import org.apache.spark.sql.vectorized.ColumnarBatch

import limitpruning.conf.SparkSessions
import limitpruning.search.ChosenFiles
import limitpruning.select.Reason
import limitpruning.tables.WantedRows

/**
 * Chooses the files and row groups for a LIMIT when the query runs, by reading columns. The format's own scan then reads them
 * instead of the child; if the LIMIT is not pruned, the node returns what its child returns. All filters stay above it, so more
 * rows than those of the LIMIT are never wrong.
 *
 * The choice is made once for an instance, on first execution. Thread-safe.
 *
 * @param conjuncts the predicate, over the table's columns
 * @param limit rows that the LIMIT needs, with its OFFSET
 * @param order the sort keys, over the table's columns; empty if any rows that match will do
 * @param groups the keys of groups, over the table's columns, of any of which one row each is needed; empty if the LIMIT counts rows
 * @param choose makes the choice; none in a canonicalized plan, if the other fields determine it
 * @param child the format's own scan
 */
case class ChooseFilesWhenRunExec(
    conjuncts: Seq[Expression],
    limit: Int,
    order: Seq[SortOrder],
    groups: Seq[Expression],
    @transient choose: Option[ChooseFilesWhenRun],
    child: SparkPlan
) extends ChoosesRows {
  import ChooseFilesWhenRunExec._

  override type Choice = Either[Reason, Chosen]

  override protected def wanted: Option[WantedRows] = choose.map(_.wanted.rows)

  override lazy val metrics: Map[String, SQLMetric] = createMetrics(sparkContext)

  @transient private lazy val isPosted = new AtomicBoolean

  /** The bytes that were read to make the choice, if the last run made it. None if they are not known. */
  def bytesReadFirst: Option[Long] = Some(metrics(BytesReadFirst).value).filter(_ > 0)

  override def chooseFirstRows(): Unit = ()

  // Only without ORDER BY, so metadata have chosen nothing.
  override protected def byMetadata: Option[SparkPlan] = whyNotByMetadata.map(_ => child)

  override def chooseWithoutRows(): Unit = whyNotByMetadata.foreach(reason => decided(Left(reason)))

  private def whyNotByMetadata: Option[Reason] = choose.flatMap(_.wanted.searched.left.toOption)

  // Whole row groups are read. If the first partition has rows, most row groups have some.
  override protected def maySave(found: Int): Boolean = found == 0

  private def decide(): Choice = (choose, child) match {
    case (Some(choose), scan: BatchScanExec) => active {
        choose(conf) { files =>
          val selected =
            if (files.files.isEmpty) None else Some(scanOf(scan, choose.wanted.table.scan(files)))
          // Settings that Iceberg reads now may have changed since the query was planned.
          if (selected.exists(!_.supportsColumnar && supportsColumnar))
            Left(Reason.IcebergScan("rows, which were batches when the query was planned"))
          else Right(Chosen(files, selected))
        }
      }
    case _ => Left(Reason.IcebergScan(s"a node of class ${child.getClass.getName}"))
  }

  /** The node has other fields in other versions of Spark. */
  private def scanOf(node: BatchScanExec, selected: Scan): SparkPlan =
    node.makeCopy(node.productIterator.map {
      case field: AnyRef if field eq node.scan => selected
      case field => field.asInstanceOf[AnyRef]
    }.toArray)

  /** Nodes of a physical plan need an active session when they are created. */
  private def active[T](body: => T): T =
    choose.fold(body)(made => SparkSessions.withActive(made.session)(body))

  // A part of the files may support batches where not all do.
  private def inRows(scan: SparkPlan): SparkPlan =
    if (scan.supportsColumnar) active(ColumnarToRowExec(scan)) else scan

  /** What this node reads; none if it is certain that no row matches. */
  private def source: Option[SparkPlan] = decided(decide()).fold(_ => Some(child), _.scan)

  override protected def doExecute(): RDD[InternalRow] = {
    val rows = metrics(OutputRows)
    val read = source.map(inRows)
    post()
    read.fold[RDD[InternalRow]](sparkContext.emptyRDD)(_.execute().map { row =>
      rows += 1
      row
    })
  }

  override protected def doExecuteColumnar(): RDD[ColumnarBatch] = {
    val rows = metrics(OutputRows)
    val read = source
    post()
    read.fold[RDD[ColumnarBatch]](sparkContext.emptyRDD)(_.executeColumnar().map { batch =>
      rows += batch.numRows.toLong
      batch
    })
  }

  /** Publishes the numbers of the choice for the execution that has made it. */
  private def post(): Unit =
    choice.flatMap(_.toOption).filter(_ => !isPosted.getAndSet(true)).foreach { chosen =>
      val files = chosen.files
      val numbers = Map(
        "filesTotal" -> files.counts.files.toLong,
        "filesScanned" -> files.files.size.toLong,
        "planningTime" -> files.planningNanos
      ) ++ files.rowGroups.map("rowGroupsScanned" -> _.toLong) ++
        files.verified.toSeq.flatMap(found =>
          Seq("rowsVerified" -> found.rows, BytesReadFirst -> found.bytes)
        )
      numbers.foreach { case (name, value) => metrics(name).set(value) }
      val execution = sparkContext.getLocalProperty(SQLExecution.EXECUTION_ID_KEY)
      SQLMetrics.postDriverMetricUpdates(sparkContext, execution, numbers.keys.map(metrics).toSeq)
    }

  override def doCanonicalize(): SparkPlan = super.doCanonicalize() match {
    case node: ChooseFilesWhenRunExec => node.copy(choose = choose.filter(_ => isCopied))
    case other => other
  }

  override protected def shown(maxFields: Int): String = choice match {
    case None =>
      "Choice: when the query runs, by reading the columns of the predicate and of the keys first"
    case Some(Left(reason)) => s"Choice: the scan below (${reason.code})"
    case Some(Right(chosen)) =>
      val found = chosen.files.verified.fold("") { verified =>
        // Iceberg's own file IO does not count bytes for Spark.
        val bytes = if (verified.bytes == 0) "" else s", ReadFirst: ${verified.bytes} bytes"
        s", RowsVerified: ${verified.rows}$bytes, Jobs: ${verified.jobs}"
      }
      s"Choice: ${chosen.scan.fold("no row matches")(_.simpleString(maxFields))}$found"
  }

  override protected def withNewChildInternal(newChild: SparkPlan): ChooseFilesWhenRunExec =
    copy(child = newChild)
}

object ChooseFilesWhenRunExec {

  /** @param scan reads the files; none if there are none */
  final case class Chosen(files: ChosenFiles, scan: Option[SparkPlan])

  private val OutputRows = "numOutputRows"
  private val BytesReadFirst = "bytesReadFirst"

  private def createMetrics(context: SparkContext): Map[String, SQLMetric] = Map(
    OutputRows -> SQLMetrics.createMetric(context, "number of output rows"),
    "filesTotal" -> SQLMetrics.createMetric(context, "files in total"),
    "filesScanned" -> SQLMetrics.createMetric(context, "files to scan"),
    "rowGroupsScanned" -> SQLMetrics.createMetric(context, "row groups to scan"),
    "rowsVerified" -> SQLMetrics.createMetric(context, "rows found by reading columns first"),
    BytesReadFirst -> SQLMetrics.createSizeMetric(context, "bytes of columns read first"),
    "planningTime" -> SQLMetrics.createNanoTimingMetric(context, "limit pruning time")
  )
}
