package limitpruning.tables.iceberg

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.Values

/**
 * What the bounds of strings in a manifest prove about the bytes in the file, by which Spark compares strings. Iceberg makes
 * these bounds from Java strings. A Java string has U+FFFD for bytes that are not UTF-8. These bytes are at another place in
 * the order than U+FFFD: the byte 80 is before it, and the byte FF is after all characters.
 *
 * Iceberg's reader also compares Java strings with the filters of a scan, and then skips row groups whose rows match. Rows
 * that it skips must not count, so a range is given only if the reader finds the same by its bounds:
 *
 *  - Characters of ASCII are before all bytes that are not UTF-8, before U+FFFD, and before all other characters, also in the
 *    UTF-16 order of ORC's reader. So bounds of ASCII are certain.
 *  - In a Parquet file of one row group, other bounds are certain, too, if both have no U+FFFD. Of several row groups,
 *    Iceberg takes the bound that is first or last as a Java string, and the bytes of another row group may be beyond it.
 */
private object StringBounds {
  private val Replacement = '\uFFFD'
  private val AfterReplacement = '\uFFFE'
  private val LastOfAscii = '\u007F'

  /**
   * All strings of the file are in this range; none if nothing is certain.
   *
   * @param ofOneRowGroup whether it is certain that this is a Parquet file of one row group
   */
  def range(lower: ByteBuffer, upper: ByteBuffer, ofOneRowGroup: Boolean): Option[Values.Range] =
    for {
      low <- text(lower)
      high <- text(upper)
      // A bound that was truncated may have U+FFFE: the character after the last one of the value.
      isExact = ofOneRowGroup && !low.contains(Replacement) &&
        !high.exists(char => char == Replacement || char == AfterReplacement)
      max <- if (isExact) Some(high) else upperOfAscii(high)
    } yield Values.Range(
      UTF8String.fromString(if (isExact) low else low.takeWhile(_ <= LastOfAscii)),
      UTF8String.fromString(max)
    )

  /** Whether Java has a string as it is stored. */
  def isUtf8(string: UTF8String): Boolean = text(ByteBuffer.wrap(string.getBytes)).nonEmpty

  /** The bound if it is of ASCII, or the first string of ASCII after all that begin like it. */
  private def upperOfAscii(bound: String): Option[String] = bound.span(_ <= LastOfAscii) match {
    case (all, "") => Some(all)
    case (beginning, _) =>
      val kept = beginning.reverse.dropWhile(_ == LastOfAscii).reverse
      if (kept.isEmpty) None else Some(kept.init + (kept.last + 1).toChar)
  }

  private def text(encoded: ByteBuffer): Option[String] =
    try Some(UTF_8.newDecoder.decode(encoded.duplicate).toString)
    catch { case _: CharacterCodingException => None }
}
