package limitpruning.footers

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Expression, LessThan, Literal}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

class UnprovedPredicatesSuite extends AnyFunSuite {
  private def file(path: String, time: Long = 5): FileStatus =
    new FileStatus(1000, false, 1, 1, time, new Path(path))

  private def column(name: String, table: String): AttributeReference =
    AttributeReference(name, IntegerType)(qualifier = Seq(table))

  private def hash(conjuncts: Expression*) = UnprovedPredicates.hash(conjuncts, Seq("settings"))

  test("a predicate is the same in other queries and under other names of the table") {
    assert(hash(EqualTo(column("a", "t"), Literal(5))) == hash(EqualTo(column("a", "u"), Literal(5))))
    val others = Seq(
      hash(),
      hash(EqualTo(column("a", "t"), Literal(5))),
      hash(EqualTo(column("a", "t"), Literal(6))),
      hash(EqualTo(column("b", "t"), Literal(5))),
      hash(LessThan(column("a", "t"), Literal(5))),
      hash(EqualTo(column("a", "t"), Literal(5)), EqualTo(column("b", "t"), Literal(5)))
    )
    assert(others.distinct.size == others.size)
    assert(UnprovedPredicates.hash(Nil, Seq("other settings")) != hash())
  }

  test("a file is remembered for one predicate, until it changes, is forgotten, or there are too many") {
    val predicate = hash(EqualTo(column("a", "t"), Literal(5)))
    val unproved = new UnprovedPredicates(3)
    unproved.add(predicate, file("/t/a"), 1)
    assert(unproved.contains(predicate, file("/t/a"), 1) && !unproved.contains(predicate, file("/t/a"), 2))
    assert(!unproved.contains(hash(), file("/t/a"), 1) &&
      !unproved.contains(predicate, file("/t/a", time = 6), 1))
    unproved.add(predicate, file("/t/b"), 1)
    unproved.forget(_ == "/t/a")
    assert(!unproved.contains(predicate, file("/t/a"), 1) && unproved.contains(predicate, file("/t/b"), 1))
    (1 to 100).foreach(n => unproved.add(predicate, file(s"/t/$n"), 1))
    assert((1 to 100).count(n => unproved.contains(predicate, file(s"/t/$n"), 1)) <= 3)
  }
}
