package limitpruning.search

import org.apache.spark.Partition
import org.apache.spark.sql.execution.datasources.{FilePartition, PartitionedFile}

import limitpruning.predicate.MatchState

/**
 * In which row groups metadata prove or promise rows, and in which they exclude them. It decides in which order partitions of a
 * scan are searched for any rows. Immutable. It does not depend on what is inspected later, or freed: two copies of a plan
 * search in the same order.
 *
 * @param ranks by the path of a file, for each of its row groups that is classified, its midpoint and its rank
 */
private[limitpruning] final class LikelyRowGroups private (ranks: Map[String, Seq[(Long, Int)]]) {
  import LikelyRowGroups._

  /**
   * The order of reading: first partitions in which metadata prove or promise rows, then those about which nothing is known, then
   * those in which rows are not likely, and last those in which no row matches.
   *
   * @param partitions of Spark's own scan of files; others stay in their order
   */
  def order(partitions: Array[Partition]): PartitionOrder =
    if (ranks.isEmpty) PartitionOrder(partitions.indices, partitions.length)
    else {
      val ranked = partitions.indices.map(i => ofPartition(partitions(i)) -> i).sorted
      PartitionOrder(ranked.map(_._2), ranked.count(_._1 < NotMatching))
    }

  private def ofPartition(partition: Partition): Int = partition match {
    case files: FilePartition if files.files.nonEmpty => files.files.iterator.map(ofPiece).min
    case _ => Unknown
  }

  private def ofPiece(piece: PartitionedFile): Int =
    ranks.get(piece.filePath.toPath.toString).fold(Unknown) { known =>
      val within = known.filter { case (midpoint, _) =>
        piece.start <= midpoint && midpoint < piece.start + piece.length
      }
      if (within.isEmpty) NotMatching else within.map(_._2).min
    }
}

/**
 * The order in which partitions are searched.
 *
 * @param ordinals of all partitions
 * @param mayMatch how many of them, from the first on, may have a row
 */
private[limitpruning] final case class PartitionOrder(ordinals: IndexedSeq[Int], mayMatch: Int)

private[limitpruning] object LikelyRowGroups {

  /** Nothing is known. */
  val none: LikelyRowGroups = new LikelyRowGroups(Map.empty)

  /** @param found the result of a search of metadata */
  def of(found: Either[NotPruned, LimitPlan]): LikelyRowGroups =
    found.fold(_.inspected, _.inspected).flatMap(_.map((files, _) => of(files))).getOrElse(none)

  private def of(files: Seq[ClassifiedFile]): LikelyRowGroups =
    // Two partitions of a table may have the same file.
    new LikelyRowGroups(files.groupBy(_.listed.path).map { case (path, same) =>
      path -> same.flatMap(file =>
        file.rowGroups.indices.map(i => file.footer.offsets.midpoints(i) -> rank(file.rowGroups(i)))
      )
    })

  private val Likely = 0
  private val Unknown = 1
  private val Unlikely = 2
  private val NotMatching = 3

  /** Row groups with a lower rank are searched first. */
  private[search] def rank(rowGroup: ClassifiedRowGroup): Int =
    if (rowGroup.matching.nonEmpty || rowGroup.isLikely) Likely
    else if (rowGroup.state == MatchState.NotMatching) NotMatching
    else if (rowGroup.isUnlikely) Unlikely
    else Unknown
}
