package limitpruning.scan

import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.{
  ColumnBytes, RowRange, SelectedColumns, SelectedPages, SelectedRowGroup, Selections
}

class ReadBytesSuite extends AnyFunSuite {
  private val rowGroup = SelectedRowGroup(
    0,
    10,
    4,
    100,
    Selections.columns(Seq(
      Seq("a") -> 1L,
      Seq("B") -> 2L,
      Seq("s", "x") -> 4L,
      Seq("s", "y") -> 8L,
      Seq("l", "list", "element", "p") -> 16L,
      Seq("l", "list", "element", "q") -> 32L
    ).map { case (path, bytes) => path -> ColumnBytes(bytes) }: _*),
    RowRange.all(10)
  )

  private def bytes(schema: StructType, caseSensitive: Boolean = false): Long =
    new ReadBytes(schema, caseSensitive, skipsPages = true)(rowGroup)

  test("counts the columns of the schema, and no other") {
    assert(bytes(new StructType().add("a", IntegerType)) == 1)
    assert(bytes(new StructType().add("a", IntegerType).add("b", IntegerType)) == 3)
    assert(bytes(new StructType()) == 0)
    assert(bytes(new StructType().add("missing", IntegerType)) == 0)
  }

  test("pages count if the reader skips pages, and only those of columns that are read") {
    val pages = SelectedPages(bytes = 1000, pages = 2, total = 5)
    val cut = rowGroup.copy(columns =
      rowGroup.columns.copy(pages = Map(Seq("a") -> pages, Seq("B") -> pages))
    )
    val schema = new StructType().add("a", IntegerType).add("s", new StructType().add("x", IntegerType))
    val skipping = new ReadBytes(schema, caseSensitive = false, skipsPages = true)
    assert(skipping(cut) == 1004 && skipping(rowGroup) == 5 && skipping.pages(cut) == Seq(pages))
    val reading = new ReadBytes(schema, caseSensitive = false, skipsPages = false)
    assert(reading(cut) == 5 && reading.pages(cut).isEmpty)
  }

  test(
    "each column is looked up once for all row groups that share their paths, and names are compared by a map"
  ) {
    val names = (0 until 2000).map(i => s"Column_$i")
    var asked = 0
    val paths = new IndexedSeq[Seq[String]] {
      override def length: Int = names.size
      override def apply(i: Int): Seq[String] = { asked += 1; Seq(names(i)) }
    }
    val wide = rowGroup.copy(columns = SelectedColumns(paths, names.map(_ => 1L)))
    val schema = StructType(names.take(1500).map(name => StructField(name.toLowerCase, LongType)))
    val bytes = new ReadBytes(schema, caseSensitive = false, skipsPages = true)
    assert((1 to 10).map(i => bytes(wide.copy(ordinal = i))) == Seq.fill(10)(1500L))
    assert(asked == 2000)
  }

  test("names follow the session's case sensitivity") {
    assert(bytes(new StructType().add("b", IntegerType), caseSensitive = true) == 0)
    assert(bytes(new StructType().add("B", IntegerType), caseSensitive = true) == 2)
  }

  test(
    "line 86: of two columns whose names are equal in upper case alone, only the one of the schema counts"
  ) {
    val two = rowGroup.copy(columns =
      Selections.columns(
        Seq("yil") -> ColumnBytes(1),
        Seq("yıl") -> ColumnBytes(2),
        Seq("s", "ſ") -> ColumnBytes(4),
        Seq("s", "s") -> ColumnBytes(8)
      )
    )
    def bytes(schema: StructType) = new ReadBytes(schema, caseSensitive = false, skipsPages = true)(two)
    assert(bytes(new StructType().add("YIL", IntegerType)) == 1)
    assert(bytes(new StructType().add("yıl", IntegerType)) == 2)
    assert(bytes(new StructType().add("s", new StructType().add("ſ", IntegerType))) == 4)
  }

  test("only the fields of a struct that are read count") {
    val x = new StructType().add("x", IntegerType)
    assert(bytes(new StructType().add("s", x)) == 4)
    assert(bytes(new StructType().add("s", x.add("y", IntegerType))) == 12)
  }

  test("everything counts in an array") {
    val element = new StructType().add("p", IntegerType)
    assert(bytes(new StructType().add("l", ArrayType(element))) == 48)
  }
}
