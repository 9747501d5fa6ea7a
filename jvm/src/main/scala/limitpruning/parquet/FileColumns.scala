package limitpruning.parquet

import java.util.Locale

/** Top-level columns of files, as far as a footer is to tell of them; names count without their case. */
sealed trait FileColumns extends Serializable {
  def contains(name: String): Boolean

  /** Whether whatever `other` names is among these. */
  def covers(other: FileColumns): Boolean
  def ++(other: FileColumns): FileColumns
}

object FileColumns {

  /** Every column: what is needed where columns are not found by their names. */
  case object All extends FileColumns {
    override def contains(name: String): Boolean = true
    override def covers(other: FileColumns): Boolean = true
    override def ++(other: FileColumns): FileColumns = this
  }

  /** @param lowerCase names, in lower case */
  private final case class Named(lowerCase: Set[String]) extends FileColumns {
    override def contains(name: String): Boolean = lowerCase(name.toLowerCase(Locale.ROOT))

    override def covers(other: FileColumns): Boolean = other match {
      case Named(names) => names.subsetOf(lowerCase)
      case All => false
    }

    override def ++(other: FileColumns): FileColumns = other match {
      case Named(names) => Named(lowerCase ++ names)
      case All => All
    }
  }

  def named(names: Iterable[String]): FileColumns = Named(names.map(_.toLowerCase(Locale.ROOT)).toSet)
}
