package limitpruning.catalyst

import java.io.{ByteArrayInputStream, ByteArrayOutputStream, DataInputStream, DataOutputStream}

import org.apache.spark.SparkEnv
import org.apache.spark.io.LZ4CompressionCodec
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.UnsafeRow

/** The first rows of a task, which it sends to the driver as compressed bytes, as in Spark's own `executeTake`. */
private object FirstRowsOfTask {

  /** It runs on executors, so it must not capture the plan. */
  def toBytes(n: Int): Iterator[InternalRow] => Array[Byte] = { rows =>
    val bytes = new ByteArrayOutputStream
    val out = new DataOutputStream(codec.compressedOutputStream(bytes))
    val buffer = new Array[Byte](BufferBytes)
    rows.take(n).foreach { row =>
      // Operators pass rows of this class to one another.
      val unsafe = row.asInstanceOf[UnsafeRow]
      out.writeInt(unsafe.getSizeInBytes)
      unsafe.writeToStream(out, buffer)
    }
    out.writeInt(End)
    out.close()
    bytes.toByteArray
  }

  /**
   * @param bytes a result of [[toBytes]]
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
}
