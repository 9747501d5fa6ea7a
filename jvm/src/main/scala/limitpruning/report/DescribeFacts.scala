package limitpruning.report

import org.apache.spark.sql.catalyst.expressions.{Cast, Literal}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{BinaryType, DataType, StringType}

import limitpruning.predicate.{Column, ColumnFacts, Nulls, Values}

/** What is known of a column's values over some rows, for people: `s: 76 … 101, no nulls`. */
private[report] object DescribeFacts {

  /** Values that are listed at most. */
  private val MostValues = 5

  /** Characters of one value. */
  private val MostCharacters = 60

  def apply(column: Column, facts: ColumnFacts): String = {
    val known = Seq(values(facts.values, column.dataType), nulls(facts)).flatten
    s"${column.name}: ${if (known.isEmpty) "nothing known" else known.mkString(", ")}"
  }

  /** A value as people write it, strings in quotes; cut where it becomes long. */
  private def value(value: Any, dataType: DataType): String = {
    val literal = Literal(value, dataType)
    val text = dataType match {
      case StringType | BinaryType => literal.sql
      case _ => Cast(literal, StringType, Some(SQLConf.get.sessionLocalTimeZone)).eval().toString
    }
    if (text.length <= MostCharacters) text else s"${text.take(MostCharacters)}…"
  }

  private def values(values: Values, dataType: DataType): Option[String] = values match {
    case Values.Unknown => None
    case Values.None => Some("null in every row")
    case Values.Range(min, max) if min == max => Some(value(min, dataType))
    case Values.Range(min, max) => Some(s"${value(min, dataType)} … ${value(max, dataType)}")
    case Values.Finite(few) if few.lengthIs <= MostValues =>
      Some(few.map(value(_, dataType)).mkString(" or "))
    case Values.Finite(many) => Some(s"one of ${many.size} values")
  }

  private def nulls(facts: ColumnFacts): Option[String] = facts.nulls match {
    case Nulls.No => Some("no nulls")
    case Nulls.Unknown if facts.values != Values.Unknown => Some("nulls perhaps")
    case Nulls.Unknown | Nulls.All => None
  }
}
