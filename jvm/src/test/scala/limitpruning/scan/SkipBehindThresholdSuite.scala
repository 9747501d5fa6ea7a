package limitpruning.scan

import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.FirstKey
import limitpruning.select.{Place, RowRange}
import limitpruning.testing.SparkSuite

class SkipBehindThresholdSuite extends AnyFunSuite with SparkSuite {
  private val key = FirstKey(IntegerType, isDescending = true, nullsFirst = false)
  private val metric = new SQLMetric("sum")

  private def run(bests: Option[Any]*): Seq[PlannedRowGroup] =
    bests.zipWithIndex.map { case (best, i) =>
      PlannedRowGroup(i, 10, RowRange.all(10), bytes = 1, best.map(Place(_)))
    }

  test("skips a run only if every row group of it is strictly after the threshold") {
    val shared = spark.sparkContext.broadcast(new SharedThreshold)
    val skip = new SkipBehindThreshold(shared, key, metric)
    assert(!skip(run(Some(3))), "nothing is reached yet")
    shared.value.improve(SkipBehindThreshold.stage, partition = 0, place = 7, rows = 2, limit = 2, key.order)
    assert(skip(run(Some(6))) && skip(run(Some(6), Some(null), Some(1))))
    assert(metric.value == 4)
    assert(!skip(run(Some(7))), "ties")
    assert(!skip(run(Some(6), Some(8))) && !skip(run(None)) && !skip(run(Some(6), None)))
    assert(metric.value == 4)
  }
}
