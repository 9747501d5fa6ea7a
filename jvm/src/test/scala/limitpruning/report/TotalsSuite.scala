package limitpruning.report

import org.apache.spark.SparkEnv
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Reason
import limitpruning.testing.SparkSuite

class TotalsSuite extends AnyFunSuite with SparkSuite {
  private val limit = LimitReport("t", Some(1), None, None, None, None, None, None)

  private def values(totals: Totals): Map[String, Long] =
    totals.names.map(name => name -> totals.value(name)).filter(_._2 != 0).toMap

  test("all values are 0 at first") {
    assert(values(new Totals).isEmpty)
  }

  test("the numbers of scans for LIMITs are added up") {
    val totals = new Totals
    val read = limit.copy(
      rowGroups = Some(RowGroupCounts(9, 5, 4, Some(3))),
      files = Some(FileCounts(7, 2, 0, Some(1), bytes = 1000)),
      rowGroupsRead = Some(2),
      rowGroupsSkipped = Some(1),
      bytesRead = Some(10)
    )
    totals.add(PruningReport(Seq(read, read)))
    assert(values(totals) == Map(
      "queries" -> 1L,
      "limits" -> 2L,
      "limitsCovered" -> 2L,
      "rowGroupsTotal" -> 18L,
      "rowGroupsRead" -> 4L,
      "rowGroupsSkipped" -> 2L,
      "bytesTotal" -> 2000L,
      "bytesRead" -> 20L
    ))
  }

  test("the bytes of a LIMIT that is not pruned are not known") {
    val totals = new Totals
    val files = Some(FileCounts(7, 2, 0, None, bytes = 1000))
    totals.add(PruningReport(Seq(limit.copy(reason = Some(Reason.NoFiles), files = files))))
    assert(values(totals) == Map("queries" -> 1L, "limits" -> 1L, "limitsNotPruned" -> 1L))
  }

  test("time and failures of planning") {
    val totals = new Totals
    totals.addPlanning(2500000)
    totals.planningFailures.increment()
    assert(values(totals) == Map("planningMs" -> 2L, "planningFailures" -> 1L))
  }

  test("Spark's metrics show the totals of the session") {
    val _ = spark.range(1).limit(1).collect()
    assert(TotalsSuite.metricNames(SparkEnv.get).toSet == new Totals().names.toSet)
  }
}

private object TotalsSuite {

  /** By reflection, because the metrics are private to Spark. */
  def metricNames(env: SparkEnv): Seq[String] = {
    val system = env.getClass.getMethod("metricsSystem").invoke(env)
    val sources =
      system.getClass.getMethod("getSourcesByName", classOf[String]).invoke(system, "limitPruning")
    val source = sources.asInstanceOf[Seq[AnyRef]].head
    val registry = source.getClass.getMethod("metricRegistry")
    registry.setAccessible(true)
    registry.invoke(
      source
    ).asInstanceOf[com.codahale.metrics.MetricRegistry].getNames.toArray.toSeq.map(_.toString)
  }
}
