package limitpruning.testing

import java.io.{ByteArrayInputStream, ByteArrayOutputStream}
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.US_ASCII
import java.nio.file.{Files, Path}

import org.apache.parquet.format.{FileMetaData, Util}

/** Changes the footers of Parquet files to those of writers that no test can call. */
object FooterEdit {

  /** Removes the checksum file by which Hadoop's local file system detects changes of a file. */
  def forgetChecksum(path: Path): Path = {
    val _ = Files.deleteIfExists(path.resolveSibling(s".${path.getFileName}.crc"))
    path
  }

  def bytesOf(metadata: FileMetaData): Array[Byte] = {
    val out = new ByteArrayOutputStream
    Util.writeFileMetaData(metadata, out)
    out.toByteArray
  }

  def apply(path: Path)(edit: FileMetaData => Any): Path = {
    val bytes = Files.readAllBytes(path)
    val length = ByteBuffer.wrap(bytes, bytes.length - 8, 4).order(ByteOrder.LITTLE_ENDIAN).getInt
    val start = bytes.length - 8 - length
    val metadata = Util.readFileMetaData(new ByteArrayInputStream(bytes, start, length))
    val _ = edit(metadata)
    val footer = bytesOf(metadata)
    val trailer = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putInt(footer.length)
    Files.write(path, bytes.take(start) ++ footer ++ trailer.put("PAR1".getBytes(US_ASCII)).array)
  }
}
