package limitpruning.report

import org.scalatest.funsuite.AnyFunSuite

class HistorySuite extends AnyFunSuite {
  private def query(id: Long) =
    QueryReport(id, s"query $id", Some(id), id + 1, failed = false, PruningReport(Nil))

  test("the last queries are stored, the oldest first") {
    val history = new History(2)
    assert(history.queries.isEmpty)
    (1L to 3L).foreach(id => history.add(query(id)))
    assert(history.queries.map(_.executionId) == Seq(2, 3))
  }

  test("a history of size 0 stores nothing") {
    val history = new History(0)
    history.add(query(1))
    assert(history.queries.isEmpty)
  }
}
