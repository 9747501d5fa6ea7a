package limitpruning.footers

import com.google.common.cache.CacheBuilder
import com.google.common.hash.{HashCode, Hashing}
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression}

import limitpruning.parquet.FileId

/**
 * Remembers the predicates for which dictionaries, bloom filters and page statistics decided no row group of
 * a file. The next query with the same predicate does not read them again. A file that changed counts as
 * another file. If something is remembered that is no longer true, a LIMIT is pruned less, and its rows are
 * still right. Thread-safe.
 *
 * @param most the maximum number of pairs of predicate and file; the least recently used are dropped first
 */
final class UnprovedPredicates(most: Long) {
  import UnprovedPredicates._

  private val pairs = CacheBuilder.newBuilder().maximumSize(most).build[Pair, java.lang.Boolean]()

  def contains(predicate: HashCode, file: FileStatus): Boolean =
    pairs.getIfPresent(Pair(predicate, FileId.of(file))) != null

  def add(predicate: HashCode, file: FileStatus): Unit =
    pairs.put(Pair(predicate, FileId.of(file)), java.lang.Boolean.TRUE)

  /** Forgets the files whose paths meet a condition. */
  def forget(isMeant: String => Boolean): Unit = {
    val _ = pairs.asMap.keySet.removeIf(pair => isMeant(pair.file.path))
  }
}

object UnprovedPredicates {
  private final case class Pair(predicate: HashCode, file: FileId)

  /** Identifies a predicate by its SQL, with the names of columns but not of tables. */
  def hash(conjuncts: Seq[Expression]): HashCode = {
    val hasher = Hashing.sha256.newHasher()
    conjuncts.foreach { conjunct =>
      val unqualified = conjunct.transform { case column: AttributeReference => column.withQualifier(Nil) }
      hasher.putUnencodedChars(unqualified.sql).putChar('\n')
    }
    hasher.hash()
  }
}
