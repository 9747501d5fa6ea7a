package limitpruning.scan;

import java.io.IOException;
import java.util.Collections;
import java.util.Map;

import org.apache.spark.SparkThrowable;

/**
 * A file is not, or no longer, the file that was planned. Its rows are not proved to match.
 *
 * <p>The exception has a condition of Spark's. The query therefore fails with this exception itself, and not
 * with an exception about an aborted job.
 *
 * <p>This is Java code. Scala would compile a method for each method that the interface has in the Spark
 * version of the build, with types that an older Spark does not have. Executors of such a Spark could not
 * send the exception to the driver.
 */
public final class FileChangedException extends IOException implements SparkThrowable {
  private static final long serialVersionUID = 1L;

  /** A condition that exists in every version of Spark 4, for code that formats errors by their condition. */
  private static final String CONDITION = "FAILED_READ_FILE.NO_HINT";

  private final String path;

  /**
   * @param path as an encoded URL
   * @param problem what was found
   */
  public FileChangedException(String path, String problem) {
    super("[" + CONDITION + "] " + path + " is not the file that the LIMIT was planned for: " + problem
        + ". The file changed while the query ran, or Spark's listing of the table is out of date. Run REFRESH TABLE, or"
        + " create the DataFrame again, and run the query again. If the error remains, the footer of the file is wrong: write"
        + " the file again, or set spark.limitPruning.enabled=false.");
    this.path = path;
  }

  public String path() {
    return path;
  }

  /** Only Spark 4 has this method, hence no {@code @Override}. */
  public String getCondition() {
    return CONDITION;
  }

  /** The name of {@link #getCondition} in Spark 3.5, which does not have this condition. Spark 4 does not call it. */
  public String getErrorClass() {
    return null;
  }

  @Override
  public Map<String, String> getMessageParameters() {
    return Collections.singletonMap("path", path);
  }
}
