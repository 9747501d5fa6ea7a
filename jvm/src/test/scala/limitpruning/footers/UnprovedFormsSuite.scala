package limitpruning.footers

import com.google.common.hash.HashCode
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, EqualTo, Expression, In, InSet, LessThan, Literal
}
import org.apache.spark.sql.types.{IntegerType, LongType}
import org.scalatest.funsuite.AnyFunSuite

class UnprovedFormsSuite extends AnyFunSuite {
  private def file(path: String, time: Long = 5): FileStatus =
    new FileStatus(1000, false, 1, 1, time, new Path(path))

  private def column(name: String, table: String): AttributeReference =
    AttributeReference(name, IntegerType)(qualifier = Seq(table))

  private def hash(conjuncts: Expression*) = UnprovedForms.hash(conjuncts, Seq("settings"))

  private val a = column("a", "t")

  test(
    "a predicate has the same form in other queries, with other literals and under other names of the table"
  ) {
    assert(hash(EqualTo(a, Literal(5))) == hash(EqualTo(column("a", "u"), Literal(6))))
    val lists = Seq(In(a, Seq(Literal(1))), In(a, Seq(Literal(2), Literal(3))), InSet(a, (1 to 20).toSet))
    assert(lists.map(hash(_)).distinct.size == 1)
    val others = Seq(
      hash(),
      hash(EqualTo(a, Literal(5))),
      hash(EqualTo(column("b", "t"), Literal(5))),
      hash(LessThan(a, Literal(5))),
      hash(EqualTo(a, column("b", "t"))),
      hash(EqualTo(a, Literal(5)), EqualTo(column("b", "t"), Literal(5))),
      hash(In(a, Seq(Literal(1), column("b", "t"))))
    )
    assert(others.distinct.size == others.size)
    assert(hash(EqualTo(a, Literal(5))) != hash(EqualTo(a, Literal.create(5L, LongType))))
    assert(UnprovedForms.hash(Nil, Seq("other settings")) != hash())
  }

  private val form = hash(EqualTo(a, Literal(5)))

  test("after each failure in succession, more queries do not try") {
    val unproved = new UnprovedForms(3)
    def skipped(): Int = Iterator.continually(unproved.mayRead(form, file("/t/a"))).takeWhile(!_).size
    assert(skipped() == 0)
    val inSuccession = Seq.fill(4) {
      unproved.add(form, file("/t/a"))
      skipped()
    }
    assert(inSuccession == Seq(3, 15, 63, 63))
    assert(unproved.mayRead(form, file("/t/a")), "until the result of the query is known, others try, too")
    unproved.remove(form, file("/t/a"))
    unproved.add(form, file("/t/a"))
    unproved.add(form, file("/t/a"))
    assert(skipped() == 3, "of queries that tried at the same time, one counts")
  }

  test("where one task may be enough, forms that are not known count together for a table") {
    val unproved = new UnprovedForms(1000)
    val all = Iterator.from(0).map(n => hash(EqualTo(column(s"c$n", "t"), Literal(5))))
    val at = file("/t/a")
    def mayRead(form: HashCode): Boolean = unproved.mayRead(form, at, isOneTask = true)
    def skipped(): Int = all.takeWhile(!mayRead(_)).size
    val inSuccession = Seq.fill(4) {
      unproved.add(all.next(), at, isOneTask = true)
      skipped()
    }
    assert(inSuccession == Seq(3, 15, 15, 15))
    unproved.add(all.next(), at, isOneTask = true)
    assert(unproved.mayRead(all.next(), at), "where Spark reads the whole table, each form counts alone")
    assert(unproved.mayRead(all.next(), file("/t/b"), isOneTask = true), "another table")

    val deciding = all.next()
    unproved.remove(deciding, at)
    assert(mayRead(all.next()), "a form that was not known decided something, so others may, too")
    unproved.add(all.next(), at, isOneTask = true)
    unproved.remove(deciding, at)
    assert(!mayRead(all.next()), "a known form that decides again says nothing about others")
    assert(Seq.fill(20)(mayRead(deciding)).forall(identity), "a known form that decides goes on")
    unproved.add(deciding, at, isOneTask = true)
    assert(!mayRead(deciding), "until it decides nothing")
  }

  test("a file is remembered for one form, until it changes, is forgotten, or there are too many") {
    val unproved = new UnprovedForms(3)
    def isRemembered(path: String, time: Long = 5) = !unproved.mayRead(form, file(path, time))
    unproved.add(form, file("/t/a"))
    assert(isRemembered("/t/a") && !isRemembered("/t/b") && !isRemembered("/t/a", time = 6))
    assert(unproved.mayRead(hash(), file("/t/a")))
    unproved.add(form, file("/t/b"))
    unproved.forget(_ == "/t/a")
    assert(!isRemembered("/t/a") && isRemembered("/t/b"))
    (1 to 100).foreach(n => unproved.add(form, file(s"/t/$n")))
    assert((1 to 100).count(n => isRemembered(s"/t/$n")) <= 3)
  }
}
