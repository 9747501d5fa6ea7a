package limitpruning.predicate

import scala.concurrent.duration.DurationInt

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalacheck.Gen
import org.scalatest.funsuite.AnyFunSuite
import org.scalatestplus.scalacheck.ScalaCheckPropertyChecks

import limitpruning.predicate.Values.{Finite, Range}
import limitpruning.testing.BruteForce
import limitpruning.testing.Evaluators.column

/** Counts of work. No test measures a time: without the bounds, most of these predicates would never be done. */
class WorkSuite extends AnyFunSuite with ScalaCheckPropertyChecks {
  private val ints = (0 until 100).map(i => AttributeReference(s"q$i", IntegerType)())
  private val flags = (0 until 100).map(i => AttributeReference(s"f$i", BooleanType)())
  private val flag = ColumnFacts(Values.Unknown, Nulls.No)

  private def between(min: Int, max: Int) = ColumnFacts(Range(min, max), Nulls.No)

  private def evaluated(
      conjuncts: Seq[Expression],
      columns: Seq[AttributeReference],
      facts: ColumnFacts,
      work: Work = new Work
  ): (Outcomes, Long) = {
    val outcomes = new Evaluator(conjuncts, columns.map(column), work).outcomes(_ => facts)
    (outcomes, work.done)
  }

  private def isUndecidedSoon(predicate: Expression, columns: Seq[AttributeReference], facts: ColumnFacts) = {
    val (outcomes, work) = evaluated(Seq(predicate), columns, facts)
    assert(outcomes.canBeTrue && outcomes.canBeFalse && work < 1000, s"$work for ${predicate.sql}")
  }

  test("combinations are not evaluated if their number exceeds a Long") {
    isUndecidedSoon(flags.take(64).reduce[Expression](Or(_, _)), flags, flag)
    isUndecidedSoon(Not(flags.take(66).reduce[Expression](And(_, _))), flags, flag)
    isUndecidedSoon(flags.take(64).reduce[Expression](Or(_, _)), flags, flag.copy(nulls = Nulls.Unknown))
    val sum = ints.take(22).reduce[Expression](Add(_, _))
    isUndecidedSoon(GreaterThan(sum, Literal(100)), ints, between(0, 7))
    isUndecidedSoon(LessThan(ints.take(11).reduce[Expression](Add(_, _)), Literal(100)), ints, between(0, 63))
    isUndecidedSoon(EqualTo(Greatest(ints.take(25)), Literal(5)), ints, between(0, 7))
    val oneOf400 = ColumnFacts(Finite(0 until 800 by 2), Nulls.No)
    isUndecidedSoon(ints.take(20).map(EqualTo(_, Literal(8))).reduce[Expression](Or(_, _)), ints, oneOf400)
  }

  test("evaluation ends with the values that decide, and is not repeated for equal facts") {
    val work = new Work
    val isOdd = EqualTo(Pmod(ints.head, Literal(2)), Literal(1))
    val evaluator = new Evaluator(Seq(isOdd), Seq(column(ints.head)), work)
    val thousand = ColumnFacts(Finite(0 until 1000), Nulls.No)
    assert(evaluator.outcomes(_ => thousand).canBeFalse && work.done < 20)
    assert(new Evaluator(Seq(isOdd), Seq(column(ints.head))).outcomes(_ =>
      ColumnFacts(Finite(1 to 999 by 2), Nulls.No)
    )
      .isOnlyTrue)
    val before = work.done
    for (_ <- 1 to 10000) {
      val facts = between(4, 9)
      assert(evaluator.outcomes(_ => facts).canBeFalse)
    }
    assert(work.done < before + 10100, "one for the rules of each unit")
  }

  test("all questions about a unit take one evaluation") {
    val work = new Work
    val evaluator =
      new Evaluator(Seq(GreaterThan(Pmod(ints.head, Literal(7)), Literal(3))), Seq(column(ints.head)), work)
    val unit: RowUnit = ordinal => if (ordinal == 0) between(0, 50) else ColumnFacts.Unknown
    assert(!evaluator.outcomes(unit).isOnlyTrue)
    val once = work.done
    assert(evaluator.undecided(unit) == Seq(Seq(0)) && evaluator.obstacle(unit).nonEmpty)
    assert(evaluator.neverTrue(unit).isEmpty && work.done == once)
  }

  test("long predicates take work that grows with their length") {
    val facts = between(0, 1000)
    val conjuncts = (0 until 500).map(i => LessThan(ints(i % 100), Literal(500 + i)))
    assert(evaluated(conjuncts, ints, facts)._2 <= 500)
    assert(evaluated(Seq(InSet(ints.head, (0 until 20000 by 2).toSet)), ints, facts)._2 < 10)
    assert(evaluated(Seq(In(ints.head, (0 until 20000 by 2).map(Literal(_)))), ints, facts)._2 < 100)
    val branches = (0 until 100).map(i => (EqualTo(ints(i), Literal(i)), Add(ints(i), Literal(1))))
    assert(evaluated(Seq(LessThan(CaseWhen(branches, Literal(0)), Literal(500))), ints, facts)._2 < 500)
  }

  test("all terms of a long OR count") {
    val terms = (0 until 5000).map(i => EqualTo(ints(i % 100), Literal(-i)))
    def or(all: Seq[Expression]): Expression =
      if (all.size == 1) all.head else Or(or(all.take(all.size / 2)), or(all.drop(all.size / 2)))
    val (_, work) = evaluated(Seq(or(terms)), ints, between(0, 1000))
    assert(work >= 3 * terms.size / 16)
  }

  test("should end after much work without a result") {
    val work = new Work(mostInVain = 100)
    assert((1 to 20).count(_ => work.spend(10)) == 10)
    work.hasResult()
    assert(!work.spend(1), "a result of something else does not change what was not evaluated")
    val successful = new Work(mostInVain = 100)
    assert((1 to 20).forall { _ =>
      val isEvaluated = successful.spend(60)
      successful.hasResult()
      isEvaluated
    })
  }

  test("time counts, too, but not that between evaluations") {
    val slow = new Work(mostTime = 20.millis)
    def spendAll(): Unit = while (slow.spend(1000)) Thread.sleep(1)
    spendAll()
    assert(slow.isUsedUp && slow.done < 1000 * 1000)
    val waiting = new Work(mostTime = 10.seconds)
    waiting.spend(1000): Unit
    Thread.sleep(100)
    waiting.spend(1000): Unit
    assert(!waiting.isUsedUp)
  }

  test("waiting for storage is no time of evaluation") {
    val work = new Work(mostTime = 100.millis)
    for (_ <- 1 to 5) {
      Thread.sleep(60)
      work.resume()
      work.spend(1000, mayTakeLong = true): Unit
    }
    assert(!work.isUsedUp)
  }

  test("what exceeds the budget is possible") {
    val isOdd = EqualTo(Pmod(ints.head, Literal(2)), Literal(1))
    val odd = ColumnFacts(Finite(1 to 999 by 2), Nulls.No)
    assert(evaluated(Seq(isOdd), ints, odd, new Work(100)) match {
      case (outcomes, work) => outcomes.canBeFalse && work < 110
    })
    assert(evaluated(Seq(LessThan(ints.head, Literal(9))), ints, between(1, 2), new Work(0))._1 ==
      Outcomes.Any)
  }

  test("an interrupted thread stops evaluating") {
    val isOdd = EqualTo(Pmod(ints.head, Literal(2)), Literal(1))
    val evaluator = new Evaluator(Seq(isOdd), Seq(column(ints.head)))
    Thread.currentThread.interrupt()
    val _ = intercept[InterruptedException] {
      for (i <- 1 to 100) evaluator.outcomes(_ => ColumnFacts(Finite(i until 2000 + i by 2), Nulls.No))
    }
    assert(!Thread.currentThread.isInterrupted)
  }

  test("functions of strings are interrupted after one value, and end when the time is over") {
    val name = AttributeReference("name", StringType)()
    val isSlow = EqualTo(Length(StringRepeat(name, Literal(1000 * 1000))), Literal(1))
    val names = ColumnFacts(Finite((1 to 1000).map(i => UTF8String.fromString("name " + i))), Nulls.No)
    Thread.currentThread.interrupt()
    val work = new Work
    val _ = intercept[InterruptedException](
      new Evaluator(Seq(isSlow), Seq(column(name)), work).outcomes(_ => names)
    )
    assert(work.done < 20)
    assert(evaluated(Seq(isSlow), Seq(name), names, new Work(mostTime = 20.millis))._2 < 1000 * 4)
  }

  test("a predicate over up to 100 columns stays within the budget, and no outcome of a row is missing") {
    forAll(gen, minSuccessful(100)) { case (predicate, values, most) =>
      val work = new Work(most.toLong)
      val columns = ints ++ flags
      def facts(i: Int) =
        ColumnFacts(Finite(values(i)), if (values(i).contains(null)) Nulls.Unknown else Nulls.No)
      val outcomes = new Evaluator(Seq(predicate), columns.map(column), work).outcomes(facts(_))
      assert(work.done < most + Nesting.nodes(predicate))
      val rows = (0 until 5).map(row => InternalRow.fromSeq(values.map(of => of(row % of.size))))
      assert(BruteForce.contains(outcomes, BruteForce.outcomesOf(predicate, columns, rows)))
    }
  }

  private val gen: Gen[(Expression, IndexedSeq[IndexedSeq[Any]], Int)] = for {
    sizes <- Gen.listOfN(100, Gen.frequency(3 -> Gen.const(1), 5 -> Gen.choose(2, 8), 1 -> Gen.const(400)))
    used <- Gen.choose(1, 100)
    predicate <- tree(2, used)
    most <- Gen.oneOf(0, 1000, 100000)
  } yield (
    predicate,
    (sizes.map(0 until _) ++ sizes.map(i => IndexedSeq(true, false).take(i))).toIndexedSeq,
    most
  )

  private def tree(depth: Int, used: Int): Gen[Expression] =
    if (depth == 0) atom(used)
    else {
      def list = Gen.choose(1, 4).flatMap(Gen.listOfN(_, tree(depth - 1, used)))
      Gen.frequency(
        2 -> atom(used),
        2 -> list.map(_.reduce(Or(_, _))),
        2 -> list.map(_.reduce(And(_, _))),
        1 -> tree(depth - 1, used).map(Not(_)),
        1 -> list.map(all => CaseWhen(all.map(_ -> all.head), all.last))
      )
    }

  private def atom(used: Int): Gen[Expression] = for {
    several <- Gen.choose(1, used.min(30)).flatMap(Gen.listOfN(_, Gen.oneOf(ints.take(used))))
    flag <- Gen.oneOf(flags.take(used))
    value <- Gen.choose(0, 30).map(Literal(_))
    e <- Gen.oneOf[Expression](
      flag,
      EqualTo(several.head, value),
      LessThan(several.reduce[Expression](Add(_, _)), value),
      GreaterThan(Pmod(several.head, Literal(7)), several.last),
      EqualTo(Greatest(several ++ several.take(1)), value),
      In(several.head, Seq(value, Literal(3)))
    )
  } yield e
}
