package limitpruning.parquet

/**
 * By what the footer of a file is known again: a file whose footer is another one is another file, whatever its length
 * and its time.
 *
 * @param length bytes of the serialised footer
 * @param checksum its CRC-32C
 */
final case class FooterSeal(length: Int, checksum: Int)

object FooterSeal {

  /** Of a serialised footer. */
  def of(footer: Array[Byte]): FooterSeal = FooterSeal(footer.length, FileParts.checksum(footer))
}
