package limitpruning.predicate

import scala.annotation.tailrec

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.StringType
import org.apache.spark.unsafe.types.UTF8String

/**
 * A pattern of `LIKE`.
 *
 * @param prefix the literal characters at the beginning
 * @param rest the other characters, from the first wildcard on
 */
private[predicate] final case class LikePattern(prefix: String, rest: Seq[LikePattern.Part])

private[predicate] object LikePattern {

  /** A wildcard, `_` or `%`, or a literal character. */
  final case class Part(char: Char, isWildcard: Boolean)

  /** `LIKE` without wildcards, or with only `%` at the end, as the comparison that has the same result for each string. */
  object Simplified {
    def unapply(e: Expression): Option[Expression] = e match {
      case like: Like =>
        of(like).collect {
          case LikePattern(text, Nil) => EqualTo(like.left, literal(text))
          case LikePattern(text, rest) if rest.forall(_ == AnyCharacters) =>
            StartsWith(like.left, literal(text))
        }
      case _ => None
    }

    private def literal(text: String) = Literal(UTF8String.fromString(text), StringType)
  }

  /** None if the pattern is not a literal, or raises an error. */
  def of(like: Like): Option[LikePattern] =
    if (like.left.dataType != StringType) None
    else LiteralPrefix.patternOf(like.right).flatMap(of(_, like.escapeChar))

  private[predicate] def of(pattern: String, escape: Char): Option[LikePattern] =
    parts(pattern.toList, escape, Nil).map { all =>
      val (prefix, rest) = all.span(part => !part.isWildcard && LiteralPrefix.isExact(part.char))
      LikePattern(prefix.map(_.char).mkString, rest)
    }

  private val AnyCharacters = Part('%', isWildcard = true)

  /** The escape character is first, also if it is `_` or `%`. It may only be before these, and before itself. */
  @tailrec private def parts(pattern: List[Char], escape: Char, before: List[Part]): Option[List[Part]] =
    pattern match {
      case Nil => Some(before.reverse)
      case `escape` :: next :: rest if isWildcard(next) || next == escape =>
        parts(rest, escape, Part(next, isWildcard = false) :: before)
      case `escape` :: _ => None
      case char :: rest => parts(rest, escape, Part(char, isWildcard(char)) :: before)
    }

  private def isWildcard(char: Char): Boolean = char == '_' || char == '%'
}
