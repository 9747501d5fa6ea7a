package limitpruning.parquet

import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls}
import limitpruning.predicate.Values.Range
import limitpruning.testing.{RawChunk, RawFooter}

class RowGroupFactsSuite extends AnyFunSuite {
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val chunk = RawChunk.between(1, 5).nulls(0)
  private val between1And5 = ColumnFacts(Range(1, 5), Nulls.No)
  private def int(name: String): StructField = StructField(name, IntegerType)

  private def column(field: StructField, path: String*): LeafColumn = {
    val attribute = AttributeReference(field.name, field.dataType, nullable = true, field.metadata)()
    LeafColumn(attribute, path, if (path.isEmpty) field.dataType else IntegerType)
  }

  private def facts(
      fields: String,
      chunks: RawChunk*
  )(field: StructField, settings: ReadSettings = settings) =
    new RowGroupFacts(RawFooter(fields).rowGroup(10, chunks: _*).footer, settings).of(column(field))(0)

  test("each row group has its own facts") {
    val footer = RawFooter("optional int32 a;")
      .rowGroup(10, chunk)
      .rowGroup(10, RawChunk.silent)
      .rowGroup(10, RawChunk.between(6, 9).nulls(1))
      .footer
    val ofColumn = new RowGroupFacts(footer, settings).of(column(int("a")))
    assert(ofColumn(0) == between1And5)
    assert(ofColumn(1) == ColumnFacts.Unknown, "line 16: statistics missing on one row group only")
    assert(ofColumn(2) == ColumnFacts(Range(6, 9), Nulls.Unknown))
  }

  test("line 2: a column that the file does not have reads as null") {
    assert(facts("optional int32 a;", chunk)(int("b")) == ColumnFacts.AllNull)
  }

  test(
    "a column that the footer was not narrowed to is unknown, even if nothing shows that the file has it"
  ) {
    val raw = RawFooter("optional int32 a; optional int32 b;").rowGroup(10, chunk, chunk).metadata
    val columns = FileColumns.named(Seq("a"), read = Seq("b"))
    val footer = Footer.of(NarrowedFooter.of(raw, columns, FooterSeal(1, 1)))
    def of(name: String) = new RowGroupFacts(footer, settings).of(column(int(name)))(0)
    assert(of("a") == between1And5 && of("A") == between1And5)
    assert(of("b") == ColumnFacts.Unknown && of("c") == ColumnFacts.Unknown)
  }

  test("whether the footer was narrowed to a column is asked by its name in the file") {
    val raw = RawFooter("optional group g { optional int32 x; }").rowGroup(10, chunk).metadata
    val footer = Footer.of(NarrowedFooter.of(raw, FileColumns.named(Seq("G")), FooterSeal(1, 1)))
    val names = NamesInFiles.Renamed(Map(Seq("s", "y") -> Seq("g", "x"), Seq("t", "y") -> Seq("h", "x")))
    def of(name: String) = {
      val field = StructField(name, new StructType().add("y", IntegerType))
      new RowGroupFacts(footer, settings.copy(names = names)).of(column(field, "y"))(0)
    }
    assert(of("s") == between1And5 && of("t") == ColumnFacts.Unknown && of("u") == ColumnFacts.Unknown)
  }

  test("line 20: of a partition column, the file says nothing, even if it contains the column") {
    val footer = RawFooter("optional int32 a;").rowGroup(10, chunk.nulls(3)).footer
    val facts = new RowGroupFacts(footer, settings, _.name == "a")
    assert(facts.of(column(int("a")))(0) == ColumnFacts.Unknown &&
      facts.nullCounts(column(int("a")))(0).isEmpty)
    assert(new RowGroupFacts(footer, settings).nullCounts(column(int("a")))(0).contains(3L))
  }

  test("line 28: a missing column that was added with a default has the default in every row") {
    def withDefault(field: StructField, sql: String): StructField =
      field.copy(metadata = new MetadataBuilder().putString("EXISTS_DEFAULT", sql).build())
    def missing(field: StructField, settings: ReadSettings = settings) =
      facts("optional int32 a;", chunk)(field, settings)
    assert(missing(withDefault(int("b"), "7")) == ColumnFacts.constant(7))
    assert(missing(withDefault(int("b"), "NULL")) == ColumnFacts.AllNull)
    assert(missing(withDefault(StructField("b", StringType), "'x'")) ==
      ColumnFacts.constant(UTF8String.fromString("x")))
    assert(missing(withDefault(int("b"), "no literal")) == ColumnFacts.Unknown)
    assert(missing(withDefault(int("a"), "7")) == between1And5, "the file has it")
    val renamed = settings.copy(names = NamesInFiles.Renamed(Map(Seq("b") -> Seq("c"))))
    assert(missing(withDefault(int("b"), "7"), renamed) == ColumnFacts.Unknown, "a table format decides")
  }

  test("line 28: a missing field with a default, or in a struct with a default, is unknown") {
    val default = new MetadataBuilder().putString("EXISTS_DEFAULT", "7").build()
    val plain = new StructType().add("x", IntegerType)
    val inside = new StructType().add(int("x").copy(metadata = default))
    val around = StructField("s", plain, nullable = true, default)
    def of(field: StructField) =
      new RowGroupFacts(RawFooter("optional int32 a;").rowGroup(10, chunk).footer, settings)
        .of(column(field, "x"))(0)
    assert(of(StructField("s", plain)) == ColumnFacts.AllNull)
    assert(of(StructField("s", inside)) == ColumnFacts.Unknown)
    assert(of(around) == ColumnFacts.Unknown)
  }

  test("a missing column of an unsupported type is unknown") {
    val struct = StructField("b", new StructType().add("x", IntegerType))
    assert(facts("optional int32 a;", chunk)(struct) == ColumnFacts.Unknown)
  }

  test("line 31: names follow the session's case sensitivity, and are unknown if two of them match") {
    val sensitive = settings.copy(caseSensitive = true)
    assert(facts("optional int32 Ab;", chunk)(int("aB")) == between1And5)
    assert(facts("optional int32 Ab;", chunk)(int("aB"), sensitive) == ColumnFacts.AllNull)
    val two = facts("optional int32 a; optional int32 A;", chunk, RawChunk.between(7, 9).nulls(0)) _
    assert(two(int("a"), settings) == ColumnFacts.Unknown)
    assert(two(int("a"), sensitive) == between1And5)
    assert(two(int("A"), sensitive) == ColumnFacts(Range(7, 9), Nulls.No))
  }

  test("line 31: columns found by field ids are unknown, missing ones too") {
    val byId = settings.copy(byFieldId = true)
    assert(facts("optional int32 a;", chunk)(int("a"), byId) == ColumnFacts.Unknown)
    assert(facts("optional int32 a;", chunk)(int("b"), byId) == ColumnFacts.Unknown)
  }

  test("line 31: a dot in a name is part of the name") {
    val nested =
      facts("optional group a { optional int32 b; } optional int32 c;", RawChunk.between(7, 9), chunk) _
    assert(nested(int("a.b"), settings) == ColumnFacts.AllNull)
  }

  test("line 30: a struct before the column does not shift its statistics") {
    val shifted = "optional group s { optional int32 x; optional int32 y; } optional int32 a;"
    val other = RawChunk.between(100, 200).nulls(3)
    assert(facts(shifted, other, other, chunk)(int("a")) == between1And5)
  }

  test("lines 30, 31: leaves of the same name under structs are not the column") {
    val shifted =
      "optional group s { optional int32 a; } optional int32 a; optional group t { optional int32 a; }"
    val other = RawChunk.between(100, 200).nulls(0)
    assert(facts(shifted, other, chunk, other)(int("a")) == between1And5)
  }

  test("line 30: structs, arrays and maps are unknown, whatever their leaves contain") {
    val struct = StructField("a", new StructType().add("b", IntegerType))
    assert(facts("optional group a { optional int32 b; }", chunk)(struct) == ColumnFacts.Unknown)
    val repeated = StructField("a", ArrayType(IntegerType))
    assert(facts("repeated int32 a;", chunk)(repeated) == ColumnFacts.Unknown)
    assert(facts("repeated int32 a;", chunk)(int("a")) == ColumnFacts.Unknown)
  }

  test("line 30: a field of a struct is found below it, and is null if the struct is null") {
    val file =
      "required group s { optional group t { required int32 x; } optional int32 y; } optional int32 x;"
    val other = RawChunk.between(100, 200).nulls(0)
    val silent = RawChunk.between(1, 5)
    val footer = RawFooter(file).rowGroup(10, silent, other, other).footer
    val s = StructField("s", new StructType().add("t", new StructType().add("x", IntegerType)))
    val facts = new RowGroupFacts(footer, settings)
    assert(facts.of(column(s, "t", "x"))(0) == ColumnFacts(Range(1, 5), Nulls.Unknown), "t may be null")
    assert(facts.of(column(s, "y"))(0) == ColumnFacts(Range(100, 200), Nulls.No))
    assert(facts.of(column(s, "z"))(0) == ColumnFacts.AllNull)
    assert(facts.of(column(s, "y", "x"))(0) == ColumnFacts.Unknown, "y is no struct")
    assert(facts.of(column(s, "t"))(0) == ColumnFacts.Unknown, "t is no leaf")
  }

  test("line 30: a field below an array is unknown: its counts are of elements") {
    val file = "optional group s { repeated group t { optional int32 x; } }"
    val footer = RawFooter(file).rowGroup(10, chunk).footer
    val s = StructField("s", new StructType().add("t", new StructType().add("x", IntegerType)))
    assert(new RowGroupFacts(footer, settings).of(column(s, "t", "x"))(0) == ColumnFacts.Unknown)
  }

  test("line 29: a column that is narrower in the table has a null count, but no value range") {
    val narrowed =
      facts("optional int64 a;", RawChunk.between(1L, 5L).nulls(0))(StructField("a", IntegerType))
    assert(narrowed == ColumnFacts(limitpruning.predicate.Values.Unknown, Nulls.No))
    val widened = facts("optional int32 a;", RawChunk.between(1, 5).nulls(0))(StructField("a", LongType))
    assert(widened == ColumnFacts(Range(1L, 5L), Nulls.No))
  }

  test("line 11: equal min and max in the old fields do not exclude NaN") {
    val old = RawChunk.between(5.0, 5.0).nulls(0).copy(deprecated = true)
    val found = facts("optional double a;", old)(StructField("a", DoubleType))
    assert(found.values != Range(5.0, 5.0) && found.nulls == Nulls.No)
  }

  test("line 16: min and max of binaries are unknown if the writer compared them wrongly") {
    val raw = RawFooter("optional binary a (STRING);").copy(createdBy = "parquet-mr version 1.6.0")
    val old = RawChunk.between("a", "b").nulls(0).copy(deprecated = true)
    val footer = raw.rowGroup(10, old).footer
    val found = new RowGroupFacts(footer, settings).of(column(StructField("a", StringType)))(0)
    assert(found.values == limitpruning.predicate.Values.Unknown)
  }
}
