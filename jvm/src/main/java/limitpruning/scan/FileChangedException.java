package limitpruning.scan;

import java.io.IOException;
import java.util.Map;

import org.apache.spark.SparkThrowable;

/**
 * A file that is not, or no longer, the one that was planned: its rows were not proved to match.
 *
 * <p>As it has a condition of Spark's, the query fails with this very error, not with one that says that a job was
 * aborted.
 *
 * <p>In Java, as Scala would compile into it a method for each that the interface has in the Spark that is compiled
 * against, with types that an older Spark lacks; there the error could not be sent from executors to the driver.
 */
public final class FileChangedException extends IOException implements SparkThrowable {
  private static final long serialVersionUID = 1L;

  /** One that every Spark knows, for what formats errors by their condition. */
  private static final String CONDITION = "FAILED_READ_FILE.NO_HINT";

  private final String path;

  /**
   * @param path as a URL, encoded
   * @param problem what was found
   */
  public FileChangedException(String path, String problem) {
    super("[" + CONDITION + "] " + path + " is not the file that the LIMIT was planned for: " + problem
        + ". It was changed while the query ran, or Spark's listing of the table is out of date: run REFRESH TABLE, or make"
        + " the DataFrame anew, and repeat the query. If that does not help, its footer is wrong: write it anew, or set"
        + " spark.limitPruning.enabled=false.");
    this.path = path;
  }

  public String path() {
    return path;
  }

  @Override
  public String getCondition() {
    return CONDITION;
  }

  @Override
  public Map<String, String> getMessageParameters() {
    return Map.of("path", path);
  }
}
