package limitpruning.parquet

import java.nio.ByteBuffer

import org.apache.parquet.column.values.bloomfilter.{BlockSplitBloomFilter, BloomFilter}
import org.apache.parquet.format.BloomFilterHeader

/**
 * Makes a bloom filter of its bytes, or none where they cannot be those of a split-block filter that some value was
 * put into. A filter that is misread denies values that are there.
 */
private[parquet] object SplitBlocks {
  private val MinBytes = 32
  private val MaxBytes = 128 * 1024 * 1024
  private val WordsPerBlock = 8

  def apply(header: BloomFilterHeader, bits: Array[Byte]): Option[BloomFilter] = {
    val isOurs = header.getHash.isSetXXHASH && header.getAlgorithm.isSetBLOCK &&
      header.getCompression.isSetUNCOMPRESSED
    val size = bits.length
    val isSize =
      size == header.getNumBytes && size >= MinBytes && size <= MaxBytes && (size & (size - 1)) == 0
    if (isOurs && isSize && isFilled(bits)) Some(new BlockSplitBloomFilter(bits)) else None
  }

  /** Each value sets one bit in every word of its block: a block has bits in all of its words or in none. */
  private def isFilled(bits: Array[Byte]): Boolean = {
    val words = ByteBuffer.wrap(bits).asIntBuffer
    val blocks = 0 until words.capacity / WordsPerBlock
    def filled(block: Int): Int = (0 until WordsPerBlock).count(word =>
      words.get(block * WordsPerBlock + word) != 0
    )
    blocks.forall(block => filled(block) % WordsPerBlock == 0) && blocks.exists(filled(_) > 0)
  }
}
