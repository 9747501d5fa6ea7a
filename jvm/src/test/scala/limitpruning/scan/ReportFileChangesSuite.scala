package limitpruning.scan

import org.apache.spark.SparkException
import org.scalatest.funsuite.AnyFunSuite

class ReportFileChangesSuite extends AnyFunSuite {

  private def failing(error: Throwable): Iterator[Any] = new Iterator[Any] {
    override def hasNext: Boolean = throw error
    override def next(): Any = "a row"
  }

  private val changed = new FileChangedException("the-file", "it has 9 bytes instead of 7")

  test("line 35: the error is FileChangedException, although Spark reports only an unreadable file") {
    val error = new SparkException("Encountered error while reading file the-file", changed)
    assert(intercept[FileChangedException](new ReportFileChanges(failing(error)).hasNext) eq changed)
  }

  test("every other error does not change") {
    val others =
      Seq(new SparkException("x", new java.io.IOException("y")), new SparkException("x"), changed, new Error)
    for (error <- others)
      assert(intercept[Throwable](new ReportFileChanges(failing(error)).hasNext) eq error)
  }

  test("rows do not change") {
    assert(new ReportFileChanges(Iterator("a", "b")).toSeq == Seq("a", "b"))
  }
}
