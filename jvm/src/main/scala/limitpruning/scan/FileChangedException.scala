package limitpruning.scan

import java.io.IOException

import org.apache.spark.SparkThrowable

/**
 * A file that is not, or no longer, the one that was planned: its rows were not proved to match.
 *
 * As it has a condition of Spark's, the query fails with this very error, not with one that says that a job was aborted.
 *
 * @param path as a URL, encoded
 */
final class FileChangedException(val path: String, problem: String)
    extends IOException(
      s"[${FileChangedException.Condition}] $path is not the file that the LIMIT was planned for: $problem. It was changed " +
        "while the query ran, or Spark's listing of the table is out of date: run REFRESH TABLE, or make the DataFrame anew, " +
        "and repeat the query. If that does not help, its footer is wrong: write it anew, or set " +
        "spark.limitPruning.enabled=false."
    )
    with SparkThrowable {
  override def getCondition: String = FileChangedException.Condition
  override def getMessageParameters: java.util.Map[String, String] = java.util.Map.of("path", path)
}

private object FileChangedException {

  /** One that every Spark knows, for what formats errors by their condition. */
  private val Condition = "FAILED_READ_FILE.NO_HINT"
}
