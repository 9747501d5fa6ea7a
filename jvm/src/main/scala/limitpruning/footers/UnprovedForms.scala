package limitpruning.footers

import com.google.common.cache.CacheBuilder
import com.google.common.hash.HashCode

import limitpruning.parquet.FileId

/**
 * Remembers predicates, without their literals, and whether something that was read beside footers decided anything about them:
 * dictionaries, bloom filters and page indexes, or samples of row groups. If they decided nothing, the next queries with such a predicate do not look at them: three queries, then one tries
 * again; after it, fifteen, and then sixty-three. People ask with new literals each time.
 *
 * People also ask with new predicates each time. Where the first task of plain Spark may find enough rows, one vain attempt may
 * be a large part of the query. There, predicates that never tried count together for each file that searches begin with:
 * after one of them tried in vain, three queries with such predicates do not try, and after each further one, fifteen. A
 * predicate that is asked for the third time tries in any case.
 *
 * A file that changed counts as another file. If something is remembered that is no longer true, a LIMIT is pruned less, and
 * its rows are still right. Thread-safe.
 *
 * @param most the maximum number of predicates and files; the least recently used are dropped first
 */
final class UnprovedForms(most: Long) {
  import UnprovedForms._

  /** Whether anything is remembered. */
  def areKept: Boolean = most > 0

  private val tried = CacheBuilder.newBuilder().maximumSize(most).build[Tried, Attempts]()

  /**
   * Whether a query may look at such metadata of a file. Each call counts as one query.
   *
   * @param form see [[PredicateForm.hash]], with the settings and the columns that decide what metadata can prove
   * @param isOneTask whether the first task of plain Spark may find enough rows
   */
  def mayRead(form: HashCode, file: FileId, isOneTask: Boolean = false): Boolean =
    find(Some(form), file) match {
      case Some(known) => known.isDue()
      case None =>
        val may = !isOneTask || find(None, file).forall(_.isDue())
        if (!may) attempts(Some(form), file).postpone(MostPostponed)
        may
    }

  /** Notes that a query looked at metadata of a file and others, and decided nothing. */
  def add(form: HashCode, file: FileId, isOneTask: Boolean = false): Unit = {
    val ofForm = attempts(Some(form), file)
    // A predicate that has tried before says nothing about others.
    if (isOneTask && !ofForm.hasTried) attempts(None, file).failed(MostOfTable)
    ofForm.failed()
  }

  /** Notes that such a query decided something. */
  def remove(form: HashCode, file: FileId): Unit =
    if (attempts(Some(form), file).isFirstSuccess()) tried.invalidate(Tried(None, file))

  private def find(form: Option[HashCode], file: FileId): Option[Attempts] =
    Option(tried.getIfPresent(Tried(form, file)))

  private def attempts(form: Option[HashCode], file: FileId): Attempts =
    tried.get(Tried(form, file), () => new Attempts)

  /** Forgets the files whose paths meet a condition. */
  def forget(isMeant: String => Boolean): Unit = {
    val _ = tried.asMap.keySet.removeIf(one => isMeant(one.file.path))
  }
}

private object UnprovedForms {

  /** The maximum number of queries that do not try after one failed, with predicates that never tried. */
  private val MostOfTable = 15

  /** So many queries with a predicate wait for others to try, and then it tries itself. */
  private val MostPostponed = 2

  /** @param form none for all predicates that never tried */
  private final case class Tried(form: Option[HashCode], file: FileId)
}
