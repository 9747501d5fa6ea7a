package limitpruning.parquet

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{Path => HadoopPath}
import org.apache.parquet.HadoopReadOptions
import org.apache.parquet.format.FileMetaData
import org.apache.parquet.hadoop.ParquetFileReader
import org.apache.parquet.hadoop.metadata.ColumnPath
import org.apache.parquet.hadoop.util.HadoopInputFile
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{FooterEdit, ParquetFixture, RawChunk, RawFooter, TempFolder}

class FooterSuite extends AnyFunSuite with TempFolder {
  private val conf = new Configuration()
  private val fixture = ParquetFixture("optional int32 a; optional binary s (STRING);")

  /** Row groups of very different sizes. */
  private val uneven = Seq(1, 300, 2, 2, 50, 1).zipWithIndex.foldLeft(fixture) { case (file, (rows, group)) =>
    file.rowGroup((0 until rows).map(i => Seq[Any](group * 1000 + i, s"text ${i % 10}")): _*)
  }
  private val many = (0 until 60).foldLeft(fixture)((file, i) => file.rowGroup(Seq(i, i.toString)))

  /** The first bytes of the row groups that parquet-java itself reads for a byte range. */
  private def ranged(path: Path, from: Long, until: Long): Seq[Long] = {
    val file = new HadoopPath(path.toUri)
    val options = HadoopReadOptions.builder(conf, file).withRange(from, until).build()
    val reader = ParquetFileReader.open(HadoopInputFile.fromPath(file, conf), options)
    try reader.getRowGroups.asScala.map(_.getStartingPos).toSeq
    finally reader.close()
  }

  private def agrees(name: String, file: ParquetFixture)(edit: FileMetaData => Any): Unit =
    test(s"the midpoints select what parquet-java's own range reading selects: $name") {
      val path = FooterEdit(file.write(folder.resolve(s"$name.parquet")))(edit)
      val footer = new FooterReader(conf).read(status(path), FileColumns.All)
      val starts = footer.rowGroups.map(_.getStartingPos)
      assert(starts.distinct.size == footer.rowGroups.size)
      for ((midpoint, i) <- footer.offsets.midpoints.zipWithIndex)
        assert(ranged(path, midpoint, midpoint + 1) == Seq(starts(i)), s"for row group $i")
      for (first <- starts.indices by 3; last <- first until starts.size by 5) {
        assert(footer.offsets.selectsExactly(first to last))
        assert(ranged(path, footer.offsets.midpoints(first), footer.offsets.midpoints(last) + 1) ==
          starts.slice(first, last + 1))
      }
    }

  agrees("row groups of uneven sizes", uneven)(_ => ())
  agrees("dictionary pages", uneven.withDictionary)(_ => ())
  agrees("many row groups", many)(_ => ())
  agrees(
    "no size of a row group",
    uneven.withDictionary
  )(_.getRow_groups.forEach(_.unsetTotal_compressed_size()))

  test(
    "a dictionary page offset of 0, as old writers put it, moves the midpoint as it does in parquet-java"
  ) {
    val path = FooterEdit(uneven.write(folder.resolve("zero.parquet"))) { raw =>
      raw.getRow_groups.asScala.map(_.getColumns.get(0).getMeta_data.setDictionary_page_offset(0))
    }
    val footer = new FooterReader(conf).read(status(path), FileColumns.All)
    for (i <- footer.rowGroups.indices if footer.offsets.selectsExactly(Seq(i)))
      assert(ranged(path, footer.offsets.midpoints(i), footer.offsets.midpoints(i) + 1).size == 1)
    for (i <- footer.rowGroups.indices)
      assert(
        ranged(path, footer.offsets.midpoints(i), footer.offsets.midpoints(i) + 1).nonEmpty,
        s"for row group $i"
      )
  }

  private val three = RawFooter("required int32 a;")
    .rowGroup(10, RawChunk.silent)
    .rowGroup(20, RawChunk.silent)
    .rowGroup(30, RawChunk.silent)

  test("row groups are selected exactly if their midpoints ascend") {
    val footer = three.footer
    assert(footer.offsets.midpoints == Seq(54, 154, 254))
    for (first <- 0 to 2; last <- first to 2) assert(footer.offsets.selectsExactly(first to last))
  }

  test("two row groups with one midpoint, or in another order than their bytes, cannot be separated") {
    def moved(group: Int, offset: Long): Footer = {
      val raw = three.metadata
      raw.getRow_groups.get(group).getColumns.get(0).getMeta_data.setData_page_offset(offset)
      three.footer(raw)
    }
    val coinciding = moved(1, 4)
    assert(coinciding.offsets.midpoints == Seq(54, 54, 254))
    val swapped = moved(2, 50)
    for (first <- 0 to 2; last <- first to 2) {
      assert(!coinciding.offsets.selectsExactly(first to last))
      assert(!swapped.offsets.selectsExactly(first to last))
    }
  }

  test("a chunk is found by its position among the leaves, and by its name") {
    val footer = RawFooter("required group g { required int32 a; } required int32 a;")
      .rowGroup(10, RawChunk.between(1, 2), RawChunk.between(3, 4))
      .footer
    assert(footer.statement(0, 1, ColumnPath.get("a")).flatMap(_.minMax).contains((3, 4)))
    assert(footer.statement(0, 0, ColumnPath.get("a")).isEmpty, "this is g.a")
    assert(footer.statement(0, 1, ColumnPath.get("b")).isEmpty)
    assert(footer.statement(0, -1, ColumnPath.get("a")).isEmpty)
    assert(footer.statement(0, 2, ColumnPath.get("a")).isEmpty)
  }
}
