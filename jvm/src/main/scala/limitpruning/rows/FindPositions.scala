package limitpruning.rows

import scala.annotation.tailrec
import scala.jdk.CollectionConverters._

import com.google.common.collect.{Ordering => GuavaOrdering}
import org.apache.spark.{SparkException, TaskContext}
import org.apache.spark.internal.Logging
import org.apache.spark.rdd.{PartitionPruningRDD, RDD}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.util.LongAccumulator

import limitpruning.footers.{NamedJob, Selectivity}
import limitpruning.search.{LikelyRowGroups, LimitPlan}
import limitpruning.shims.{ClassicSession, SparkShims}

/**
 * Rows that satisfy a predicate.
 *
 * @param positions by file
 * @param areAll whether the table has no other such rows; only if they are fewer than the LIMIT needs
 * @param waves the number of jobs that found them
 * @param bytes that these jobs read
 */
private[rows] final case class FoundPositions(
    positions: Seq[Positions],
    areAll: Boolean,
    waves: Int,
    bytes: Long
) {
  def rows: Long = positions.iterator.map(_.rows.length.toLong).sum
}

/**
 * Finds the positions of the rows that a LIMIT needs, by Spark jobs that read a [[PositionScan]].
 *
 * @param table its name, for the descriptions of the jobs
 * @param selectivity what is known about the predicate
 * @param bytes of the files that the scan reads
 */
private[rows] final class FindPositions(
    session: ClassicSession,
    table: String,
    conf: SQLConf,
    selectivity: Selectivity,
    bytes: Long
) extends Logging {
  import FindPositions._

  private val context = session.sparkContext

  /**
   * The first rows in the order of the scan, or the first rows of each group if it has groups, too; one row of each of any groups if it
   * has groups alone; any rows if it has neither.
   *
   * @param likely decides the order in which any rows are searched for
   * @param bestFirst the row groups that may have the first rows, best first; none if that is not known
   * @return none if a job fails: the row that it fails at may be one that plain Spark does not read; or if there are too many
   *   groups, or their keys are too large
   */
  def apply(
      scan: PositionScan,
      limit: Int,
      likely: LikelyRowGroups = LikelyRowGroups.none,
      bestFirst: => Option[LimitPlan] = None
  ): Option[FoundPositions] = {
    val waves =
      if (scan.order.nonEmpty && scan.readsRowGroups) bestFirst.flatMap(BestFirst(scan, _)) else None
    try
      if (scan.groups > 0 && scan.order.nonEmpty) ofEachGroup(scan, limit)
      else if (scan.order.nonEmpty) Some(waves.fold(inOneJob(scan, limit))(inWaves(scan, limit, _)))
      else
        any(scan, limit, likely, if (scan.groups > 0) new RowsOfGroups(limit, scan) else new AnyRows(limit))
    catch {
      case error: SparkException if !SparkShims.isCancelled(error) =>
        logWarning(
          "A job that searched for the rows of a LIMIT failed, so Spark's own scan reads the table",
          error
        )
        None
    }
  }

  /** Any rows, or one row of each of any groups, by jobs of which each reads more partitions of the table; see [[NextWave]]. */
  private def any(
      scan: PositionScan,
      limit: Int,
      likely: LikelyRowGroups,
      collected: CollectedRows
  ): Option[FoundPositions] = {
    val (rows, bytesRead) = counted(scan.plan.execute())
    val order = likely.order(rows.partitions)
    val partitions = order.ordinals.size
    // The others are read after these. If they have rows, metadata are wrong.
    val mayMatch = if (order.mayMatch == 0) partitions else order.mayMatch
    val next = NextWave(
      mayMatch,
      conf.getConf(SQLConf.LIMIT_INITIAL_NUM_PARTITIONS).max(1),
      conf.limitScaleUpFactor,
      context.defaultParallelism,
      selectivity.rowsPerByte.map(_ * bytes)
    )

    @tailrec
    def search(from: Int, wave: Int, last: Int): Option[FoundPositions] = {
      val found = collected.found
      def areTooMany = found < limit && from < partitions &&
        collected.mostTasks < (partitions - from).min(context.defaultParallelism)
      // A task of the last job may have left out keys, too.
      if (collected.isTooLarge || areTooMany) {
        logInfo(s"The keys of groups are too large to be counted, so Spark's own scan reads the table $table")
        None
      } else if (found >= limit || from >= partitions) {
        if (from > 0 && bytes > 0)
          selectivity.add(
            found.toDouble / bytes * mayMatch / from.min(mayMatch),
            areLeast = !collected.areAll
          )
        Some(FoundPositions(collected.positions, found < limit, wave, bytesRead()))
      } else {
        val wanted =
          if (from < mayMatch) next.size(from, last, wave, found, (limit - found).toInt)
          else partitions - from
        val size = wanted.min(collected.mostTasks)
        NamedJob(context, s"limit pruning: rows of $table, wave ${wave + 1}") {
          collected.add(context.runJob(
            rows,
            collected.inTask(size),
            order.ordinals.slice(from, from + size)
          ).toSeq)
        }
        search(from + size, wave + 1, size)
      }
    }

    search(0, 0, 0)
  }

  /** The first rows in the order of the scan, by one job. */
  private def inOneJob(scan: PositionScan, limit: Int): FoundPositions = {
    val (found, bytes) =
      firstRows(scan.plan, orderOf(scan), limit, s"limit pruning: first rows of $table")
    FoundPositions(Positions.first(found.iterator, found.length), found.length < limit, 1, bytes)
  }

  /**
   * The first rows in the order of the scan, by jobs of which each reads row groups with better keys than the next one, as far as
   * these are known.
   */
  private def inWaves(scan: PositionScan, limit: Int, bestFirst: BestFirst): FoundPositions = {
    val order = orderOf(scan)

    @tailrec
    def search(left: BestFirst, wave: Int, found: Array[InternalRow], bytesBefore: Long): FoundPositions = {
      val rest = if (found.length < limit) left else left.notAfter(found.last)
      if (rest.isEmpty)
        FoundPositions(Positions.first(found.iterator, limit), found.length < limit, wave, bytesBefore)
      else {
        val (plan, next) = rest.wave(wave, context.defaultParallelism)
        val (more, bytes) =
          firstRows(plan, order, limit, s"limit pruning: first rows of $table, wave ${wave + 1}")
        search(next, wave + 1, firstOfBoth(order, limit)(found, more), bytesBefore + bytes)
      }
    }

    search(bestFirst, 0, Array.empty, 0L)
  }

  /**
   * The first rows of each group: of one part of the table for each core first, because this may show that there are too many, or that
   * other parts have other groups.
   */
  private def ofEachGroup(scan: PositionScan, limit: Int): Option[FoundPositions] = {
    val (rows, bytes) = counted(scan.plan.execute())
    val first = new FirstOfEachGroup(limit, orderOf(scan), RowsOfGroups.keysOf(scan))
    val partitions = rows.getNumPartitions
    val some = context.defaultParallelism.min(partitions)
    val inEach = context.longAccumulator

    def wave(number: Int, from: Int, until: Int): Option[Array[InternalRow]] =
      if (from >= until) Some(Array.empty[InternalRow])
      else
        NamedJob(context, s"limit pruning: first rows of the groups of $table, wave $number") {
          PartitionPruningRDD.create(rows, i => from <= i && i < until)
            .mapPartitions(firstOfGroups(first, inEach)).treeReduce(first.ofBoth(_, _))
        }

    def areTooMany(before: Array[InternalRow]) = {
      val expected = ExpectedRows.inAll(some, inEach.value, before.length, partitions)
      val tooMany = some < partitions && expected > LeastTooMany * FirstOfEachGroup.MostRows
      if (tooMany)
        logInfo(
          s"About ${expected.toLong} rows are expected to be the first ones of their groups, so Spark's own scan " +
            s"reads the table $table"
        )
      tooMany
    }

    for {
      before <- wave(1, 0, some) if !areTooMany(before)
      after <- wave(2, some, partitions)
      all <- first.ofBoth(Some(before), Some(after))
    } yield FoundPositions(
      Positions.first(all.iterator, all.length),
      areAll = false,
      if (some < partitions) 2 else 1,
      bytes()
    )
  }

  private def orderOf(scan: PositionScan): Ordering[InternalRow] =
    new LazilyGeneratedOrdering(scan.order, scan.planned.output)

  /** The first rows of a plan, in order, and the bytes that were read for them. */
  private def firstRows(
      plan: SparkPlan,
      order: Ordering[InternalRow],
      limit: Int,
      job: String
  ): (Array[InternalRow], Long) = {
    val (rows, bytes) = counted(plan.execute())
    val partitions = rows.getNumPartitions
    val found = NamedJob(context, job) {
      if (partitions == 0) Array.empty[InternalRow]
      else if (partitions.toLong * limit <= MostSent) rows.map(copied).takeOrdered(limit)(order)
      else rows.mapPartitions(firstIn(order, limit)).treeReduce(firstOfBoth(order, limit))
    }
    (found, bytes())
  }

  /** The same rows, and a function that gives the bytes that have been read for them. */
  private def counted(rows: RDD[InternalRow]): (RDD[InternalRow], () => Long) = {
    val bytes = context.longAccumulator
    (rows.mapPartitions(countedIn(bytes), preservesPartitioning = true), () => bytes.value)
  }
}

/** What runs on executors: it must not capture what stays on the driver. */
private object FindPositions {

  /** If the tasks find more rows together, other tasks merge them, so that the driver need not hold them. */
  private val MostSent = 100000L

  /** An estimate may be wrong by this factor. */
  private val LeastTooMany = 2

  /** @param inEach counts the rows that tasks find */
  private def firstOfGroups(
      first: FirstOfEachGroup,
      inEach: LongAccumulator
  ): Iterator[InternalRow] => Iterator[Option[Array[InternalRow]]] = { rows =>
    val found = first.of(rows)
    found.foreach(some => inEach.add(some.length))
    Iterator(found)
  }

  private val copied: InternalRow => InternalRow = _.copy()

  private def firstIn(
      order: Ordering[InternalRow],
      limit: Int
  ): Iterator[InternalRow] => Iterator[Array[InternalRow]] =
    rows => Iterator(first(rows.map(copied), order, limit))

  private def firstOfBoth(
      order: Ordering[InternalRow],
      limit: Int
  ): (Array[InternalRow], Array[InternalRow]) => Array[InternalRow] =
    (one, other) => first(one.iterator ++ other, order, limit)

  /** As Spark's `takeOrdered`, which uses this function, too. */
  private def first(
      rows: Iterator[InternalRow],
      order: Ordering[InternalRow],
      limit: Int
  ): Array[InternalRow] =
    GuavaOrdering.from(order).leastOf(rows.asJava, limit).toArray(Array.empty[InternalRow])

  private def countedIn(
      bytes: LongAccumulator
  ): Iterator[InternalRow] => Iterator[InternalRow] = { rows =>
    Option(TaskContext.get()).foreach { task =>
      val before = task.taskMetrics().inputMetrics.bytesRead
      task.addTaskCompletionListener[Unit](done =>
        bytes.add(done.taskMetrics().inputMetrics.bytesRead - before)
      )
    }
    rows
  }
}
