package limitpruning.report;

import java.util.concurrent.TimeoutException;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/** Data of Spark's events that only Java code can access. */
final class ListenerEvents {
  private ListenerEvents() {}

  /** Null if the event was read from a log. */
  static QueryExecution queryOf(SparkListenerSQLExecutionEnd event) {
    return event.qe();
  }

  static boolean hasFailed(SparkListenerSQLExecutionEnd event) {
    return event.executionFailure() != null && event.executionFailure().isDefined();
  }

  /** Waits until listeners have received all events so far, or the time is over. */
  static void await(SparkContext context, long millis) {
    try {
      context.listenerBus().waitUntilEmpty(millis);
    } catch (TimeoutException e) {
      // Other queries run all the time. The events that listeners have received are sufficient.
    }
  }
}
