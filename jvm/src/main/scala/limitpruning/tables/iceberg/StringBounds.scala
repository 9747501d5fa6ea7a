package limitpruning.tables.iceberg

import java.nio.ByteBuffer
import java.nio.charset.CharacterCodingException
import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.unsafe.types.UTF8String

/**
 * What the bounds of strings in a manifest prove about the bytes in the file, by which Spark compares strings. Iceberg makes
 * these bounds from Java strings. A Java string has U+FFFD for bytes that are not UTF-8, and U+FFFD is not at the place of
 * these bytes in the order: the byte 80 is before it, and the byte FF is after all characters.
 *
 * Where a bound has no U+FFFD, it was made from the bytes of the value. That is enough for a file of one row group. Of
 * several row groups, Iceberg takes the bound that comes first or last as a Java string. So the bytes of another row group
 * may be beyond it, if the bound has characters that are as large as bytes that are not UTF-8 may be.
 *
 * @param ofOneRowGroup whether it is known that the file has one row group
 */
private final class StringBounds(ofOneRowGroup: Boolean) {
  import StringBounds._

  /** All strings are at this one or after it: the part of the lower bound that is before a character that proves nothing. */
  def lower(bound: ByteBuffer): Option[UTF8String] = text(bound).map { text =>
    val isDoubtful: Char => Boolean = if (ofOneRowGroup) _ == Replacement else _ > LastOfAscii
    UTF8String.fromString(text.takeWhile(!isDoubtful(_)))
  }

  /**
   * All strings are at this one or before it; none if a character of it proves nothing. A truncated bound may have U+FFFE
   * instead of U+FFFD: its last character is the next one of that in the value.
   */
  def upper(bound: ByteBuffer): Option[UTF8String] = text(bound).filterNot { text =>
    text.exists(char =>
      if (ofOneRowGroup) char == Replacement || char == AfterReplacement
      else char >= Replacement || Character.isSurrogate(char)
    )
  }.map(UTF8String.fromString)

  /** None if the bound is not UTF-8. Then it was not made by Iceberg. */
  private def text(bound: ByteBuffer): Option[String] =
    try Some(UTF_8.newDecoder.decode(bound.duplicate).toString)
    catch { case _: CharacterCodingException => None }
}

private object StringBounds {
  private val Replacement = '\uFFFD'
  private val AfterReplacement = '\uFFFE'
  private val LastOfAscii = '\u007F'
}
