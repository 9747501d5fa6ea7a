package limitpruning.rows

import org.apache.spark.Partition
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}

import limitpruning.predicate.MatchState
import limitpruning.search.ClassifiedFile

/**
 * The order in which partitions of a scan are searched for any rows: first those in which metadata prove or promise rows, then
 * those about which nothing is known, and then those in which no row is likely, or none matches.
 */
private[rows] object LikelyPartitionsFirst {

  /**
   * @param partitions of Spark's own scan of files; others stay in their order
   * @param inspected the files whose row groups are classified; others may be read, too
   * @return the ordinals of all partitions
   */
  def apply(partitions: Array[Partition], inspected: Seq[ClassifiedFile]): IndexedSeq[Int] = {
    // Two partitions of a table may have the same file.
    val ranks = inspected.groupBy(_.listed.path).map { case (path, files) =>
      path -> files.flatMap(file =>
        file.rowGroups.indices.map(i => file.footer.offsets.midpoints(i) -> rank(file, i))
      )
    }
    def ofPiece(piece: PartitionedFile): Int =
      ranks.get(piece.filePath.toPath.toString).fold(Unknown) { known =>
        val within = known.filter { case (midpoint, _) =>
          piece.start <= midpoint && midpoint < piece.start + piece.length
        }
        if (within.isEmpty) NotMatching else within.map(_._2).min
      }
    def ofPartition(partition: Partition): Int = partition match {
      case files: FilePartition if files.files.nonEmpty => files.files.iterator.map(ofPiece).min
      case _ => Unknown
    }
    if (ranks.isEmpty) partitions.indices
    else partitions.indices.map(i => ofPartition(partitions(i)) -> i).sorted.map(_._2)
  }

  private val Proved = 0
  private val Unknown = 1
  private val Unlikely = 2
  private val NotMatching = 3

  private def rank(file: ClassifiedFile, rowGroup: Int): Int = {
    val known = file.rowGroups(rowGroup)
    if (known.state == MatchState.FullyMatching || known.isLikely) Proved
    else if (known.state == MatchState.NotMatching) NotMatching
    else if (known.isUnlikely) Unlikely
    else Unknown
  }
}
