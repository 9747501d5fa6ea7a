package limitpruning.footers

import java.util.{Collections, IdentityHashMap}

import com.google.common.cache.{CacheBuilder, Weigher}
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.execution.datasources.InMemoryFileIndex

import limitpruning.select.ListedFile

/**
 * Remembers the sorted files of tables whose files Spark has listed once, for a DataFrame, a view or a catalog table. Sorting
 * thousands of files by path takes longer than all else that a query plans. If the index has listed its files again, they are
 * sorted again. Thread-safe.
 *
 * @param mostFiles the maximum number of files of all tables; the least recently used tables are dropped first
 */
final class SortedListings(mostFiles: Long) {
  import SortedListings._

  private val remembered = CacheBuilder
    .newBuilder()
    .weakKeys() // by identity: two indexes of the same paths may have listed other files
    .concurrencyLevel(1) // otherwise no table could have more than a fraction of all files
    .maximumWeight(mostFiles)
    .weigher(sizeOf)
    .build[InMemoryFileIndex, Sorted]()

  /**
   * The files of a table without filters on partitions.
   *
   * @param sort lists and sorts them
   */
  def of(index: InMemoryFileIndex)(sort: => IndexedSeq[ListedFile]): IndexedSeq[ListedFile] =
    if (mostFiles == 0 || index.rootPaths.size > MostPaths) sort
    else {
      val listed = Listed(index)
      Option(remembered.getIfPresent(index)).filter(_.listed.isSame(listed)).fold {
        val files = sort
        // A table that is larger than the cache would evict all others.
        if (listed.size <= mostFiles && listed.hasAll(files)) remembered.put(index, Sorted(listed, files))
        files
      }(_.files)
    }

  def forgetAll(): Unit = remembered.invalidateAll()
}

private object SortedListings {

  final case class Sorted(listed: Listed, files: IndexedSeq[ListedFile])

  private val sizeOf: Weigher[InMemoryFileIndex, Sorted] = (_, sorted) => sorted.listed.size + 1

  /** An index looks for the files of each of its paths. */
  private val MostPaths = 16

  /** What an index has listed. It makes all of it anew when it lists its files again. */
  final class Listed private (private val partitions: AnyRef, private val files: Array[FileStatus]) {
    def size: Int = files.length

    def isSame(other: Listed): Boolean = (partitions eq other.partitions) &&
      files.length == other.files.length && {
        var i = 0
        while (i < files.length && (files(i) eq other.files(i))) i += 1
        i == files.length
      }

    /** Whether a list has exactly these files, except for empty ones. An index that lists its files again returns others. */
    def hasAll(sorted: IndexedSeq[ListedFile]): Boolean = {
      val known = Collections.newSetFromMap(new IdentityHashMap[FileStatus, java.lang.Boolean])
      files.foreach(file => if (file.getLen > 0) known.add(file))
      sorted.size == known.size && sorted.forall(file => known.contains(file.status))
    }
  }

  object Listed {
    def apply(index: InMemoryFileIndex): Listed =
      new Listed(index.partitionSpec(), index.allFiles().toArray)
  }
}
