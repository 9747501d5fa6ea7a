package limitpruning.parquet

import java.nio.file.Path

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.{DataType, DateType, IntegerType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.predicate.Values.Range
import limitpruning.testing.{FooterEdit, OneColumn, RawChunk, TempFolder}
import limitpruning.testing.OneColumn.Options

class RowGroupDetailsSuite extends AnyFunSuite with TempFolder {
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val Large = 1L << 20
  private val known = ColumnFacts(Range(0, 198), Nulls.No)
  private val evens = (0 until 100).map(_ * 2)
  private val c = column("c")

  private val withDictionary: Options = identity
  private val plain: Options = _.withDictionaryEncoding(false)
  private val withFilter: Options =
    _.withDictionaryEncoding(false).withBloomFilterEnabled(true).withBloomFilterNDV("c", 100)

  private def column(name: String, dataType: DataType = IntegerType): LeafColumn =
    LeafColumn(AttributeReference(name, dataType)(), Nil, dataType)

  private def write(options: Options): Path =
    OneColumn.write(
      folder.resolve("details.parquet"),
      "required int32 c",
      evens.flatMap(Seq.fill(4)(_))
    )(options)

  private def details[T](path: Path, maxBytes: Long = Large, settings: ReadSettings = settings)(
      body: RowGroupDetails => T
  ): T = {
    val file = status(path)
    val conf = new Configuration()
    val footer = new FooterReader(conf).read(file, FileColumns.All)
    val details = new RowGroupDetails(
      file,
      footer,
      new RowGroupFacts(footer, settings),
      Storage(conf),
      maxBytes
    )
    try body(details)
    finally details.close()
  }

  /** Whether nothing is found about the column, and nothing was read. */
  private def isSilent(details: RowGroupDetails, column: LeafColumn = c): Boolean =
    !details.exist(column, 0) && details.narrow(column, 0, known) == known &&
      !details.exclude(column, 0, 1) && details.bytesRead == 0

  test("should narrow a column to the values of its dictionary, read once") {
    details(write(withDictionary)) { details =>
      assert(details.exist(c, 0) && details.bytesRead == 0, "whether there is one is told by the footer")
      assert(details.narrow(c, 0, known) == ColumnFacts(Values.Finite(evens), Nulls.No))
      val read = details.bytesRead
      assert(read > 0)
      assert(details.narrow(c, 0, known.copy(nulls = Nulls.Unknown)).nulls == Nulls.Unknown)
      assert(details.bytesRead == read)
    }
  }

  test("should exclude the values that a bloom filter lacks, read once") {
    details(write(withFilter)) { details =>
      assert(details.exist(c, 0) && details.bytesRead == 0)
      assert(evens.forall(!details.exclude(c, 0, _)), "no value that is there")
      val read = details.bytesRead
      assert((1 until 200 by 2).count(details.exclude(c, 0, _)) > 80)
      assert(details.bytesRead == read && read > 0)
      assert(details.narrow(c, 0, known) == known, "there is no dictionary")
    }
  }

  test("should read nothing if the file has neither") {
    details(write(plain))(details => assert(isSilent(details)))
  }

  test("should read nothing of a column that is missing, unclear, or of another type than the table's") {
    for (options <- Seq(withDictionary, withFilter)) {
      val path = write(options)
      details(path)(details => assert(isSilent(details, column("other"))))
      details(path)(details => assert(isSilent(details, column("c", DateType)), "line 29"))
      details(path, settings = settings.copy(byFieldId = true))(details =>
        assert(isSilent(details), "line 31")
      )
    }
  }

  test("should read nothing that is larger than allowed") {
    val path = write(withDictionary)
    details(path, maxBytes = 400)(details => assert(isSilent(details), "the footer tells the size"))
    details(path, maxBytes = 450)(details => assert(details.narrow(c, 0, known) != known))
  }

  test("should not read a dictionary of many values, unless they have no range") {
    val many = (0 until 20000).flatMap(Seq.fill(4)(_))
    val path = OneColumn.write(folder.resolve("many.parquet"), "required int32 c", many)(
      _.withDictionaryPageSize(1 << 20)
    )
    val between = ColumnFacts(Range(0, 19999), Nulls.No)
    details(path) { details =>
      assert(details.hasDictionary(c, 0) && !details.exist(c, 0, between) && details.exist(c, 0))
      assert(details.narrow(c, 0, between) == between && details.firstPart(c, 0, between).isEmpty)
      assert(details.bytesRead == 0 && details.valuesDecoded == 0)
      assert(details.narrow(c, 0, ColumnFacts(Values.Unknown, Nulls.No)) == between)
      assert(details.valuesDecoded == 20000)
    }
  }

  test("line 48: should not trust a filter that excludes the chunk's own min or max") {
    val believed = details(write(withFilter))(details => (1 until 200 by 2).find(details.exclude(c, 0, _)))
    for (change <- Seq(-1 -> 198, 0 -> 199)) {
      val path = OneColumn.edit(write(withFilter)) { chunk =>
        chunk.getStatistics.setMin_value(RawChunk.plain(change._1)).setMax_value(RawChunk.plain(change._2))
      }
      details(path) { details =>
        assert(believed.exists(value => !details.exclude(c, 0, value)), s"$change is not in the filter")
      }
    }
  }

  test("line 51: should not use the filter of a writer that is not trusted") {
    val path = FooterEdit(write(withFilter))(_.unsetCreated_by())
    details(path)(details => assert(isSilent(details)))
  }

  test("should return no facts for a row group that does not exist") {
    details(write(withDictionary)) { details =>
      assert(!details.exist(c, 1) && details.narrow(c, 1, known) == known)
    }
  }
}
