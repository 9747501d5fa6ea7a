package limitpruning.search

import java.nio.file.Files

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.{FileColumns, FooterReader, ReadSettings}
import limitpruning.scan.EnoughRows
import limitpruning.testing.{ParquetFixture, TempFolder}

class FindEnoughRowsSuite extends AnyFunSuite with TempFolder {
  private val a = AttributeReference("a", IntegerType)()
  private val conf = new Configuration(false)

  /** Row groups of ten rows each. For `a >= 100`: partially, fully, fully, not, fully matching. */
  private lazy val file: FileStatus = status(
    Seq(95, 100, 110, 0, 200).foldLeft(ParquetFixture("required int32 a;")) { (file, start) =>
      file.rowGroup((start until start + 10).map(Seq(_)): _*)
    }.write(folder.resolve("unseen.parquet"))
  )
  private lazy val midpoints = new FooterReader(conf).read(file, FileColumns.All).offsets.midpoints

  private def find(
      limit: Int,
      of: FileStatus = file,
      from: Long = 0,
      length: Long = Long.MaxValue / 2
  ): Option[EnoughRows] = new FindEnoughRows(
    limit,
    Seq(GreaterThanOrEqual(a, Literal(100))),
    Seq(a),
    new StructType,
    ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED"),
    FileColumns.named(Seq("a"))
  )(of, InternalRow.empty, from, length, conf)

  private def range(first: Int, last: Int): (Long, Long) =
    (midpoints(first), midpoints(last) + 1 - midpoints(first))

  test("finds the first fully matching row groups with enough rows, and joins neighbours") {
    assert(find(1).map(_.ranges) == Some(Seq(range(1, 1))))
    assert(find(10).map(_.rowGroups) == Some(1))
    assert(find(11).map(_.ranges) == Some(Seq(range(1, 2))))
    assert(find(21).map(_.ranges) == Some(Seq(range(1, 2), range(4, 4))))
  }

  test("finds nothing if they do not have enough rows") {
    assert(find(30).nonEmpty)
    assert(find(31).isEmpty && find(Int.MaxValue).isEmpty)
  }

  test("in a part of a file, finds the row groups whose midpoint is in it") {
    assert(find(10, from = midpoints(2), length = 1).map(_.ranges) == Some(Seq(range(2, 2))))
    assert(find(11, from = midpoints(2), length = 1).isEmpty)
    assert(find(10, from = midpoints(2) + 1).map(_.ranges) == Some(Seq(range(4, 4))))
    assert(find(10, length = midpoints(1)).isEmpty)
  }

  test("finds nothing in a file without a footer") {
    assert(find(1, of = status(Files.writeString(folder.resolve("text"), "no Parquet at all"))).isEmpty)
  }
}
