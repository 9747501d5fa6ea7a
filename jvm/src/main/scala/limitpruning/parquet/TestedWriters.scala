package limitpruning.parquet

/**
 * The writers and versions whose files the tests read. With the setting `trustedWritersOnly`, only these are
 * trusted.
 */
private[limitpruning] object TestedWriters {

  /**
   * Names with the first and the last version. Numbers that the last version does not contain can have any
   * value.
   */
  private val table = Seq(
    "parquet-mr" -> ("1.13", "1.13"), // Spark 3.5
    "parquet-mr" -> ("1.15", "1.17"), // Spark 4.0 to 4.3
    "parquet-cpp-arrow" -> ("18", "26"),
    "polars" -> ("2.0", "2.1"),
    "duckdb" -> ("2.0", "2.0"),
    "fastparquet-python" -> ("2026.9", "2026.9")
  )

  /** @param createdBy of the file's footer, null if there is none */
  def contain(createdBy: String): Boolean = {
    val writer = Writer.of(createdBy)
    table.exists { case (name, (first, last)) =>
      name == writer.name && writer.version.exists(v => isFrom(v, first) && isUpTo(v, last))
    }
  }

  private def isFrom(version: WriterVersion, first: String): Boolean =
    WriterVersion.of(first).exists(version.compareNumbers(_) >= 0)

  private def isUpTo(version: WriterVersion, last: String): Boolean = WriterVersion.of(last).exists { end =>
    version.copy(numbers = version.numbers.take(end.numbers.size)).compareNumbers(end) <= 0
  }
}
