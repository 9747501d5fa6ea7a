package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, StringType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.Assertions

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.column

/** Compares the facts about functions of one column with their values. */
trait MonotoneChecks extends Assertions {

  def of(dataType: DataType): AttributeReference = AttributeReference("c", dataType)()
  def string(value: String): Literal = Literal(UTF8String.fromString(value), StringType)

  /** The facts about a function over a range. */
  def image(function: Expression, min: Any, max: Any): Values = {
    val input = function.references.head
    val operands = new Operands(Map(column(input).id -> 0), _ => _ => Outcomes.Any)
    operands.facts(function)(_ => ColumnFacts(Range(min, max), Nulls.No)).values
  }

  /**
   * Fails if a value of the function at a point is outside of the image of a range with this point.
   *
   * @param points values of the column
   * @return how many ranges between two points have an image that is not computed from all values
   */
  def countRanges(function: Expression, points: Seq[Any]): Int = {
    val input = function.references.head
    val bound = BindReferences.bindReference(function, Seq(input))
    val sorted = points.distinct.sorted(SupportedTypes.ordering(input.dataType)).toIndexedSeq
    val values = sorted.map(point => scala.util.Try(bound.eval(InternalRow(point))).toOption)
    val ordering = SupportedTypes.ordering(function.dataType)
    val found = for (from <- sorted.indices; to <- from until sorted.size)
      yield image(function, sorted(from), sorted(to)) match {
        case Range(low, high) =>
          for (at <- from to to) {
            val value = values(at)
            assert(
              value.exists(v => v != null && ordering.lteq(low, v) && ordering.lteq(v, high)),
              s"$value at ${sorted(at)} is not in [$low, $high], of $function over ${sorted(from)} to ${sorted(to)}"
            )
          }
          if (from == to) 0 else 1
        case _ => 0
      }
    found.sum
  }

  def withConf[T](settings: (String, String)*)(body: => T): T = {
    val conf = new SQLConf
    settings.foreach { case (key, value) => conf.setConfString(key, value) }
    SQLConf.withExistingConf(conf)(body)
  }
}
