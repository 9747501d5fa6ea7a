package limitpruning.report

import org.apache.spark.sql.AnalysisException

/**
 * An error of a user, without a stack trace in clients: a table function cannot return what is asked for.
 *
 * @param message what was found, what is supported, and what to do
 */
final class LimitPruningException(message: String)
// Clients look up the message of an error by its condition, so it needs one of Spark's. This one has any message.
    extends AnalysisException("USER_RAISED_EXCEPTION", Map("errorMessage" -> message))
