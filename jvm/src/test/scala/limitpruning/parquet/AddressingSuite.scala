package limitpruning.parquet

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

  test("a file whose row groups share a midpoint is not addressed at all") {
    val metadata = raw.metadata
    metadata.getRow_groups.get(1).getColumns.get(0).getMeta_data.setData_page_offset(4)
    assert(Addressing.of(raw.footer(metadata), Seq(3)).isEmpty)
  }
}
