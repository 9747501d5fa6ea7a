package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen

/** Random predicates over `columns`: all forms that have rules, and some that do not. */
final class RandomPredicates(columns: IndexedSeq[AttributeReference]) {

  val gen: Gen[Expression] = tree(3)

  /** A comparison of a function of the first column, or a prefix or a pattern if it is a string. */
  def ofFunction: Gen[Expression] = for {
    function <-
      if (columns.head.dataType != StringType) RandomFunctions.comparison(columns.head)
      else Gen.frequency(1 -> RandomFunctions.comparison(columns.head), 4 -> prefix)
    isNegated <- Gen.oneOf(true, false)
  } yield if (isNegated) Not(function) else function

  private def tree(depth: Int): Gen[Expression] =
    if (depth == 0) leaf
    else {
      val inner = tree(depth - 1)
      Gen.frequency(
        3 -> leaf,
        2 -> Gen.zip(inner, inner).map { case (l, r) => And(l, r) },
        2 -> Gen.zip(inner, inner).map { case (l, r) => Or(l, r) },
        2 -> inner.map(Not(_))
      )
    }

  private def leaf: Gen[Expression] = Gen.oneOf(columns).flatMap { column =>
    Gen.frequency(
      8 -> comparison(column),
      4 -> RandomFunctions.comparison(column),
      3 -> membership(column),
      2 -> Gen.oneOf(IsNull(column), IsNotNull(column)),
      2 -> prefix,
      1 -> columns.last, // a boolean column as the predicate itself
      1 -> Gen.oneOf[Any](true, false, null).map(Literal(_, BooleanType)),
      2 -> unsupported(column)
    )
  }

  private def literal(dataType: DataType): Gen[Expression] =
    Gen.frequency(
      9 -> Gen.oneOf(SampleTypes.of(dataType).values),
      1 -> Gen.const(null)
    ).map(Literal(_, dataType))

  private def comparison(column: AttributeReference): Gen[Expression] = for {
    other <- Gen.frequency(
      3 -> literal(column.dataType),
      1 -> Gen.oneOf(columns.filter(_.dataType == column.dataType))
    )
    swapped <- Gen.oneOf(true, false)
    (left, right) = if (swapped) (other, column) else (column, other)
    operator <- Gen.oneOf[(Expression, Expression) => Expression](
      EqualTo(_, _),
      EqualNullSafe(_, _),
      LessThan(_, _),
      LessThanOrEqual(_, _),
      GreaterThan(_, _),
      GreaterThanOrEqual(_, _)
    )
  } yield operator(left, right)

  private def membership(column: AttributeReference): Gen[Expression] = for {
    literals <- Gen.choose(1, 4).flatMap(Gen.listOfN(_, literal(column.dataType)))
    asSet <- Gen.oneOf(true, false)
  } yield if (asSet) InSet(column, literals.map(_.eval()).toSet) else In(column, literals)

  private def prefix: Gen[Expression] = {
    val strings = columns.filter(_.dataType == StringType)
    if (strings.isEmpty) Gen.const(columns.last)
    else
      Gen.oneOf(strings).flatMap(column =>
        Gen.oneOf(literal(StringType).map(StartsWith(column, _)), like(column), regex(column))
      )
  }

  private def like(column: Expression): Gen[Expression] = for {
    parts <- Gen.choose(1, 4).flatMap(Gen.listOfN(_, patternPart))
    escape <- Gen.oneOf('\\', '\\', '\\', '/', '%', 'A')
  } yield Like(column, text(parts.mkString), escape)

  private def regex(column: Expression): Gen[Expression] = for {
    start <- Gen.oneOf("^", "^", "\\A", "", "^(?i)", "(?m)^", "^^")
    parts <- Gen.choose(1, 3).flatMap(Gen.listOfN(_, Gen.frequency(3 -> textPart, 1 -> regexPart)))
  } yield RLike(column, text(start + parts.mkString))

  private def textPart: Gen[String] =
    Gen.oneOf("A", "Al", "Alp", "pine", " Bat", "é", "日", "\uFFFD", "\uD83D\uDC3F", "a")
  private def patternPart: Gen[String] =
    Gen.frequency(3 -> textPart, 2 -> Gen.oneOf("_", "%", "\\_", "\\%", "\\\\", "/_", "%%", "\\"))
  private def regexPart: Gen[String] =
    Gen.oneOf("?", "*", "+", "{0}", "|", "\\.", ".", "\\_", "[a-z]", "(", "$", "\\Q")
  private def text(value: String): Literal = Literal(UTF8String.fromString(value), StringType)

  /**
   * Forms without a rule, also next to forms with one. If Spark fails for a row, no outcome can be missing.
   */
  private def unsupported(column: AttributeReference): Gen[Expression] = Gen.oneOf(
    GreaterThan(Rand(Literal(1L)), Literal(0.5)),
    EqualTo(
      Upper(Cast(column, StringType, Some("UTC"))),
      Literal(UTF8String.fromString("ALPINE"), StringType)
    ),
    LessThan(Cast(column, StringType, Some("UTC")), Literal(UTF8String.fromString("1"), StringType)),
    If(columns.last, IsNull(column), Literal.TrueLiteral),
    Coalesce(Seq(columns.last, Literal.FalseLiteral)),
    In(column, columns.filter(_.dataType == column.dataType)),
    ScalaUDF((value: Any) => value == null, BooleanType, Seq(column)),
    EqualTo(IsNull(column), columns.last)
  )
}
