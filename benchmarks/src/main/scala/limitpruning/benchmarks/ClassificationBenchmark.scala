package limitpruning.benchmarks

import java.util.concurrent.TimeUnit

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.types.StructType
import org.openjdk.jmh.annotations._

import limitpruning.parquet.{Footer, ReadSettings, RowGroupFacts}
import limitpruning.predicate.{ColumnFacts, Evaluator, LeafColumn, MatchState, RowUnit}
import limitpruning.search.{ClassifiedFile, ClassifyRowGroups}
import limitpruning.select.ListedFile

/**
 * Measures time and allocation of planning for one file of `rowGroups` row groups, on one thread. One
 * benchmark starts from the parsed footer's statistics, the other one from the facts. Both end with the state
 * of each row group.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Array(Mode.AverageTime))
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 5, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
class ClassificationBenchmark {
  import ClassificationBenchmark._

  @Param(Array("100", "1000", "10000", "100000"))
  var rowGroups: Int = 0

  private var footer: Footer = _
  private var classify: ClassifyRowGroups = _
  private var evaluator: Evaluator = _
  private var units: Array[RowUnit] = _

  @Setup
  def setUp(): Unit = {
    footer = Facts.footer(rowGroups)
    classify = new ClassifyRowGroups(Facts.conjuncts, output, new StructType, settings)
    val columns = output.map(attribute => LeafColumn(attribute, Nil, attribute.dataType))
    evaluator = new Evaluator(Facts.conjuncts, columns)
    val sources = columns.map(new RowGroupFacts(footer, settings).of)
    units = Array.tabulate(rowGroups) { rowGroup =>
      val facts = sources.map(_(rowGroup)).toArray[ColumnFacts]
      ordinal => facts(ordinal)
    }
  }

  @Benchmark
  def fromFooter(): ClassifiedFile = classify(file, footer)

  @Benchmark
  def fromFacts(): Int = {
    var fully = 0
    var i = 0
    while (i < units.length) {
      if (MatchState.of(evaluator.outcomes(units(i))) == MatchState.FullyMatching) fully += 1
      i += 1
    }
    fully
  }
}

object ClassificationBenchmark {
  private val output = Seq(Facts.ts, Facts.status, Facts.name)
  private val file = ListedFile.alone(InternalRow.empty, new FileStatus())
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
}
