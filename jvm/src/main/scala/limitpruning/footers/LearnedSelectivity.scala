package limitpruning.footers

import scala.util.Try

import com.google.common.cache.CacheBuilder
import com.google.common.hash.HashCode
import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.parquet.FileId

/**
 * Remembers how many rows of a table satisfied predicates of one form, as searches that read the rows have found. It only
 * decides how much the next such search reads first. Thread-safe.
 *
 * @param most the maximum number of forms and tables; the least recently used are dropped first
 */
final class LearnedSelectivity(most: Long) {
  import LearnedSelectivity._

  private val found = CacheBuilder.newBuilder().maximumSize(most).build[Asked, RecentSearches]()

  /**
   * What is known about a predicate. Without SQL, it is not remembered.
   *
   * @param file the first file of the table that partition values leave, which stands for it. A file that changed counts as
   *   another table.
   */
  def of(conjuncts: Seq[Expression], file: FileId): Selectivity = {
    val asked = Try(Asked(PredicateForm.hash(conjuncts, Nil), file)).toOption
    new Selectivity(asked.map(key => () => found.get(key, () => new RecentSearches)))
  }

  /** Forgets the files whose paths meet a condition. */
  def forget(isMeant: String => Boolean): Unit = {
    val _ = found.asMap.keySet.removeIf(asked => isMeant(asked.file.path))
  }
}

private object LearnedSelectivity {
  final case class Asked(form: HashCode, file: FileId)
}

/** How many rows of one table satisfied predicates of one form. Thread-safe. */
final class Selectivity private[footers] (recent: Option[() => RecentSearches]) {

  /**
   * The most rows, for each byte of the files that a search may read, in one of the last searches. With other literals, predicates
   * of one form are satisfied by many rows or by few, and a search that begins with too much reads more than one that begins with
   * too little.
   *
   * @return none if it is not known from several searches
   */
  def rowsPerByte: Option[Double] = recent.flatMap(_().most)

  /**
   * @param rowsPerByte if all files are like the part that a search has read
   * @param areLeast whether there may be more, because the search did not read all of this part
   */
  def add(rowsPerByte: Double, areLeast: Boolean): Unit = recent.foreach(_().add(rowsPerByte, areLeast))
}

object Selectivity {

  /** Remembers nothing. */
  val unknown: Selectivity = new Selectivity(None)
}

/** What the last searches found, in rows for each byte. Thread-safe. */
private[footers] final class RecentSearches {
  import RecentSearches._

  private var last = Vector.empty[Double]

  /** The most of the last searches; none if they were too few. */
  def most: Option[Double] = synchronized(if (last.size < Least) None else Some(last.max))

  def add(found: Double, areLeast: Boolean): Unit = synchronized {
    if (!areLeast || (last.nonEmpty && found > last.max)) last = (last :+ found).takeRight(Most)
  }
}

private object RecentSearches {
  private val Least = 2
  private val Most = 3
}
