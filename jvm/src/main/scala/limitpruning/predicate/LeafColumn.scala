package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.DataType

/**
 * A column of the relation, or a field of a struct column: whatever the facts of a unit can speak of.
 *
 * @param attribute the top-level column
 * @param path the names of the fields below it, empty for the column itself
 */
final case class LeafColumn(attribute: Attribute, path: Seq[String], dataType: DataType) {
  def id: (ExprId, Seq[String]) = (attribute.exprId, path)

  /** As people write it: `address.street`. */
  def name: String = (attribute.name +: path).mkString(".")
}

object LeafColumn {

  def unapply(e: Expression): Option[LeafColumn] = e match {
    case attribute: Attribute => Some(LeafColumn(attribute, Nil, attribute.dataType))
    case field: GetStructField =>
      unapply(field.child).map(parent => LeafColumn(parent.attribute, parent.path :+ name(field), field.dataType))
    case _ => None
  }

  /** The columns of an expression, each once; a field counts instead of the struct that it is taken from. */
  def in(e: Expression): Seq[LeafColumn] = (e match {
    case LeafColumn(column) => Seq(column)
    case other => other.children.flatMap(in)
  }).distinctBy(_.id)

  /**
   * The expression with its columns named by what they are, so that two are equal that differ only in how much of a
   * struct is read beside the field that they use: Spark prunes structs after predicates have been proved.
   */
  def normalized(e: Expression): Expression = e match {
    case LeafColumn(column) => NamedColumn(column.attribute.exprId.id, column.path, column.dataType)
    case other => other.mapChildren(normalized)
  }

  private final case class NamedColumn(id: Long, path: Seq[String], dataType: DataType)
      extends Placeholder

  private def name(field: GetStructField): String = field.childSchema(field.ordinal).name
}
