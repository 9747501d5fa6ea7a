package limitpruning.search

/**
 * What the dictionary of a key of groups tells about the number of its values in a row group. It proves nothing.
 *
 * @param rows of the row group
 * @param bytes the compressed bytes of the dictionary; none if there is none, or if they are not known
 * @param isGivenUp whether the key has too many values for a dictionary
 * @param valueBytes the mean size of a value before compression; none if it is not known
 */
private[limitpruning] final case class DictionarySize(
    rows: Long,
    bytes: Option[Long],
    isGivenUp: Boolean,
    valueBytes: Option[Double]
) {
  import DictionarySize._

  /** Whether the row group probably has rows of so many groups. */
  def promises(groups: Long): Boolean = rows >= groups * LeastRows && (
    isGivenUp && valueBytes.exists(_ * groups * 2 <= Largest) || bytes.exists(_ >= groups * BytesOfValue)
  )

  /** About the maximum number of values that the dictionary has; none if there is none. */
  def mostValues: Option[Double] = bytes.map(_.toDouble / BytesOfEntry)
}

private[limitpruning] object DictionarySize {

  /** The rows of a row group, for each group that is needed, if it is expected to have enough groups. */
  val LeastRows = 10L

  /** The bytes for each group that is needed: most values have fewer, also before they are compressed. */
  private val BytesOfValue = 256L

  /** The bytes for each value: compressed numbers have about as many, strings more. */
  val BytesOfEntry = 4

  /** A larger one is given up. */
  private val Largest = 1024L * 1024
}
