package limitpruning.report

import org.apache.spark.sql.AnalysisException

/**
 * An error of a user, without a stack trace in clients: a table function cannot return what is asked for.
 *
 * @param message what was found, what is supported, and what to do
 */
final class LimitPruningException(message: String)
// Spark 3.5 has no condition with any message.
    extends AnalysisException(message, None, None, None, None, Map.empty, Array.empty)
