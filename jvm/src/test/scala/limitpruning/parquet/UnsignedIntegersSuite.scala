package limitpruning.parquet

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls}
import limitpruning.predicate.Values.{Range, Unknown}
import limitpruning.testing.{OneColumn, RawChunk, RawFooter, TempFolder}

/** Unsigned integers in files that parquet-java writes. */
class UnsignedIntegersSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration(false)
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")

  private def column(dataType: DataType): LeafColumn =
    LeafColumn(AttributeReference("c", dataType)(), Nil, dataType)

  test("line 79: a chunk of several pages has the unsigned range of all pages") {
    val values = (3 until 503).updated(0, -1).updated(1, Int.MinValue).updated(250, 0)
    val path = OneColumn.write(
      folder.resolve("u.parquet"),
      "required int32 c (INTEGER(32,false))",
      values
    )(_.withDictionaryEncoding(false))
    val footer = new FooterReader(conf).read(status(path), FileColumns.All)
    val facts = new RowGroupFacts(footer, settings)
    assert(facts.of(column(LongType))(0) == ColumnFacts(Range(0L, 4294967295L), Nulls.No))
    val indexes = new PageIndexReader(status(path), footer, Storage(conf), 1 << 20)
    val Some(pages) = ColumnPages.of(facts, indexes, column(LongType), 0): @unchecked
    indexes.close()
    assert(pages.starts.map(pages.at(_).values).toSeq.take(4) ==
      Seq(Range(5L, 4294967295L), Range(103L, 202L), Range(0L, 302L), Range(303L, 402L)))
  }

  test("line 79: min and max in the old fields, which are compared as signed, are ignored") {
    for (deprecated <- Seq(false, true)) {
      val chunk = RawChunk(Some(1), Some(5), Some(0L), deprecated = deprecated)
      val footer = RawFooter("optional int32 c (INTEGER(32,false));").rowGroup(10, chunk).footer
      val values = new RowGroupFacts(footer, settings).of(column(LongType))(0).values
      assert(values == (if (deprecated) Unknown else Range(1L, 5L)))
    }
  }
}
