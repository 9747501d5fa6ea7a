package limitpruning.footers

import org.scalatest.funsuite.AnyFunSuite

class PlanningMemorySuite extends AnyFunSuite {
  test("the maximum applies to all searches together, and a search that ends releases its part") {
    val memory = new PlanningMemory
    val (first, second) = (memory.search(100), memory.search(100))
    first.add(30)
    assert(!first.isUsedUp && !second.isUsedUp)
    second.add(70)
    assert(first.isUsedUp && second.isUsedUp && memory.bytes == 100)
    first.close()
    first.close()
    assert(memory.bytes == 70 && second.isUsedUp)
    second.close()
    assert(memory.bytes == 0)
  }

  test("a search reads no more footers at a time than probably fit") {
    val memory = new PlanningMemory
    val search = memory.search(100)
    assert(search.moreFooters == Int.MaxValue, "nothing is known before the first footer")
    (1 to 4).foreach(_ => search.add(10))
    assert(search.moreFooters == 6)
    memory.search(100).add(50)
    assert(search.moreFooters == 1 && !search.isUsedUp)
    memory.search(100).add(1)
    assert(search.moreFooters == 0 && search.isUsedUp, "not one more fits")
    memory.search(100).add(5000)
    assert(search.moreFooters == 0 && search.isUsedUp)
  }
}
