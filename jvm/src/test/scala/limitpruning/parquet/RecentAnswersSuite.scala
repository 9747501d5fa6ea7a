package limitpruning.parquet

import org.scalatest.funsuite.AnyFunSuite

class RecentAnswersSuite extends AnyFunSuite {

  test("an answer is found once, until as many others were found") {
    var found = Vector.empty[Int]
    val recent = new RecentAnswers[Int, Int](2)
    def ask(question: Int): Int = recent.getOrElse(question) {
      found :+= question
      question * 10
    }
    assert(Seq(1, 1, 2, 1).map(ask) == Seq(10, 10, 20, 10) && found == Seq(1, 2))
    assert(Seq(3, 2, 3).map(ask) == Seq(30, 20, 30) && found == Seq(1, 2, 3))
    assert(ask(1) == 10 && found == Seq(1, 2, 3, 1))
  }
}
