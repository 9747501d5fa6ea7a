package limitpruning.scan

import org.apache.spark.SparkThrowable
import org.scalatest.funsuite.AnyFunSuite

class FileChangedExceptionSuite extends AnyFunSuite {
  private val error: Exception with SparkThrowable =
    new FileChangedException("file:/t/the-file", "it has 9 bytes instead of 7")

  test("line 35: the message names the file, the difference and what to do") {
    for (
      part <-
        Seq("file:/t/the-file", "it has 9 bytes instead of 7", "REFRESH TABLE", "create the DataFrame again")
    )
      assert(error.getMessage.contains(part))
  }

  test("the condition is one of Spark's, so that every format of errors can show it") {
    assert(error.getMessage.startsWith(s"[${error.getCondition}]"))
    assert(error.getSqlState == "KD001", "Spark looks it up by the condition")
    assert(!error.isInternalError)
  }
}
