package limitpruning.parquet

import java.io.ByteArrayOutputStream

import org.apache.parquet.column.values.bloomfilter.BlockSplitBloomFilter
import org.apache.parquet.format._
import org.scalatest.funsuite.AnyFunSuite

class SplitBlocksSuite extends AnyFunSuite {
  private def bits(size: Int, values: Int*): Array[Byte] = {
    val filter = new BlockSplitBloomFilter(size)
    values.foreach(v => filter.insertHash(filter.hash(v)))
    val out = new ByteArrayOutputStream
    filter.writeTo(out)
    out.toByteArray
  }

  private def header(size: Int): BloomFilterHeader = new BloomFilterHeader(
    size,
    BloomFilterAlgorithm.BLOCK(new SplitBlockAlgorithm),
    BloomFilterHash.XXHASH(new XxHash),
    BloomFilterCompression.UNCOMPRESSED(new Uncompressed)
  )

  test("returns the filter that was written") {
    for (size <- Seq(32, 64, 4096)) {
      val Some(filter) = SplitBlocks(header(size), bits(size, 1, 2, 3)): @unchecked
      assert(Seq(1, 2, 3).forall(v => filter.findHash(filter.hash(v))))
    }
  }

  test("line 48: an invalid size is rejected, and a size that differs from the header") {
    for (size <- Seq(0, 16, 31, 33, 48, 96, 100))
      assert(SplitBlocks(header(size), Array.fill[Byte](size)(1)).isEmpty, size)
    assert(SplitBlocks(header(64), bits(32, 1)).isEmpty)
  }

  test("an unknown algorithm, hash or compression is rejected") {
    assert(SplitBlocks(header(32).setAlgorithm(new BloomFilterAlgorithm), bits(32, 1)).isEmpty)
    assert(SplitBlocks(header(32).setHash(new BloomFilterHash), bits(32, 1)).isEmpty)
    assert(SplitBlocks(header(32).setCompression(new BloomFilterCompression), bits(32, 1)).isEmpty)
  }

  test("line 48: bits that no value can set are rejected, and a filter without any bit") {
    assert(SplitBlocks(header(64), bits(64)).isEmpty)
    assert(SplitBlocks(header(64), bits(64, 1).drop(4) ++ new Array[Byte](4)).isEmpty, "moved by a word")
  }
}
