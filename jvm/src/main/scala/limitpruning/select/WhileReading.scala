package limitpruning.select

/**
 * How much is read of files that planning did not inspect, for a LIMIT that any rows satisfy: of each part of a file, only the
 * first rows that match, at most as many as the LIMIT needs. Without a predicate, these are the first rows. With one, its columns
 * are read first, and the plan keeps its filter. Nothing is proved about these files, so nothing is checked.
 *
 * @param minPageBytes minimum bytes of a row group from which only pages are read; for less, reading the page index does not
 *   pay. None if pages are never read
 */
final case class WhileReading(minPageBytes: Option[Long])
