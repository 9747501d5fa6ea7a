package limitpruning.predicate

import scala.collection.mutable

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

import limitpruning.shims.SparkShims

/**
 * A column of the relation, or a field of a struct column. The facts of a unit are about such columns.
 *
 * @param attribute the top-level column
 * @param path the names of the fields below it, empty for the column itself
 */
final case class LeafColumn(attribute: Attribute, path: Seq[String], dataType: DataType) {
  def id: (ExprId, Seq[String]) = (attribute.exprId, path)

  /** The name as in SQL: `address.street`. */
  def name: String = (attribute.name +: path).mkString(".")
}

object LeafColumn {

  def unapply(e: Expression): Option[LeafColumn] = e match {
    case attribute: Attribute => Some(LeafColumn(attribute, Nil, attribute.dataType))
    // Spark may replace a variant by a struct of what the query takes from it. Its fields are not in the files.
    case field: GetStructField if !SparkShims.isVariantStruct(field.childSchema) =>
      unapply(field.child).map(parent =>
        LeafColumn(parent.attribute, parent.path :+ name(field), field.dataType)
      )
    case _ => None
  }

  /** The distinct columns of an expression. A field counts instead of the struct that contains it. */
  def in(e: Expression): Seq[LeafColumn] = inAll(Seq(e))

  /** The distinct columns of several expressions. */
  def inAll(expressions: Seq[Expression]): Seq[LeafColumn] = {
    val found = Seq.newBuilder[LeafColumn]
    def add(e: Expression): Unit = e match {
      case LeafColumn(column) => val _ = found += column
      case other => other.children.foreach(add)
    }
    expressions.foreach(add)
    distinct(found.result())
  }

  /** The columns without those that are there before, in the same order. */
  def distinct(columns: Seq[LeafColumn]): Seq[LeafColumn] = {
    val seen = mutable.Set.empty[(ExprId, Seq[String])]
    columns.filter(column => seen.add(column.id))
  }

  /**
   * Replaces each column by its identity. Two expressions are then equal if they differ only in the other
   * fields of a struct that are read besides the field that they use. Spark prunes structs after predicates
   * have been proved.
   */
  def normalized(e: Expression): Expression = e match {
    case LeafColumn(column) => NamedColumn(column.attribute.exprId.id, column.path, column.dataType)
    case other => other.mapChildren(normalized)
  }

  private final case class NamedColumn(id: Long, path: Seq[String], dataType: DataType)
      extends Placeholder

  private def name(field: GetStructField): String = field.childSchema(field.ordinal).name
}
