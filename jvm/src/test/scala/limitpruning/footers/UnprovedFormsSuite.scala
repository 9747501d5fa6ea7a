package limitpruning.footers

import com.google.common.hash.HashCode
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Expression, Literal}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.FileId

class UnprovedFormsSuite extends AnyFunSuite {
  private def file(path: String, time: Long = 5): FileId =
    FileId.of(new FileStatus(1000, false, 1, 1, time, new Path(path)))

  private def hash(conjuncts: Expression*) = PredicateForm.hash(conjuncts, Seq("settings"))

  private def column(name: String, table: String): AttributeReference =
    AttributeReference(name, IntegerType)(qualifier = Seq(table))

  private val a = column("a", "t")

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

  test("where one task may be enough, forms that never tried count together for a table") {
    val unproved = new UnprovedForms(1000)
    val all = Iterator.from(0).map(n => hash(EqualTo(column(s"c$n", "t"), Literal(5))))
    val at = file("/t/a")
    def mayRead(form: HashCode): Boolean = unproved.mayRead(form, at, isOneTask = true)
    def skipped(): Int = all.takeWhile(!mayRead(_)).size
    def fail(form: HashCode): Unit = unproved.add(form, at, isOneTask = true)
    val inSuccession = Seq.fill(4) {
      fail(all.next())
      skipped()
    }
    assert(inSuccession == Seq(3, 15, 15, 15))
    fail(all.next())
    assert(unproved.mayRead(all.next(), at), "where Spark reads the whole table, each form counts alone")
    assert(unproved.mayRead(all.next(), file("/t/b"), isOneTask = true), "another table")

    val deciding = all.next()
    unproved.remove(deciding, at)
    val failing = all.next()
    assert(mayRead(failing), "a form decided something for the first time, so others may, too")
    fail(failing)
    unproved.remove(deciding, at)
    assert(!mayRead(all.next()), "a form that decides again says nothing about others")
    assert(Seq.fill(20)(mayRead(deciding)).forall(identity), "it goes on itself")
    fail(deciding)
    assert(!mayRead(deciding), "until it decides nothing")
  }

  test("a form that failed before says nothing about others") {
    val unproved = new UnprovedForms(1000)
    val forms = (0 to 9).map(n => hash(EqualTo(column(s"c$n", "t"), Literal(5))))
    val at = file("/t/a")
    unproved.add(forms(0), at, isOneTask = true)
    unproved.remove(forms(1), at)
    assert(Seq.fill(4)(unproved.mayRead(forms(0), at, isOneTask = true)) == Seq(false, false, false, true))
    unproved.add(forms(0), at, isOneTask = true)
    assert(unproved.mayRead(forms(2), at, isOneTask = true))
  }

  test("a form that is asked for the third time tries, whatever other forms do") {
    val unproved = new UnprovedForms(10000)
    val at = file("/t/a")
    val others = Iterator.from(0).map(n => hash(EqualTo(column(s"c$n", "t"), Literal(5))))
    def askOther(): Unit = {
      val other = others.next()
      if (unproved.mayRead(other, at, isOneTask = true)) unproved.add(other, at, isOneTask = true)
    }
    askOther()
    val tries = Seq.fill(40) {
      askOther() // each with a new form, so that ours is never the next one after fifteen
      unproved.mayRead(form, at, isOneTask = true)
    }
    assert(tries.take(3) == Seq(false, false, true) && tries.drop(3).forall(identity))
    unproved.add(form, at, isOneTask = true)
    assert(Seq.fill(4)(unproved.mayRead(form, at, isOneTask = true)) == Seq(false, false, false, true))
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
