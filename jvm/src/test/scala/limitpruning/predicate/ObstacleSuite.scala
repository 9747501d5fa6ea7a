package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.Obstacle._
import limitpruning.predicate.Values.Range

class ObstacleSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val known = ColumnFacts(Range(1, 9), Nulls.No)
  private val withoutCount = ColumnFacts(Range(1, 9), Nulls.Unknown)
  private val both = LessThan(a, b)

  private def of(conjunct: Expression, facts: ColumnFacts*): Obstacle =
    of(conjunct, facts, LeafColumn.in(conjunct))

  /** @param known the columns of the unit, in the order of `facts` */
  private def of(conjunct: Expression, facts: Seq[ColumnFacts], known: Seq[LeafColumn]): Obstacle =
    new FindObstacle(conjunct, known.map(_.id).zipWithIndex.toMap)(ordinal => facts(ordinal))

  test("should name the part that cannot be evaluated first, because no statistics would help") {
    val udf = ScalaUDF((value: Any) => value != null, BooleanType, Seq(a), udfName = Some("odd"))
    assert(of(udf, ColumnFacts.Unknown) == NotProvable("odd(a)"))
    assert(
      of(Or(EqualTo(a, Literal(1)), udf), ColumnFacts.Unknown) == NotProvable("odd(a)"),
      "that part alone"
    )
    assert(of(GreaterThan(Rand(Literal(5L)), Literal(0.5))) == NotProvable("rand(5L)"))
  }

  test("should name a column that is not in the file, because nothing is known about it") {
    assert(of(both, Seq(known), LeafColumn.in(a)) == NotProvable("b"))
  }

  test("should name the first column without statistics, then the first without a null count") {
    assert(of(both, known, ColumnFacts.Unknown) == NoStatistics("b"))
    assert(of(both, withoutCount, ColumnFacts.Unknown) == NoStatistics("b"), "which is worse")
    assert(of(both, known, withoutCount) == PerhapsNull("b"))
    assert(of(both, withoutCount, withoutCount) == PerhapsNull("a"))
  }

  test("should name the dictionary of a column without statistics if the column exceeds it") {
    def of(exceeding: Set[Int], ofColumns: ColumnFacts*): Obstacle =
      new FindObstacle(both, Map(LeafColumn.in(both).map(_.id).zipWithIndex: _*))(new RowUnit {
        override def facts(ordinal: Int): ColumnFacts = ofColumns(ordinal)
        override def exceedsDictionary(ordinal: Int): Boolean = exceeding(ordinal)
      })
    assert(of(Set(1), known, ColumnFacts.Unknown) == BeyondDictionary("b"))
    assert(of(Set(0), known, ColumnFacts.Unknown) == NoStatistics("b"), "the other column exceeds its own")
    assert(of(Set(0, 1), known, known) == Undecided("(a < b)"), "statistics bound both")
    assert(of(Set(0, 1), known, withoutCount) == PerhapsNull("b"))
  }

  test("should name the conjunct if all facts are known and it holds for only some rows") {
    assert(of(both, known, known) == Undecided("(a < b)"))
    assert(of(IsNotNull(a), ColumnFacts(Values.Empty, Nulls.All)) == Undecided("(a IS NOT NULL)"))
  }

  test("should name a field with the structs around it, because names of fields are not unique") {
    val s = AttributeReference("s", new StructType().add("t", new StructType().add("x", IntegerType)))()
    val x = GetStructField(GetStructField(s, 0, Some("t")), 0, Some("x"))
    assert(of(GreaterThan(x, Literal(1)), ColumnFacts.Unknown) == NoStatistics("s.t.x"))
  }

  test(
    "should be a sentence of one line without the file or row group, because equal sentences are counted"
  ) {
    val all =
      Seq(
        NotProvable("f(a)"),
        NoStatistics("a"),
        BeyondDictionary("a"),
        PerhapsNull("a"),
        UntestedWriter("w"),
        UnlistedWriter("page indexes", "a", "w"),
        Undecided("(a < b)")
      )
    assert(all.map(_.sentence).distinct.size == all.size)
    for (obstacle <- all) assert(obstacle.sentence.nonEmpty && !obstacle.sentence.contains("\n"), obstacle)
    assert(UntestedWriter("duckdb").sentence == "its writer is not trusted: duckdb")
  }
}
