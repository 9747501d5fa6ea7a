package limitpruning.parquet

import scala.jdk.CollectionConverters._

import limitpruning.select.{ColumnBytes, RowRange, SelectedRowGroup}

/** Says by which bytes of its file each chosen row group is read. */
object Addressing {

  /**
   * @param ordinals row groups of the footer, ascending and not empty
   * @return the row groups as a scan can address them, whole, or none where byte ranges do not tell them apart
   */
  def of(footer: Footer, ordinals: Seq[Int]): Option[Seq[SelectedRowGroup]] =
    if (footer.places.selectsExactly(ordinals.head, ordinals.last)) Some(ordinals.map { i =>
      val rowGroup = footer.rowGroups(i)
      val columns =
        rowGroup.getColumns.asScala.map(c => c.getPath.toArray.toSeq -> ColumnBytes(c.getTotalSize)).toMap
      val rows = rowGroup.getRowCount
      SelectedRowGroup(
        i,
        rows,
        footer.places.midpoints(i),
        footer.places.bytes(i),
        columns,
        RowRange.all(rows)
      )
    })
    else None
}
