package limitpruning.predicate

import java.util.regex.Pattern

import scala.annotation.tailrec
import scala.util.Try

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * `LIKE` and `RLIKE` with a pattern that begins with literal characters: only strings with this prefix can match. Nothing
 * follows about which of them do. A pattern that raises an error has no prefix.
 *
 * Spark decodes strings before it matches them, and bytes that are not UTF-8 become U+FFFD. So a prefix ends before
 * this character, and before a surrogate.
 */
private[predicate] object LiteralPrefix {

  /** The string, and the prefix, which is not empty. */
  def unapply(e: Expression): Option[(Expression, UTF8String)] = (e match {
    case like: Like => LikePattern.of(like).map(pattern => (like.left, pattern.prefix))
    case like: RLike if like.left.dataType == StringType =>
      patternOf(like.right).map(regex => (like.left, ofRegex(regex)))
    case _ => None
  }).collect { case (value, prefix) if prefix.nonEmpty => (value, UTF8String.fromString(prefix)) }

  private[predicate] def patternOf(e: Expression): Option[String] = e match {
    case Literal(pattern: UTF8String, StringType) => Some(pattern.toString)
    case _ => None
  }

  /** Whether a character is always the same bytes. */
  private[predicate] def isExact(char: Char): Boolean = char != '\uFFFD' && !Character.isSurrogate(char)

  /**
   * The literal characters after `^` or `\A`. With an alternative, any part may be missing. With flags, `^` and letters
   * may have another meaning. With quotes, a quantifier may be behind an empty one, and still be of the character before.
   */
  private[predicate] def ofRegex(regex: String): String =
    if (regex.length > Longest || Unclear.exists(regex.contains(_)) || Try(Pattern.compile(regex)).isFailure)
      ""
    else if (regex.startsWith("^")) literals(regex.substring(1), "")
    else if (regex.startsWith("\\A")) literals(regex.substring(2), "")
    else ""

  /** The length of regular expressions that are compiled while planning. Deep ones would take the whole stack. */
  private val Longest = 1000

  private val Unclear = Seq("|", "(?", "\\Q", "\\E")

  @tailrec private def literals(regex: String, before: String): String = {
    val isEscaped = regex.length > 1 && regex(0) == '\\' && isPunctuation(regex(1))
    val (char, rest) =
      if (isEscaped) (regex(1), regex.drop(2)) else (regex.headOption.getOrElse('\\'), regex.drop(1))
    // A character with a quantifier may be missing.
    val isLiteral = (isEscaped || isPlain(char)) && !rest.headOption.exists("?*+{".contains(_))
    if (isLiteral) literals(rest, before + char) else before
  }

  private def isPlain(char: Char): Boolean =
    (Character.isLetterOrDigit(char) && isExact(char)) || " /_-:,=~%&#@!;'\"<>".indexOf(char.toInt) >= 0

  private def isPunctuation(char: Char): Boolean = char > ' ' && char < 127 &&
    !Character.isLetterOrDigit(char)
}
