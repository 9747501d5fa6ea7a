package limitpruning.select

/** Builds selections for tests: `file("a", 0 -> 10L, 1 -> 20L)` is row groups 0 and 1, of 10 and 20 bytes. */
object Selections {

  def file(path: String, rowGroups: (Int, Long)*): SelectedFile =
    SelectedFile(path, 1000, 0, rowGroups.map { case (ordinal, bytes) => rowGroup(ordinal, bytes) })

  def rowGroup(ordinal: Int, bytes: Long, rows: Long = 100): SelectedRowGroup =
    SelectedRowGroup(
      ordinal,
      rows,
      start = ordinal * 100L,
      columns = Map(Seq("c") -> ColumnBytes(bytes)),
      ranges = RowRange.all(rows)
    )
}
