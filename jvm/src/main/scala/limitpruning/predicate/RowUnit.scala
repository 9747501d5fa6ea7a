package limitpruning.predicate

/** The facts about one unit of rows, by the ordinal of the column in the evaluator's input. */
trait RowUnit {
  def facts(ordinal: Int): ColumnFacts

  /** Whether it is proved, by other means than facts, that no row of the column has this value. */
  def excludes(ordinal: Int, value: Any): Boolean = false
}
