package limitpruning.parquet

import limitpruning.select.{FilePart, FileVersion}

/**
 * By what the footer of a file is known again: a file whose footer is another one is another file, whatever its length
 * and its time.
 *
 * @param length bytes of the serialised footer
 * @param checksum its CRC-32C
 */
final case class FooterSeal(length: Int, checksum: Int) {

  /**
   * @param fileLength bytes of the file when it was listed
   * @param parts what else was read of it while planning
   */
  def version(fileLength: Long, parts: Seq[FilePart] = Nil): FileVersion =
    FileVersion(fileLength, length, checksum, parts)
}

object FooterSeal {

  /** Of a serialised footer. */
  def of(footer: Array[Byte]): FooterSeal = FooterSeal(footer.length, FileParts.checksum(footer))
}
