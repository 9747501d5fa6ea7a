package limitpruning.footers

/**
 * Names a Spark query that planning needs.
 *
 * @param path what is read: a file or a directory
 * @param what what of it is read
 */
private[limitpruning] final case class PlanningQuery(path: String, what: String)
