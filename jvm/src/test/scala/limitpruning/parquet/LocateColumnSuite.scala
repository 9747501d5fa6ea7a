package limitpruning.parquet

import org.apache.parquet.schema.{MessageType, MessageTypeParser}
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.LeafColumn

class LocateColumnSuite extends AnyFunSuite {
  import ColumnLocation._

  private val nested =
    schema("required group s { optional int32 x; required group t { required int32 x; } } required int32 x;")

  private def schema(fields: String): MessageType =
    MessageTypeParser.parseMessageType(s"message m { $fields }")

  private def locate(schema: MessageType, caseSensitive: Boolean = false)(names: String*): ColumnLocation =
    new LocateColumn(schema, caseSensitive)(
      LeafColumn(AttributeReference(names.head, IntegerType)(), names.tail, IntegerType)
    )

  /** The path as the file spells it, the leaf, and whether it is required. */
  private def stored(location: ColumnLocation): (String, Int, Boolean) = location match {
    case Stored(path, leaf, _, isRequired) => (path.toArray.mkString("/"), leaf, isRequired)
    case other => fail(s"$other is no stored column")
  }

  test("should count leaves, not fields, because chunks are in the order of leaves") {
    assert(stored(locate(nested)("x")) == (("x", 2, true)))
    assert(stored(locate(nested)("s", "t", "x")) == (("s/t/x", 1, true)))
  }

  test("line 31: should distinguish leaves of the same name by the whole path") {
    assert(stored(locate(nested)("s", "x")) == (("s/x", 0, false)))
    assert(locate(nested)("t", "x") == Missing)
  }

  test("should return the leaf's own type, because min and max are read by it") {
    val Stored(_, _, leafType, _) = locate(schema("optional int64 a; optional int32 b;"))("b"): @unchecked
    assert(leafType.getName == "b" && leafType.getPrimitiveTypeName.name == "INT32")
  }

  test("line 2: should be missing if no field has the name, because such a column reads as null") {
    assert(locate(nested)("y") == Missing)
    assert(locate(nested)("s", "y") == Missing)
    assert(locate(nested)("s", "t", "y") == Missing)
  }

  test("line 31: should follow the session's case sensitivity, and return names as the file spells them") {
    val upper = schema("optional group S { optional int32 Ab; }")
    assert(stored(locate(upper)("s", "aB")) == (("S/Ab", 0, false)))
    assert(locate(upper, caseSensitive = true)("s", "aB") == Missing)
    assert(locate(upper, caseSensitive = true)("S", "aB") == Missing)
    assert(stored(locate(upper, caseSensitive = true)("S", "Ab")) == (("S/Ab", 0, false)))
  }

  test("line 31: should be unclear if two names match, because both are possible") {
    val two =
      schema("optional int32 a; optional int32 A; optional group s { optional int32 b; optional int32 B; }")
    assert(locate(two)("a") == Unclear && locate(two)("s", "b") == Unclear)
    assert(stored(locate(two, caseSensitive = true)("A")) == (("A", 1, false)))
    assert(stored(locate(two, caseSensitive = true)("s", "B")) == (("s/B", 3, false)))
  }

  test("line 86: should tell names apart that are equal in upper case alone, because Spark does") {
    val two = schema("optional int32 yıl; optional int32 yil; optional group s { optional int32 ſ; }")
    assert(stored(locate(two)("YIL")) == (("yil", 1, false)))
    assert(stored(locate(two)("yıl")) == (("yıl", 0, false)))
    assert(locate(two)("ſ", "s") == Missing && locate(two)("s", "s") == Missing)
    assert(stored(locate(two)("s", "ſ")) == (("s/ſ", 2, false)))
  }

  test("line 31: should treat a dot as part of a name, because a path is not its text") {
    val dotted = schema("optional group a { optional int32 b; } optional int32 a.b;")
    assert(stored(locate(dotted)("a.b")) == (("a.b", 1, false)))
    assert(stored(locate(dotted)("a", "b")) == (("a/b", 0, false)))
  }

  test("line 30: should be unclear at and below a repeated field, because its counts are of elements") {
    val lists = schema(
      "repeated int32 r; repeated group g { optional int32 x; } " +
        "optional group l (LIST) { repeated group list { optional int32 element; } }"
    )
    for (path <- Seq(Seq("r"), Seq("g"), Seq("g", "x"), Seq("l", "list"), Seq("l", "list", "element")))
      assert(locate(lists)(path: _*) == Unclear, path)
  }

  test(
    "line 29: should be unclear where the file has another shape, because Spark reads it otherwise or fails"
  ) {
    assert(locate(nested)("s") == Unclear, "a struct is no value")
    assert(locate(nested)("s", "t") == Unclear)
    assert(locate(nested)("x", "y") == Unclear, "a value has no fields")
  }

  test("should be required only if all structs around it are, because it is null in a null struct") {
    def isRequired(around: String, field: String): Boolean =
      stored(locate(schema(s"$around group s { $field int32 x; }"))("s", "x"))._3
    assert(isRequired("required", "required"))
    assert(!isRequired("optional", "required"))
    assert(!isRequired("required", "optional"))
  }
}
