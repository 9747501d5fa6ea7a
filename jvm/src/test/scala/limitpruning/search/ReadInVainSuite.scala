package limitpruning.search

import org.scalatest.funsuite.AnyFunSuite

class ReadInVainSuite extends AnyFunSuite {
  private val MiB = 1L << 20

  /** How many row groups are read about in vain, each of as many bytes, if the scan reads `scanned` bytes of each. */
  private def read(vain: ReadInVain, bytes: Long, request: Long = 0, scanned: Long = 0): Int =
    Iterator.from(0).take(1000).takeWhile { _ =>
      vain.addScanned(scanned)
      val isAllowed = vain.allows(Reading(bytes, request))
      if (isAllowed) vain.add(Reading(bytes, request))
      isAllowed
    }.size

  private def oneTask = new ReadInVain(isOneTask = true)
  private def wholeTable = new ReadInVain(isOneTask = false)

  test("should read about one small row group if the first task may find enough rows") {
    assert(read(oneTask, bytes = 30 * 1024) == 1)
    assert(read(oneTask, bytes = 31 * 1024) == 0)
  }

  test("should read more if the scan reads the whole table") {
    assert(read(wholeTable, bytes = 10 * 1024) == 12)
    assert(read(wholeTable, bytes = 900 * 1024) == 1)
    assert(read(wholeTable, bytes = MiB) == 0)
  }

  test("should read more of what is little compared with the scan") {
    assert(read(oneTask, bytes = 100 * 1024, scanned = 2 * MiB) == 0)
    assert(
      read(oneTask, bytes = 100 * 1024, scanned = 4 * MiB) == 1,
      "of a first task, each row group may be the last"
    )
    assert(read(wholeTable, bytes = 3 * MiB, scanned = 128 * MiB) == 1000)
  }

  test("should compare requests only with those of one task") {
    assert(read(oneTask, bytes = 1024, request = 3 * MiB, scanned = 16 * MiB) == 0)
    assert(read(oneTask, bytes = 1024, request = 3 * MiB, scanned = 64 * MiB) == 1)
    assert(read(wholeTable, bytes = 1024, request = 3 * MiB) == read(wholeTable, bytes = 1024))
  }

  test("should read more if footers say nothing, because plain Spark cannot skip row groups then") {
    val vain = oneTask
    assert(!vain.allows(Reading(bytes = 240 * 1024, request = 3 * MiB)))
    assert(vain.allows(Reading(bytes = 240 * 1024, request = 3 * MiB, isFirstEvidence = true)))
    assert(!vain.allows(Reading(bytes = MiB, request = 0, isFirstEvidence = true)))
    vain.add(Reading(bytes = 240 * 1024, request = 3 * MiB, isFirstEvidence = true))
    assert(
      vain.allows(Reading(bytes = 240 * 1024, request = 3 * MiB, isFirstEvidence = true)),
      "requests do not count then"
    )
  }

  test("should begin again after something was decided") {
    val vain = oneTask
    assert(read(vain, bytes = 4 * 1024) == 1)
    assert(read(vain, bytes = 4 * 1024) == 0)
    vain.restart()
    assert(read(vain, bytes = 4 * 1024) == 1)
  }
}
