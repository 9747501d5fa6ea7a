package limitpruning.report

import scala.util.control.NonFatal

import org.apache.spark.sql.catalyst.expressions.{Expression, NamedArgumentExpression}
import org.apache.spark.sql.types.{ByteType, IntegerType, LongType, NullType, ShortType, StringType}

import limitpruning.parquet.ColumnNames

/**
 * A parameter of a table function.
 *
 * @param default the default in SQL; none if the argument is required
 */
private[report] final case class Argument(name: String, default: Option[String] = None)

/** The arguments of one call, by the names of the parameters. */
private[report] final class FunctionCall private (
    val function: String,
    parameters: Seq[Argument],
    passed: Map[String, Expression]
) {

  /** A text; none if it is NULL or not given. */
  def text(parameter: Argument): Option[String] = constant(parameter).map { case (value, e) =>
    e.dataType match {
      case _: StringType => value.toString
      case other => wrong(parameter, s"a ${other.sql}", "a STRING")
    }
  }

  /** A text that must be given. */
  def required(parameter: Argument): String = text(parameter).filter(_.trim.nonEmpty).getOrElse(
    wrong(parameter, "NULL, empty or not given", "a STRING")
  )

  /** A number from 1 on; none if it is NULL or not given. */
  def count(parameter: Argument): Option[Int] = constant(parameter).map { case (value, e) =>
    val expected = s"a whole number from 1 to ${Int.MaxValue}"
    (e.dataType, value) match {
      case (ByteType | ShortType | IntegerType | LongType, number: Number)
          if number.longValue >= 1 && number.longValue <= Int.MaxValue => number.intValue
      case (ByteType | ShortType | IntegerType | LongType, number) => wrong(parameter, s"$number", expected)
      case (other, _) => wrong(parameter, s"a ${other.sql}", expected)
    }
  }

  private def constant(parameter: Argument): Option[(Any, Expression)] =
    passed.get(parameter.name).flatMap { e =>
      def notConstant = wrong(parameter, s"${e.sql}, which is not a constant", "a constant")
      if (!e.foldable) notConstant
      else {
        val value =
          try e.eval()
          catch { case NonFatal(_) => notConstant }
        if (e.dataType == NullType) None else Option(value).map((_, e))
      }
    }

  private def wrong(parameter: Argument, found: String, expected: String): Nothing =
    throw new LimitPruningException(
      s"$function: ${parameter.name} is $found; it must be $expected. " +
        FunctionCall.usage(function, parameters)
    )
}

private[report] object FunctionCall {

  /**
   * @param passed the arguments in the order of the call, some of them with names
   * @throws LimitPruningException if they do not fit to the parameters
   */
  def apply(function: String, parameters: Seq[Argument], passed: Seq[Expression]): FunctionCall = {
    def fail(found: String) =
      throw new LimitPruningException(s"$function: $found. ${usage(function, parameters)}")
    val (named, positional) = passed.partition(_.isInstanceOf[NamedArgumentExpression])
    if (passed.size > parameters.size) fail(s"${passed.size} arguments were found")
    val byPosition = parameters.map(_.name).zip(positional)
    val byName = named.collect { case argument: NamedArgumentExpression =>
      val name = parameters.map(_.name).find(ColumnNames.areSame(_, argument.key, caseSensitive = false))
      name.getOrElse(fail(s"there is no parameter ${argument.key}")) -> argument.value
    }
    val all = byPosition ++ byName
    for ((name, _) <- all.groupBy(_._1).find(_._2.size > 1)) fail(s"$name is given twice")
    for (missing <- parameters.find(p => p.default.isEmpty && !all.exists(_._1 == p.name)))
      fail(s"${missing.name} is missing")
    new FunctionCall(function, parameters, all.toMap)
  }

  private def usage(function: String, parameters: Seq[Argument]): String =
    if (parameters.isEmpty) s"Write $function()."
    else {
      val names = parameters.map(p => p.name + p.default.fold("")(default => s" (default: $default)"))
      s"Its parameters are ${names.mkString(", ")}; they can be given by name, as in ${parameters.head.name} => …"
    }
}
