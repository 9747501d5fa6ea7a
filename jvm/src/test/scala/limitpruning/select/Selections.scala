package limitpruning.select

/** Builds selections for tests: `file("a", 0 -> 10L, 1 -> 20L)` is row groups 0 and 1, of 10 and 20 bytes. */
object Selections {

  val someVersion: FileVersion = FileVersion(1, 1, 1, 1)

  def file(path: String, rowGroups: (Int, Long)*): SelectedFile =
    SelectedFile(
      path,
      FileVersion(1000, 0, 10, 20),
      rowGroups.map { case (ordinal, bytes) => rowGroup(ordinal, bytes) }
    )

  def rowGroup(ordinal: Int, bytes: Long, rows: Long = 100): SelectedRowGroup =
    SelectedRowGroup(
      ordinal,
      rows,
      start = ordinal * 100L,
      bytes = bytes,
      columns = Map(Seq("c") -> ColumnBytes(bytes)),
      ranges = RowRange.all(rows)
    )
}
