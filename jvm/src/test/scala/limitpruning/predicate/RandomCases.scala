package limitpruning.predicate

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalacheck.Gen

import limitpruning.predicate.Values.Range
import limitpruning.testing.Evaluators.evaluator

/**
 * Rows, facts that are true of them, and a predicate.
 *
 * @param facts the facts about each column, an over-approximation of the rows
 */
final case class RandomCase(
    columns: IndexedSeq[AttributeReference],
    rows: Seq[InternalRow],
    facts: IndexedSeq[ColumnFacts],
    predicate: Expression
) {
  def outcomes: Outcomes = evaluator(predicate, columns).outcomes(facts(_))
}

/**
 * Random tables with few values, so that the ends of ranges often occur, with random true facts about them.
 */
object RandomCases {

  val gen: Gen[RandomCase] = for {
    count <- Gen.choose(2, 4)
    // Twice the first type, so that columns can be compared with each other. Always a boolean.
    types <-
      Gen.listOfN(count, Gen.oneOf(SampleTypes.all)).map(ts => ts.head +: ts :+ SampleTypes.of(BooleanType))
    some <- cases(types)(_.gen)
  } yield some

  /** One column, and a comparison of a function of it. Most functions are of instants. */
  val ofFunction: Gen[RandomCase] = for {
    sample <- Gen.frequency(
      3 -> Gen.oneOf(SampleTypes.all),
      6 -> Gen.const(SampleTypes.of(TimestampType)),
      1 -> Gen.const(SampleTypes.of(LongType)), // few functions of a number are proved
      2 -> Gen.oneOf(Seq(DateType, LongType, TimestampNTZType, DoubleType).map(SampleTypes.of)),
      3 -> Gen.const(SampleTypes.of(StringType))
    )
    some <- cases(Seq(sample))(_.ofFunction)
  } yield some

  private def cases(types: Seq[SampleType])(of: RandomPredicates => Gen[Expression]): Gen[RandomCase] = for {
    rows <- Gen.choose(1, 5)
    columns <- sequence(types.map(column(_, rows)))
    attributes = types.zipWithIndex.map { case (t, i) =>
      AttributeReference(s"c$i", t.dataType)()
    }.toIndexedSeq
    predicate <- of(new RandomPredicates(attributes))
  } yield RandomCase(
    attributes,
    (0 until rows).map(row => InternalRow.fromSeq(columns.map { case (values, _) => values(row) })),
    columns.map { case (_, facts) => facts }.toIndexedSeq,
    predicate
  )

  private def column(sample: SampleType, rows: Int): Gen[(IndexedSeq[Any], ColumnFacts)] = for {
    near <- Gen.frequency(1 -> Gen.const(sample.values), 1 -> neighbours(sample))
    pool <- Gen.choose(1, 3).flatMap(Gen.listOfN(_, Gen.oneOf(near)))
    nullable <- Gen.frequency(3 -> Gen.const(0), 1 -> Gen.const(30), 1 -> Gen.const(100))
    values <-
      Gen.listOfN(rows, Gen.frequency((100 - nullable) -> Gen.oneOf(pool), nullable -> Gen.const(null)))
    facts <- factsAbout(sample, values)
  } yield (values.toIndexedSeq, facts)

  /** Values that follow each other, such as the times around one change of clocks. */
  private def neighbours(sample: SampleType): Gen[Seq[Any]] = {
    val sorted = sample.values.sorted(SupportedTypes.ordering(sample.dataType))
    Gen.choose(0, sorted.size - 1).map(start => sorted.slice(start, start + 5))
  }

  private def factsAbout(sample: SampleType, values: Seq[Any]): Gen[ColumnFacts] = {
    implicit val ordering: Ordering[Any] = SupportedTypes.ordering(sample.dataType)
    val present = values.filter(_ != null)
    val nulls =
      if (present.isEmpty) Nulls.All else if (present.size == values.size) Nulls.No else Nulls.Unknown
    def around(extra: Seq[Any]): Values = {
      val all = present ++ extra
      if (all.isEmpty) Values.Empty else Range(all.min, all.max)
    }
    def finite(all: Seq[Any]): Values = if (all.isEmpty) Values.Empty else Values.Finite(all.distinct)
    for {
      extra <- Gen.someOf(sample.values)
      range <- Gen.frequency(
        4 -> around(Nil),
        2 -> around(extra.toSeq),
        2 -> finite(present ++ extra),
        1 -> Values.Unknown
      )
      told <- Gen.frequency(3 -> nulls, 1 -> Nulls.Unknown)
    } yield ColumnFacts(range, told)
  }

  private def sequence[T](gens: Seq[Gen[T]]): Gen[Seq[T]] =
    gens.foldRight(Gen.const(Seq.empty[T]))((one, more) => one.flatMap(head => more.map(head +: _)))
}
