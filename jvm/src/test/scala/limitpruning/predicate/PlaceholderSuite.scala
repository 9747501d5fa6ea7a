package limitpruning.predicate

import org.apache.spark.sql.catalyst.expressions.ExpressionSet
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext
import org.apache.spark.sql.types.{DataType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.PlaceholderSuite.Mark

class PlaceholderSuite extends AnyFunSuite {

  test("is compared by its fields") {
    assert(ExpressionSet(Seq(Mark("a"), Mark("b"), Mark("a"))).size == 2)
  }

  test("may be null, so that Catalyst simplifies nothing around it") {
    assert(Mark("a").nullable)
  }

  test("is not evaluated, interpreted or generated") {
    for (evaluate <- Seq(() => Mark("a").eval(), () => Mark("a").genCode(new CodegenContext)))
      assert(intercept[UnsupportedOperationException](evaluate()).getMessage.startsWith("mark(a"))
  }
}

object PlaceholderSuite {
  private final case class Mark(name: String, dataType: DataType = IntegerType) extends Placeholder
}
