package limitpruning.tables

/** What is chosen for all copies of a relation in an optimized plan: the first choice. Thread-safe. */
private[limitpruning] final class ChosenOnce[T] {
  private var made: Option[T] = None

  def apply(choose: => T): T = synchronized {
    val choice = made.getOrElse(choose)
    made = Some(choice)
    choice
  }
}
