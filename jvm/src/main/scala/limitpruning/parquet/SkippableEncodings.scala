package limitpruning.parquet

import java.util.{Collection => JavaCollection}

import scala.jdk.CollectionConverters._

/**
 * The encodings of data pages in which Spark's vectorized reader skips single values correctly, in all supported
 * versions.
 *
 * `VectorizedDeltaBinaryPackedReader` returns values of other rows after a skip (mended for Spark 4.3 by
 * 107111001a0b), and DELTA_BYTE_ARRAY and DELTA_LENGTH_BYTE_ARRAY are built on it. The list contains what the tests of
 * row skipping prove, and nothing else: pages in another encoding are read whole.
 */
private[limitpruning] object SkippableEncodings {

  /** By name, because the footer of Thrift and that of parquet-java have classes of their own for it. */
  private val Names = Set("PLAIN", "PLAIN_DICTIONARY", "RLE_DICTIONARY", "RLE", "BIT_PACKED")

  def apply(encoding: Enum[_]): Boolean = Names(encoding.name)

  /**
   * @param encodings those of the pages of a column chunk and of their levels, as its footer lists them
   * @return false, too, if the footer lists none
   */
  def all(encodings: JavaCollection[_ <: Enum[_]]): Boolean =
    encodings != null && !encodings.isEmpty && encodings.asScala.forall(apply(_))
}
