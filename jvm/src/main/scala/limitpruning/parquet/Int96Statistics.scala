package limitpruning.parquet

import java.nio.ByteBuffer

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{FileMetaData, SchemaElement, Type}
import org.apache.parquet.io.api.Binary

/**
 * Min and max of the INT96 columns of a footer that are in the order of time, which the format defines as
 * `INT96_TIMESTAMP_ORDER`. The versions of parquet-java that Spark has do not return them. In any other order, min and max
 * of INT96 mean nothing: writers compared the bytes in different ways. Immutable.
 *
 * @param leaves the columns that have this order, whether or not they have min and max
 * @param ends min and max by row group and leaf
 */
private[parquet] final class Int96Statistics private (
    leaves: Set[Int],
    ends: Map[(Int, Int), (Binary, Binary)]
) {

  /** Whether min and max of the column, in chunks and in pages, are in the order of time. */
  def areInOrderOfTime(leaf: Int): Boolean = leaves(leaf)

  def minMax(rowGroup: Int, leaf: Int): Option[(Any, Any)] = ends.get((rowGroup, leaf))

  /** The approximate memory in bytes. */
  def size: Int = ends.size * 300
}

private[parquet] object Int96Statistics {

  /** The number of the order in the format. */
  val OrderOfTime = 3

  /** @param orders the leaves whose order is not that of their type, with the number of this order */
  def of(raw: FileMetaData, orders: Map[Int, Int]): Int96Statistics = {
    val types =
      raw.getSchema.asScala.iterator.filter(_.isSetType).map((e: SchemaElement) => e.getType).toIndexedSeq
    val leaves = orders.collect {
      case (leaf, OrderOfTime) if types.lift(leaf).contains(Type.INT96) => leaf
    }.toSet
    val ends = for {
      leaf <- leaves.iterator
      (rowGroup, ordinal) <- raw.getRow_groups.asScala.iterator.zipWithIndex
      chunk <- rowGroup.getColumns.asScala.lift(leaf)
      statistics <- Option(chunk.getMeta_data.getStatistics)
      if statistics.isSetMin_value && statistics.isSetMax_value
    } yield (ordinal, leaf) -> ((binary(statistics.min_value), binary(statistics.max_value)))
    new Int96Statistics(leaves, ends.toMap)
  }

  private def binary(bytes: ByteBuffer): Binary = {
    val copy = new Array[Byte](bytes.remaining)
    bytes.duplicate().get(copy)
    Binary.fromConstantByteArray(copy)
  }
}
