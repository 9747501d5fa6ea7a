package limitpruning.parquet

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}

import scala.collection.immutable.ArraySeq
import scala.jdk.CollectionConverters._
import scala.util.Random

import org.apache.parquet.format.{FileMetaData, Util}
import org.apache.parquet.format.converter.ParquetMetadataConverter
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.{ColumnBytes, RowRange, SelectedRowGroup, Selections}
import limitpruning.testing.{RawChunk, RawFooter}

class AddressingSuite extends AnyFunSuite {
  private val raw = (1 to 4).foldLeft(RawFooter("required int32 a; required group g { required int32 b; }")) {
    (footer, i) => footer.rowGroup(10L * i, RawChunk.silent, RawChunk.silent)
  }

  test("selected row groups are addressed by their midpoints, with rows and the bytes of each leaf column") {
    val bytes = Selections.columns(Seq("a") -> ColumnBytes(100), Seq("g", "b") -> ColumnBytes(100))
    val expected = Seq(
      SelectedRowGroup(1, 20, 304, 200, bytes, RowRange.all(20)),
      SelectedRowGroup(3, 40, 704, 200, bytes, RowRange.all(40))
    )
    assert(Addressing.of(raw.footer, Seq(1, 3)).contains(expected))
    val narrowed = NarrowedFooter.of(raw.metadata, FileColumns.named(Nil, read = Seq("g")), FooterSeal(1, 1))
    val onlyRead = Selections.columns(Seq("g", "b") -> ColumnBytes(100))
    assert(Addressing.of(Footer.of(narrowed), Seq(1, 3)).contains(expected.map(_.copy(columns = onlyRead))))
  }

  test("the bytes of columns are not boxed") {
    val Some(Seq(one)) = Addressing.of(raw.footer, Seq(1)): @unchecked
    assert(one.columns.lengths.isInstanceOf[ArraySeq.ofLong])
  }

  test("a file whose row groups share a midpoint is not addressed at all") {
    val metadata = raw.metadata
    metadata.getRow_groups.get(1).getColumns.get(0).getMeta_data.setData_page_offset(4)
    assert(Addressing.of(raw.footer(metadata), Seq(3)).isEmpty)
  }

  /** A footer in which row group `i` has this many rows, and the offset that is given, with pages of 100 bytes. */
  private def placed(rowGroups: (Long, Long)*): FileMetaData = {
    val footer = rowGroups.foldLeft(RawFooter("required int32 a;")) { case (footer, (rows, _)) =>
      footer.rowGroup(rows, RawChunk.silent)
    }
    val metadata = footer.metadata
    for (((rows, offset), i) <- rowGroups.zipWithIndex) {
      val chunk = metadata.getRow_groups.get(i).getColumns.get(0).getMeta_data
      chunk.setData_page_offset(offset): Unit
      if (rows == 0) chunk.setTotal_compressed_size(0): Unit
      metadata.getRow_groups.get(i).setTotal_compressed_size(chunk.getTotal_compressed_size): Unit
    }
    metadata
  }

  private def addressed(metadata: FileMetaData, ordinals: Int*): Option[Seq[SelectedRowGroup]] =
    Addressing.of(Footer.of(NarrowedFooter.of(metadata, FileColumns.All, FooterSeal(1, 1))), ordinals)

  test("line 87: row groups without rows do not matter, wherever their offsets are") {
    val withEmpty = placed(0L -> 0L, 10L -> 4L, 0L -> 0L, 0L -> 0L, 20L -> 104L, 0L -> 900L)
    assert(addressed(withEmpty, 1, 4).exists(_.map(_.ordinal) == Seq(1, 4)))
    assert(addressed(withEmpty, 4).nonEmpty)
  }

  test("line 87: a row group without rows that the bytes of others would select is not addressed") {
    val among = placed(10L -> 4L, 20L -> 104L, 0L -> 100L)
    assert(addressed(among, 0, 1).isEmpty, "the midpoints are 54 and 154")
    assert(addressed(among, 0).nonEmpty && addressed(among, 1).nonEmpty)
    assert(addressed(placed(10L -> 4L, 0L -> 54L), 0).isEmpty, "they coincide")
  }

  test("line 87: what is addressed is what parquet-java selects, in random files with empty row groups") {
    val random = new Random(7)
    val outcomes = for (_ <- 0 until 1000) yield {
      val offsets = random.shuffle((0 to 7).toList).take(2 + random.nextInt(4)).sorted.map(4L + 50L * _)
      val rowGroups = offsets.map { offset =>
        if (random.nextInt(3) > 0) 10L + random.nextInt(9) -> offset
        else 0L -> (if (random.nextBoolean()) 0L else 4L + random.nextInt(400))
      }
      val metadata = placed(rowGroups: _*)
      val withRows = rowGroups.indices.filter(rowGroups(_)._1 > 0)
      val ordinals = withRows.filter(_ => random.nextInt(4) > 0)
      if (ordinals.isEmpty) None
      else {
        val found = addressed(metadata, ordinals: _*)
        for {
          selected <- found.toSeq
          Seq(first, last) <- Seq.tabulate(selected.size, selected.size)((i, j) => Seq(i, j)).flatten
          run = selected.slice(first, last + 1)
          if run.nonEmpty && run.last.ordinal - run.head.ordinal == run.size - 1
        } assert(
          inRange(metadata, run.head.start, run.last.start + 1) == run.map(_.rows),
          s"$rowGroups, $ordinals"
        )
        Some(found.nonEmpty)
      }
    }
    assert(outcomes.flatten.count(identity) > 300 && outcomes.flatten.count(!_) > 20)
  }

  /** The rows of the row groups that parquet-java reads of a range of bytes. */
  private def inRange(metadata: FileMetaData, start: Long, end: Long): Seq[Long] = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(metadata, out)
    val range = ParquetMetadataConverter.range(start, end)
    FooterConverter().readParquetMetadata(new ByteArrayInputStream(out.toByteArray), range)
      .getBlocks.asScala.map(_.getRowCount).toSeq
  }
}
