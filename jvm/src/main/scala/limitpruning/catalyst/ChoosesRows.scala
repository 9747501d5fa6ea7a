package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.{Partitioning, UnknownPartitioning}
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}

import limitpruning.conf.LimitPruningConf
import limitpruning.rows.RowsPay
import limitpruning.tables.WantedRows

/**
 * A node that chooses the rows for a LIMIT when its query runs, and reads them instead of its child. The choice is made once
 * for an instance, on first execution. Thread-safe.
 */
private[limitpruning] trait ChoosesRows extends UnaryExecNode {

  /** What to read, or the reason why the child reads the table. */
  type Choice

  /** The predicate, over the table's columns. */
  def conjuncts: Seq[Expression]

  /** Rows that the LIMIT needs, with its OFFSET. */
  def limit: Int

  /** The sort keys, over the table's columns; empty if any rows that match will do. */
  def order: Seq[SortOrder]

  /** What is to be chosen; none in a canonicalized plan, except for copies. */
  protected def wanted: Option[WantedRows]

  /** Whether Spark may have copied the node, into a filter that must have the same rows, and not those of another LIMIT. */
  protected final def isCopied: Boolean = wanted.exists(_.ofCopies.nonEmpty)

  /** Text about the choice, or about when it is made. */
  protected def shown(maxFields: Int): String

  @transient @volatile private var made: Option[Choice] = None

  /** The choice; none if the node has not run yet. */
  final def choice: Option[Choice] = made

  protected final def decided(decide: => Choice): Choice = synchronized {
    made.getOrElse {
      val choice = decide
      made = Some(choice)
      choice
    }
  }

  /**
   * Chooses the first rows of each file, if nothing is chosen yet. Only for a LIMIT without a predicate, and for an action
   * that takes as many rows as it needs, task by task.
   */
  def chooseFirstRows(): Unit

  /**
   * What reads the table if no columns are read to choose the rows; none if the rows are chosen, or are always chosen so.
   */
  final def withoutRows: Option[SparkPlan] =
    if (made.nonEmpty || wanted.forall(_.saved == RowsPay.Always) || !conf.getConf(LimitPruningConf.Enabled))
      None
    else byMetadata

  /** What reads the table by metadata alone; none if they have not been searched. */
  protected def byMetadata: Option[SparkPlan]

  /** Chooses what metadata alone have found, if nothing is chosen yet. */
  def chooseWithoutRows(): Unit

  /**
   * Whether it pays to choose the rows by reading columns.
   *
   * @param share the share of the table's partitions that plain Spark still needs
   * @param found the rows in the partitions before these
   */
  final def rowsPay(share: Double, found: Int): Boolean = maySave(found) && wanted.exists(rows =>
    RowsPay.isWorthIt((rows.saved * share).toLong, conf.getConf(LimitPruningConf.RowsMinBytes))
  )

  /** Whether something can be saved, if the first partitions have so many rows. */
  protected def maySave(found: Int): Boolean

  override def output: Seq[Attribute] = child.output

  // What is reported before the choice must hold after it.
  override def outputPartitioning: Partitioning = UnknownPartitioning(0)
  override def outputOrdering: Seq[SortOrder] = Nil

  override def supportsColumnar: Boolean = child.supportsColumnar
  override def vectorTypes: Option[Seq[String]] = child.vectorTypes

  override def nodeName: String = "ChooseWhenRun"

  override def simpleString(maxFields: Int): String = s"$nodeName Limit: $limit, ${shown(maxFields)}"

  override def verboseStringWithOperatorId(): String =
    s"""
       |$formattedNodeName
       |Input: ${child.output.mkString("[", ", ", "]")}
       |Limit: $limit
       |${shown(conf.maxToStringFields)}
       |""".stripMargin
}
