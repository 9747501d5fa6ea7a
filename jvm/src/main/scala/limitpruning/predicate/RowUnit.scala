package limitpruning.predicate

/** The facts about one unit of rows. A column is identified by its ordinal in the evaluator's input. */
trait RowUnit {
  def facts(ordinal: Int): ColumnFacts

  /**
   * Whether another source than facts, such as a bloom filter, proves that no row of the column has this
   * value.
   */
  def excludes(ordinal: Int, value: Any): Boolean = false
}
