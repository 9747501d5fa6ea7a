package limitpruning.footers

import java.nio.charset.StandardCharsets.UTF_8

import com.google.common.cache.CacheBuilder
import com.google.common.hash.{HashCode, Hashing}
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}

import limitpruning.parquet.FileId

/**
 * Remembers row groups that dictionaries, bloom filters and page statistics did not decide for a predicate.
 * The next query with the same predicate does not read them again. A file that changed counts as another
 * file. If something is remembered that is no longer true, a LIMIT is pruned less, and its rows are still
 * right. Thread-safe.
 *
 * @param most the maximum number of row groups; the least recently used are dropped first
 */
final class UnprovedPredicates(most: Long) {
  import UnprovedPredicates._

  private val tried = CacheBuilder.newBuilder().maximumSize(most).build[Tried, java.lang.Boolean]()

  /** @param predicate see [[UnprovedPredicates.hash]] */
  def contains(predicate: HashCode, file: FileStatus, rowGroup: Int): Boolean =
    tried.getIfPresent(Tried(predicate, FileId.of(file), rowGroup)) != null

  def add(predicate: HashCode, file: FileStatus, rowGroup: Int): Unit =
    tried.put(Tried(predicate, FileId.of(file), rowGroup), java.lang.Boolean.TRUE)

  /** Forgets the files whose paths meet a condition. */
  def forget(isMeant: String => Boolean): Unit = {
    val _ = tried.asMap.keySet.removeIf(one => isMeant(one.file.path))
  }
}

object UnprovedPredicates {
  private final case class Tried(predicate: HashCode, file: FileId, rowGroup: Int)

  /**
   * Identifies a predicate by its SQL, with the names of columns but not of tables.
   *
   * @param circumstances whatever else decides what metadata can prove: settings and the columns that are read
   */
  def hash(conjuncts: Seq[Expression], circumstances: Seq[String]): HashCode = {
    val hasher = Hashing.sha256.newHasher()
    def put(text: String): Unit = hasher.putBytes(text.getBytes(UTF_8)).putChar('\n'): Unit
    circumstances.foreach(put)
    conjuncts.foreach { conjunct =>
      val unqualified = conjunct.transform { case column: AttributeReference => column.withQualifier(Nil) }
      put(unqualified.sql)
    }
    hasher.hash()
  }
}
