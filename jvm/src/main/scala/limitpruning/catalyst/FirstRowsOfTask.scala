package limitpruning.catalyst

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.SparkEnv
import org.apache.spark.io.LZ4CompressionCodec
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{UnsafeProjection, UnsafeRow}
import org.apache.spark.sql.types.DataType

/** The first rows of a task, which it sends to the driver as bytes that LZ4 compresses, Spark's default. */
private object FirstRowsOfTask {

  /**
   * It runs on executors, so it must not capture the plan.
   *
   * @param types of the columns
   * @return parts of a few megabytes, which need no large array
   */
  def toBytes(n: Int, types: Array[DataType]): Iterator[InternalRow] => Array[Array[Byte]] = { rows =>
    lazy val converted = UnsafeProjection.create(types)
    val first = rows.take(n).map {
      case same: UnsafeRow => same
      case other => converted(other) // such as those of other readers
    }
    Iterator.continually(first).takeWhile(_.hasNext).map(part).toArray
  }

  /** The next rows. */
  private def part(rows: Iterator[UnsafeRow]): Array[Byte] = {
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(codec.compressedOutputStream(bytes))
    val buffer = new Array[Byte](BufferBytes)
    while (out.size < PartBytes && rows.hasNext) {
      val row = rows.next()
      out.writeInt(row.getSizeInBytes)
      row.writeToStream(out, buffer)
    }
    out.writeInt(End)
    out.close()
    bytes.toByteArray
  }

  /**
   * @param bytes a part of the result of [[toBytes]]
   * @param fields number of columns of a row
   */
  def ofBytes(bytes: Array[Byte], fields: Int): Iterator[InternalRow] = {
    val in = new DataInputStream(codec.compressedInputStream(new ByteArrayInputStream(bytes)))
    Iterator.continually(in.readInt()).takeWhile(_ != End).map { size =>
      val row = new Array[Byte](size)
      in.readFully(row)
      val unsafe = new UnsafeRow(fields)
      unsafe.pointTo(row, size)
      unsafe
    }
  }

  private def codec = new LZ4CompressionCodec(SparkEnv.get.conf)

  private val End = -1

  private val BufferBytes = 4096

  /** Before they are compressed. */
  private val PartBytes = 4 * 1024 * 1024
}
