package limitpruning.plan

/** What of a file's metadata decides about a row group, cheapest first. */
sealed trait Layer

object Layer {

  /** The footer, and the partition values of the directory. */
  case object Statistics extends Layer

  /** Dictionaries and bloom filters. */
  case object Values extends Layer

  /** The column index. */
  case object Pages extends Layer
}
