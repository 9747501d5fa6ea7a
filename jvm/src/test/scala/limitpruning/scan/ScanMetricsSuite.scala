package limitpruning.scan

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.WorkCounts
import limitpruning.select.{ChosenRows, SearchCounts, Selection, Selections}
import limitpruning.testing.SparkSuite

class ScanMetricsSuite extends AnyFunSuite with SparkSuite {
  private val selection =
    Selection(Seq(Selections.file("a", 0 -> 10, 1 -> 10), Selections.file("b", 0 -> 10)))
  private val work =
    WorkCounts(evaluated = 21, decoded = 22, pages = 23, footers = 24, opened = 25, allocated = 26)
  private val counts = SearchCounts(7, 6, 5, 4, 3, filesPrunedByLog = Some(8), work = work)
  private val cover = ChosenRows(9, Nil, selection, counts, planningNanos = 11, allRowsMatch = true)

  test("the numbers of planning are published, and the scanned numbers are those of the selection") {
    val metrics = ScanMetrics.create(spark.sparkContext)
    ScanMetrics.postPlanned(spark.sparkContext, metrics, cover, bytes = 42, pagesSkipped = 5)
    val expected = Map(
      "filesPrunedByLog" -> 8L,
      "filesTotal" -> 7L,
      "filesInspected" -> 6L,
      "filesScanned" -> 2L,
      "rowGroupsTotal" -> 5L,
      "rowGroupsMatched" -> 4L,
      "rowGroupsFullyMatched" -> 3L,
      "rowGroupsScanned" -> 3L,
      "rowsToRead" -> 300L,
      "rowRanges" -> 0L,
      "rowsCut" -> 0L,
      "rowsSkipped" -> 0L,
      "pagesSkipped" -> 5L,
      "bytesToRead" -> 42L,
      "nodesEvaluated" -> 21L,
      "valuesDecoded" -> 22L,
      "pagesClassified" -> 23L,
      "footersRead" -> 24L,
      "filesOpened" -> 25L,
      "bytesAllocated" -> 26L,
      "planningTime" -> 11L
    )
    assert(expected.keySet.map(name => name -> metrics(name).value).toMap == expected)
  }

  test("a scan has run if the numbers of its planning were published") {
    val metrics = ScanMetrics.create(spark.sparkContext)
    assert(!ScanMetrics.hasRun(metrics))
    ScanMetrics.postPlanned(spark.sparkContext, metrics, cover, bytes = 0, pagesSkipped = 0)
    assert(ScanMetrics.hasRun(metrics))
  }

  test("every metric has a unique name in the Spark UI") {
    val names = ScanMetrics.create(spark.sparkContext).values.flatMap(_.name).toSeq
    assert(names.size == 37 && names.distinct.size == names.size)
  }
}
