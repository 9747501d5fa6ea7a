package limitpruning.rows

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}
import java.nio.charset.StandardCharsets.UTF_8

import scala.collection.mutable

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.select.RowRange

/**
 * The positions of rows in one file.
 *
 * @param path as Spark's metadata column `file_path` has it
 * @param rows counted from 0 in the file, in any order, each once
 */
private[rows] final case class Positions(path: String, rows: Array[Long]) {

  /**
   * The rows by row group: the position of the row group in the file, and the ranges of its rows. None if the file has
   * fewer rows.
   *
   * @param rowGroups the number of rows of each row group of the file
   */
  def byRowGroup(rowGroups: IndexedSeq[Long]): Option[Seq[(Int, Seq[RowRange])]] = {
    val sorted = rows.sorted
    val ends = rowGroups.scanLeft(0L)(_ + _).tail.toArray
    if (sorted.lastOption.exists(row => ends.lastOption.forall(row >= _))) None
    else {
      val byGroup = mutable.LinkedHashMap.empty[Int, Vector[RowRange]]
      var ordinal = 0
      sorted.foreach { row =>
        while (row >= ends(ordinal)) ordinal += 1
        val inGroup = row - ends(ordinal) + rowGroups(ordinal)
        byGroup(ordinal) = byGroup.getOrElse(ordinal, Vector.empty) :+ RowRange(inGroup, inGroup + 1)
      }
      Some(byGroup.toSeq.map { case (ordinal, ranges) => ordinal -> RowRange.joined(ranges) })
    }
  }
}

private[rows] object Positions {

  /** In a row of a [[PositionScan]]. */
  def pathOf(row: InternalRow): UTF8String = row.getUTF8String(PositionScan.Path)

  /** In a row of a [[PositionScan]]. */
  def rowOf(row: InternalRow): Long = row.getLong(PositionScan.Row)

  /** The positions of the first `limit` rows, by file. */
  def first(rows: Iterator[InternalRow], limit: Int): Seq[Positions] = {
    val found = mutable.LinkedHashMap.empty[UTF8String, mutable.ArrayBuilder[Long]]
    var count = 0
    while (count < limit && rows.hasNext) {
      val row = rows.next()
      val path = pathOf(row)
      // The row is overwritten by the next one.
      val of = found.getOrElse(path, found.getOrElseUpdate(path.copy(), new mutable.ArrayBuilder.ofLong))
      of += rowOf(row)
      count += 1
    }
    found.iterator.map { case (path, inFile) => Positions(path.toString, inFile.result()) }.toVector
  }

  def toBytes(positions: Seq[Positions]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(bytes)
    out.writeInt(positions.size)
    positions.foreach { some =>
      val path = some.path.getBytes(UTF_8)
      out.writeInt(path.length)
      out.write(path)
      out.writeInt(some.rows.length)
      some.rows.foreach(out.writeLong)
    }
    bytes.toByteArray
  }

  /** @param bytes the result of [[toBytes]] */
  def ofBytes(bytes: Array[Byte]): Seq[Positions] = {
    val in = new DataInputStream(new ByteArrayInputStream(bytes))
    Vector.fill(in.readInt()) {
      val path = new Array[Byte](in.readInt())
      in.readFully(path)
      Positions(new String(path, UTF_8), Array.fill(in.readInt())(in.readLong()))
    }
  }

  /** The first `limit` rows of all of these, by file. */
  def merged(all: Seq[Positions], limit: Int): Seq[Positions] = {
    val byPath = mutable.LinkedHashMap.empty[String, mutable.ArrayBuilder[Long]]
    var missing = limit
    all.iterator.takeWhile(_ => missing > 0).foreach { some =>
      val rows = some.rows.take(missing)
      byPath.getOrElseUpdate(some.path, new mutable.ArrayBuilder.ofLong) ++= rows
      missing -= rows.length
    }
    byPath.iterator.map { case (path, rows) => Positions(path, rows.result()) }.toVector
  }
}
