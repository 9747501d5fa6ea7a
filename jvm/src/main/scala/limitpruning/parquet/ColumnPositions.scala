package limitpruning.parquet

import java.util.IdentityHashMap

import scala.collection.mutable

/**
 * The positions of some columns in the row groups of files. Row groups share the paths of their columns, so names are
 * compared once. Not thread-safe.
 *
 * @param isWanted whether a top-level column is meant, by its name in the file
 */
private[limitpruning] final class ColumnPositions(isWanted: String => Boolean) {
  private val known = new IdentityHashMap[IndexedSeq[Seq[String]], mutable.BitSet]

  def apply(footer: Footer, rowGroup: Int): mutable.BitSet =
    known.computeIfAbsent(
      footer.places.paths(rowGroup),
      paths => mutable.BitSet.empty ++= paths.indices.iterator.filter(i => isWanted(paths(i).head))
    )
}
