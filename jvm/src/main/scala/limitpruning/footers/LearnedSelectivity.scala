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

  private val found = CacheBuilder.newBuilder().maximumSize(most).build[Asked, RecentRows]()

  /**
   * What is known about a predicate. Without SQL, it is not remembered.
   *
   * @param file the first file of the table, which stands for it. A file that changed counts as another table.
   */
  def of(conjuncts: Seq[Expression], file: FileId): Selectivity = {
    val asked = Try(Asked(PredicateForm.hash(conjuncts, Nil), file)).toOption
    new Selectivity(asked.map(key => () => found.get(key, () => new RecentRows)))
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
final class Selectivity private[footers] (recent: Option[() => RecentRows]) {

  /**
   * The most rows of the whole table in one of the last searches: with other literals, predicates of one form are satisfied by
   * many rows or by few, and a search that begins with too much reads more than one that begins with too little.
   *
   * @return none if it is not known from several searches
   */
  def rows: Option[Double] = recent.flatMap(_().most)

  /**
   * @param rows of the whole table, if all of it is like the part that a search has read
   * @param areLeast whether there may be more, because the search did not read all of this part
   */
  def add(rows: Double, areLeast: Boolean): Unit = recent.foreach(_().add(rows, areLeast))
}

object Selectivity {

  /** Remembers nothing. */
  val unknown: Selectivity = new Selectivity(None)
}

private[footers] final class RecentRows {
  import RecentRows._

  private var last = Vector.empty[Double]

  def most: Option[Double] = synchronized(if (last.size < Least) None else Some(last.max))

  def add(rows: Double, areLeast: Boolean): Unit = synchronized {
    if (!areLeast || (last.nonEmpty && rows > last.max)) last = (last :+ rows).takeRight(Most)
  }
}

private object RecentRows {
  private val Least = 2
  private val Most = 3
}
