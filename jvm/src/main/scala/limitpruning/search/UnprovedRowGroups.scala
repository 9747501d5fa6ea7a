package limitpruning.search

import scala.util.Try

import org.apache.spark.sql.catalyst.expressions.Expression

import limitpruning.footers.UnprovedPredicates
import limitpruning.select.ListedFile

/** The row groups that queries with one predicate could not decide by metadata besides the footer. */
private[limitpruning] trait UnprovedRowGroups {
  def contains(file: ListedFile, rowGroup: Int): Boolean
  def add(file: ListedFile, rowGroup: Int): Unit
}

private[limitpruning] object UnprovedRowGroups {

  /** Remembers nothing. */
  val none: UnprovedRowGroups = new UnprovedRowGroups {
    override def contains(file: ListedFile, rowGroup: Int): Boolean = false
    override def add(file: ListedFile, rowGroup: Int): Unit = ()
  }

  /**
   * Remembers row groups for all queries of an application. A predicate without SQL is not remembered.
   *
   * @param circumstances see [[limitpruning.footers.UnprovedPredicates.hash]]
   */
  def of(
      conjuncts: Seq[Expression],
      circumstances: => Seq[String],
      remembered: UnprovedPredicates
  ): UnprovedRowGroups = new UnprovedRowGroups {
    private lazy val predicate = Try(UnprovedPredicates.hash(conjuncts, circumstances)).toOption

    override def contains(file: ListedFile, rowGroup: Int): Boolean =
      predicate.exists(remembered.contains(_, file.status, rowGroup))

    override def add(file: ListedFile, rowGroup: Int): Unit =
      predicate.foreach(remembered.add(_, file.status, rowGroup))
  }
}
