package limitpruning.report;

import java.util.concurrent.TimeoutException;

import org.apache.spark.SparkContext;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.execution.ui.SparkListenerSQLExecutionEnd;

/** What Spark's events carry for listeners of its own, which only Java may ask for. */
final class ListenerEvents {
  private ListenerEvents() {}

  /** Null where the event comes from a log. */
  static QueryExecution queryOf(SparkListenerSQLExecutionEnd event) {
    return event.qe();
  }

  static boolean hasFailed(SparkListenerSQLExecutionEnd event) {
    return event.executionFailure() != null && event.executionFailure().isDefined();
  }

  /** Waits until listeners have heard of all that has happened so far, or the time is over. */
  static void await(SparkContext context, long millis) {
    try {
      context.listenerBus().waitUntilEmpty(millis);
    } catch (TimeoutException e) {
      // Others are running queries all the time: what listeners have heard of will do.
    }
  }
}
