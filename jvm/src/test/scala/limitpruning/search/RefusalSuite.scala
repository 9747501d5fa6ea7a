package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{SparkSuite, Wildlife}

class RefusalSuite extends AnyFunSuite with SparkSuite {
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  test("a refusal on a LIMIT changes neither its equality nor its text") {
    val Seq(limit) = limitsOf(Wildlife.query(wildlife, limit = 4)): @unchecked
    val other = limit.clone()
    other.unsetTagValue(Refusal.Tag)
    limit.setTagValue(Refusal.Tag, Refusal(Declined.NoFiles))
    assert(limit == other && limit.hashCode == other.hashCode)
    assert(limit.treeString == other.treeString)
    assert(limit.clone().getTagValue(Refusal.Tag).contains(Refusal(Declined.NoFiles)))
  }
}
