package limitpruning.search

import scala.util.Try

import com.google.common.hash.HashCode
import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.footers.{PredicateForm, UnprovedForms}
import limitpruning.parquet.FileId

/**
 * Whether one search looks at something besides footers: not if earlier queries with predicates of the same form did so in
 * vain, or queries with other forms that had not tried before. One instance per search; several runs of its plan may note what
 * they found.
 */
private[limitpruning] trait UnprovedForm {

  /** Whether what is noted is known to the next search. */
  def canRemember: Boolean

  /**
   * @param file the next file to read about; the first one stands for the table
   * @param isOneTask whether the first task of plain Spark may find enough rows: then predicates that never tried count
   *   together; asked for the first file only
   */
  def mayRead(file: FileId, isOneTask: => Boolean): Boolean

  /** Notes that this decided nothing. */
  def readInVain(): Unit

  /** Notes that this decided something. */
  def decided(): Unit
}

private[limitpruning] object UnprovedForm {

  /** Remembers nothing. */
  val none: UnprovedForm = new UnprovedForm {
    override def canRemember: Boolean = false
    override def mayRead(file: FileId, isOneTask: => Boolean): Boolean = true
    override def readInVain(): Unit = ()
    override def decided(): Unit = ()
  }

  /**
   * Remembers for all queries of an application. A predicate without SQL is not remembered.
   *
   * @param circumstances see [[limitpruning.footers.PredicateForm.hash]]
   */
  def of(
      conjuncts: Seq[Expression],
      circumstances: => Seq[String],
      remembered: UnprovedForms
  ): UnprovedForm = new UnprovedForm {
    private lazy val form = Try(PredicateForm.hash(conjuncts, circumstances)).toOption
    private var first: Option[(FileId, Boolean)] = None
    private var answer = true
    private var isNoted = false

    override def canRemember: Boolean = remembered.areKept && form.nonEmpty

    override def mayRead(file: FileId, isOneTask: => Boolean): Boolean = {
      if (first.isEmpty) {
        val isFirstTask = isOneTask
        first = Some((file, isFirstTask))
        answer = form.forall(remembered.mayRead(_, file, isFirstTask))
      }
      answer
    }

    override def readInVain(): Unit = if (!isNoted) note(remembered.add)

    override def decided(): Unit = note((form, file, _) => remembered.remove(form, file))

    private def note(how: (HashCode, FileId, Boolean) => Unit): Unit = {
      isNoted = true
      for (form <- form; (file, isOneTask) <- first) how(form, file, isOneTask)
    }
  }
}
