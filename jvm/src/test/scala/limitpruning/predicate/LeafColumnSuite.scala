package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.VariantMetadata
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class LeafColumnSuite extends AnyFunSuite {
  private val wide = new StructType().add("z", StringType).add("x", IntegerType)
  private val narrow = new StructType().add("x", IntegerType)
  private val struct = AttributeReference("s", wide)()
  private val plain = AttributeReference("a", IntegerType)()
  private def x(of: Expression, ordinal: Int): Expression = GetStructField(of, ordinal)

  test("a field counts instead of its struct, and each column counts once") {
    val predicate = And(GreaterThan(x(struct, 1), plain), LessThan(plain, x(struct, 1)))
    assert(LeafColumn.in(predicate).map(_.id) == Seq((struct.exprId, Seq("x")), (plain.exprId, Nil)))
    assert(LeafColumn.in(IsNull(struct)).map(_.id) == Seq((struct.exprId, Nil)))
  }

  test("a part of a variant is no column: its struct is not in the file") {
    val taken = VariantMetadata("$.x", failOnError = true, timeZoneId = "UTC").toMetadata
    val variant = AttributeReference("v", new StructType().add("0", IntegerType, nullable = true, taken))()
    assert(LeafColumn.unapply(x(variant, 0)).isEmpty)
    assert(LeafColumn.in(GreaterThan(x(variant, 0), Literal(1))).map(_.path) == Seq(Nil))
  }

  test("a predicate on a field is equal for any other fields of the struct that are read") {
    val pruned = struct.withDataType(narrow)
    def positive(field: Expression) = LeafColumn.normalized(GreaterThan(field, Literal(0)))
    assert(positive(x(struct, 1)) == positive(x(pruned, 0)))
    assert(positive(x(struct, 1)) != positive(plain))
    assert(positive(x(struct, 1)) != positive(x(struct.newInstance(), 1)))
    val otherType = struct.withDataType(new StructType().add("x", IntegerType).add("z", IntegerType))
    assert(LeafColumn.normalized(IsNull(x(struct, 0))) != LeafColumn.normalized(IsNull(x(otherType, 1))))
  }
}
