package limitpruning.catalyst

import scala.annotation.tailrec

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{Attribute, SortOrder}
import org.apache.spark.sql.catalyst.plans.physical.Partitioning
import org.apache.spark.sql.execution.{SparkPlan, UnaryExecNode}
import org.apache.spark.sql.internal.SQLConf

import limitpruning.conf.SparkSessions

/**
 * Tells a node below it that chooses rows that an action takes its rows: `collect`, `show` and `take` of a LIMIT at the root
 * start one task first, which finds enough rows in most tables. All other actions execute the plan, and the node
 * searches the table. Returns the rows of its child.
 *
 * If the LIMIT has a predicate, the first task reads the table as plain Spark does. Only if it finds too few rows, columns
 * are read to choose the rows.
 *
 * @param limit rows that the LIMIT needs, with its OFFSET
 * @param child the scan, below projections and filters alone
 */
case class TakeFirstRowsExec(limit: Int, child: SparkPlan) extends UnaryExecNode {

  override def output: Seq[Attribute] = child.output
  override def outputPartitioning: Partitioning = child.outputPartitioning
  override def outputOrdering: Seq[SortOrder] = child.outputOrdering

  // Spark's CollectLimitExec calls it on its child. The choice is made once, so a later execution of the same plan reads
  // the first rows of all files. These are enough for it, too.
  // Nodes of a plan need an active session when they are created.
  override def executeTake(n: Int): Array[InternalRow] = SparkSessions.withActive(session) {
    val chooses = child.collectFirst { case node: ChoosesRows if n <= limit => node }
    val rows = chooses.flatMap { node =>
      node.chooseFirstRows()
      node.withoutRows.flatMap(takeFirst(node, _, n))
    }
    rows.getOrElse(child.executeTake(n))
  }

  /** @return none if it pays to choose the rows by reading columns */
  private def takeFirst(node: ChoosesRows, scan: SparkPlan, n: Int): Option[Array[InternalRow]] = {
    val rows = child.transformUp { case each if each eq node => scan }.execute()
    val partitions = rows.getNumPartitions
    val initial = conf.getConf(SQLConf.LIMIT_INITIAL_NUM_PARTITIONS).max(1).min(partitions)

    // Goes on as Spark's own `executeTake` does, as long as it does not pay to read columns first.
    @tailrec
    def takeFrom(done: Int, taken: Array[InternalRow]): Option[Array[InternalRow]] = {
      val rest = partitions - done
      val expected = TakeFirstRowsExec.expected(done, taken.length, n)
      if (taken.length >= n || rest <= 0) Some(taken)
      else if (
        !goesOn(done, initial, rest, expected) && node.rowsPay(expected.min(rest) / partitions, taken.length)
      ) None
      else {
        val most = done.toLong * conf.limitScaleUpFactor.max(2)
        val size = math.ceil(expected.min(most.toDouble)).toLong.max(1).min(rest.toLong).toInt
        takeFrom(done + size, taken ++ take(rows, n - taken.length, done until done + size))
      }
    }

    val found = takeFrom(initial, take(rows, n, 0 until initial))
    if (found.nonEmpty) node.chooseWithoutRows()
    found
  }

  /**
   * Whether the jobs go on in any case. What they have read would be read twice: if the next job is probably the last one, and if
   * less than half of the table is left.
   */
  private def goesOn(done: Int, initial: Int, rest: Int, expected: Double): Boolean = {
    def ofNext = initial.toLong * conf.limitScaleUpFactor.max(2).min(TakeFirstRowsExec.MostOfOneMore)
    if (done == initial) expected <= ofNext else rest < done
  }

  private def take(rows: RDD[InternalRow], n: Int, partitions: Range): Array[InternalRow] =
    if (partitions.isEmpty) Array.empty
    else {
      val types = output.map(_.dataType).toArray
      sparkContext.runJob(rows, FirstRowsOfTask.toBytes(n, types), partitions)
        .iterator.flatten.flatMap(FirstRowsOfTask.ofBytes(_, types.length)).take(n).toArray
    }

  override protected def doExecute(): RDD[InternalRow] = child.execute()

  override protected def withNewChildInternal(newChild: SparkPlan): TakeFirstRowsExec = copy(child = newChild)
}

private object TakeFirstRowsExec {

  /** What Spark's `executeTake` multiplies the expected number of partitions by. */
  private val Reserve = 1.5

  /** Spark's default for how many times as many partitions each job reads as those before. */
  private val MostOfOneMore = 4

  /** How many more partitions have the rest of `n` rows, if they are like those before. */
  private def expected(done: Int, found: Int, n: Int): Double =
    if (found == 0) Double.PositiveInfinity else Reserve * (n - found) * done / found
}
