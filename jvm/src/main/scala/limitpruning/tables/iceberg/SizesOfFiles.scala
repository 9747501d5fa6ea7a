package limitpruning.tables.iceberg

import scala.jdk.CollectionConverters._

import org.apache.parquet.column.Encoding
import org.apache.parquet.hadoop.metadata.ColumnChunkMetaData

import limitpruning.parquet.Footer
import limitpruning.search.{DictionarySize, ReadSizes, Requests}

/**
 * What a query reads of files.
 *
 * @param first the field ids of the columns that can be read first
 * @param read those of all columns that the query reads
 * @param equal those of columns that have to be equal to a value
 * @param keys those of columns that are keys of groups
 */
private final class SizesOfFiles(first: Set[Int], read: Set[Int], equal: Set[Int], keys: Set[Int]) {
  import SizesOfFiles._

  /**
   * @param files footers of files, and the lengths of the files
   * @return none if the columns of a file are not known by their ids
   */
  def apply(files: Seq[(Footer, Long)]): Option[ReadSizes] = {
    val known = files.flatMap { case (footer, _) =>
      ReadRowGroups.namesOf(footer).map { names =>
        val ids = names.map(_.swap)
        footer.rowGroups.map { rowGroup =>
          for {
            chunk <- rowGroup.getColumns.asScala.toVector
            id <- ids.get(chunk.getPath.toArray.head) if read(id)
          } yield id -> chunk
        }
      }
    }
    if (files.isEmpty || known.size < files.size) None
    else {
      val chunks = known.flatten // by row group
      def bytes(of: Int => Boolean): Long =
        chunks.iterator.flatten.filter { case (id, _) => of(id) }.map(_._2.getTotalSize).sum
      Some(ReadSizes(
        bytes(first),
        bytes(_ => true),
        files.iterator.map(_._2).sum,
        files.iterator.map(_._1.rowGroups.size.toLong).sum,
        files.iterator.flatMap(_._1.rowGroups.iterator.map(_.getRowCount)).sum,
        // Iceberg reads whole row groups.
        havePages = false,
        dropRows = false,
        otherColumns = (read -- first).size,
        areSelective =
          () => chunks.iterator.flatten.exists { case (id, chunk) => equal(id) && isSelective(chunk) },
        requests = Requests.of(
          chunks.map(_.map { case (id, chunk) => (first(id), chunk.getStartingPos, chunk.getTotalSize) }),
          files.map(_._1.requestBytes)
        ),
        dictionaries = chunks.headOption.toSeq.flatten.collect {
          case (id, chunk) if keys(id) => dictionary(files.head._1, chunk)
        }
      ))
    }
  }
}

private object SizesOfFiles {

  private def dictionary(footer: Footer, chunk: ColumnChunkMetaData): DictionarySize = DictionarySize(
    chunk.getValueCount,
    dictionaryBytes(chunk),
    footer.hasManyValues(chunk),
    Some(chunk.getTotalUncompressedSize.toDouble / chunk.getValueCount.max(1L))
  )

  /**
   * Whether Iceberg's reader can skip a row group by the dictionary or the bloom filter of a chunk, and probably does so for most
   * row groups.
   */
  private def isSelective(chunk: ColumnChunkMetaData): Boolean =
    hasValues(chunk) && ReadSizes.haveMany(dictionaryBytes(chunk), chunk.getValueCount)

  /** None if there is no dictionary, or if its place is not known. */
  private def dictionaryBytes(chunk: ColumnChunkMetaData): Option[Long] =
    if (chunk.getDictionaryPageOffset <= 0) None
    else Some(chunk.getFirstDataPageOffset - chunk.getDictionaryPageOffset).filter(_ > 0)

  private def hasValues(chunk: ColumnChunkMetaData): Boolean =
    chunk.getBloomFilterOffset >= 0 ||
      Option(chunk.getEncodingStats).fold(chunk.getEncodings.contains(Encoding.RLE_DICTIONARY))(pages =>
        pages.hasDictionaryEncodedPages && !pages.hasNonDictionaryEncodedPages
      )
}
