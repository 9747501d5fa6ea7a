package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Reason
import limitpruning.testing.{SparkSuite, Wildlife}

class NotPrunedSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  test("a reason on a LIMIT changes neither its equality nor its text") {
    val Seq(limit) = limitsOf(Wildlife.query(wildlife, limit = 4)): @unchecked
    val other = limit.clone()
    other.unsetTagValue(NotPruned.Tag)
    limit.setTagValue(NotPruned.Tag, NotPruned(Reason.NoFiles))
    assert(limit == other && limit.hashCode == other.hashCode)
    assert(limit.treeString == other.treeString)
    assert(limit.clone().getTagValue(NotPruned.Tag).contains(NotPruned(Reason.NoFiles)))
  }
}
