package limitpruning.rows

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.ByteBuffer

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{BoundReference, Expression, UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.{DoubleType, FloatType}
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.predicate.SupportedTypes

/**
 * One row of each of any groups. Rows are in one group if the bytes of their keys are equal, as in Spark's own aggregation; see
 * [[RowsOfGroups.canCompare]].
 *
 * @param limit groups that are needed
 */
private[rows] final class RowsOfGroups(limit: Int, scan: PositionScan) extends CollectedRows {
  import RowsOfGroups._

  private val references = keysOf(scan)
  private val keys = mutable.HashSet.empty[ByteBuffer]
  private val rows = mutable.LinkedHashMap.empty[UTF8String, mutable.ArrayBuilder.ofLong]
  private var bytes = 0L
  private var areRead = true
  private var areTooLarge = false

  // A task that finds groups that other tasks have found, too, must go on until it has found enough by itself.
  override def inTask(tasks: Int): Iterator[InternalRow] => Array[Byte] =
    first(limit, references, MostBytes / tasks)

  override def add(results: Seq[Array[Byte]]): Unit = results.foreach { result =>
    val part = Part.ofBytes(result)
    areRead &&= part.end == AllRead
    areTooLarge ||= part.end == TooLarge
    part.groups.foreach { group =>
      if (keys.size < limit && keys.add(ByteBuffer.wrap(group.key))) {
        bytes += group.key.length
        rows.getOrElseUpdate(group.path, new mutable.ArrayBuilder.ofLong) += group.row
      }
    }
  }

  /** A task may return as many keys as are needed. Some are twice as large as others. */
  override def mostTasks: Int =
    if (keys.isEmpty) Int.MaxValue
    else (MostBytes / (2 * limit * (bytes / keys.size).max(1L))).min(Int.MaxValue.toLong).toInt

  override def found: Long = keys.size.toLong
  override def areAll: Boolean = areRead
  override def isTooLarge: Boolean = areTooLarge && found < limit

  override def positions: Seq[Positions] =
    rows.iterator.map { case (path, inFile) => Positions(path.toString, inFile.result()) }.toVector
}

private[rows] object RowsOfGroups {

  /** Whether keys are equal if and only if their bytes are. Floats have two zeros and many NaN, which are equal. */
  def canCompare(keys: Seq[Expression]): Boolean = keys.forall(_.dataType match {
    case FloatType | DoubleType => false
    case other => SupportedTypes.contains(other)
  })

  /** The keys of groups in a row of a [[PositionScan]]. */
  def keysOf(scan: PositionScan): Seq[BoundReference] =
    scan.groupKeys.map(i => BoundReference(i, scan.planned.output(i).dataType, nullable = true))

  /** The keys that all tasks of a job return are on the driver. */
  private val MostBytes = 64L * 1024 * 1024

  private val AllRead = 0
  private val Enough = 1
  private val TooLarge = 2

  /** The first row of a group. */
  private final case class Group(path: UTF8String, row: Long, key: Array[Byte])

  private def first(
      limit: Int,
      references: Seq[BoundReference],
      mostBytes: Long
  ): Iterator[InternalRow] => Array[Byte] = { rows =>
    val keyOf = UnsafeProjection.create(references)
    val keys = mutable.LinkedHashMap.empty[UnsafeRow, (UTF8String, Long)]
    var path = UTF8String.EMPTY_UTF8
    var bytes = 0L
    var isTooLarge = false
    while (keys.size < limit && !isTooLarge && rows.hasNext) {
      val row = rows.next()
      val key = keyOf(row)
      if (!keys.contains(key)) {
        bytes += key.getSizeInBytes
        isTooLarge = bytes > mostBytes
        if (!isTooLarge) {
          // The row is overwritten by the next one.
          if (Positions.pathOf(row) != path) path = Positions.pathOf(row).copy()
          keys.update(key.copy(), (path, Positions.rowOf(row)))
        }
      }
    }
    val end = if (keys.size >= limit) Enough else if (isTooLarge) TooLarge else AllRead
    Part(end, keys.iterator.map { case (key, (in, row)) => Group(in, row, key.getBytes) }.toVector).toBytes
  }

  /**
   * What a task returns.
   *
   * @param end why it stopped
   */
  private final case class Part(end: Int, groups: Seq[Group]) {
    def toBytes: Array[Byte] = {
      val bytes = new ByteArrayOutputStream
      val out = new DataOutputStream(bytes)
      def write(part: Array[Byte]): Unit = {
        out.writeInt(part.length)
        out.write(part)
      }
      out.writeInt(end)
      // In the order of reading.
      val byPath = mutable.LinkedHashMap.empty[UTF8String, mutable.ArrayBuffer[Group]]
      groups.foreach(group => byPath.getOrElseUpdate(group.path, mutable.ArrayBuffer.empty) += group)
      out.writeInt(byPath.size)
      byPath.foreach { case (path, inFile) =>
        write(path.getBytes)
        out.writeInt(inFile.size)
        inFile.foreach { group =>
          out.writeLong(group.row)
          write(group.key)
        }
      }
      bytes.toByteArray
    }
  }

  private object Part {
    def ofBytes(bytes: Array[Byte]): Part = {
      val in = new DataInputStream(new ByteArrayInputStream(bytes))
      def read(): Array[Byte] = {
        val part = new Array[Byte](in.readInt())
        in.readFully(part)
        part
      }
      val end = in.readInt()
      val groups = Vector.fill(in.readInt()) {
        val path = UTF8String.fromBytes(read())
        Vector.fill(in.readInt())(Group(path, in.readLong(), read()))
      }
      Part(end, groups.flatten)
    }
  }
}
