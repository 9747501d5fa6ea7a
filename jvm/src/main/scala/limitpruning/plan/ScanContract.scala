package limitpruning.plan

/**
 * What a scan that replaces Spark's `FileSourceScanExec` owes to a query: every constructor field of that node and of what it
 * reads, and every behaviour that others rely on, with who honours it, or why such a LIMIT is not pruned. A field that is not
 * listed belongs to a Spark about which nobody has decided: there, no LIMIT is pruned.
 */
object ScanContract {

  sealed abstract class Decision(val sentence: String)

  final case class HonouredBy(who: String) extends Decision(s"honoured by $who")

  /** @param codes of a [[Declined]] each */
  final case class NotPruned(codes: Seq[String]) extends Decision(s"not pruned: ${codes.mkString(", ")}")

  final case class NotCalled(why: String) extends Decision(s"no part of Spark needs it: $why")

  /**
   * @param what the field, method or behaviour
   * @param test a test that fails where the decision does not hold: a function in `tests/`, or a Scala suite
   */
  final case class Clause(what: String, decision: Decision, test: String)

  def all: Seq[Clause] = {
    import ScanClauses._
    fileSourceScan ++ logicalRelation ++ fsRelation ++ scanOperation ++ methods ++ behaviours
  }

  /** A field of `part` that `clauses` do not list; none where all are listed. */
  def undecided(part: Product, clauses: Seq[Clause]): Option[String] =
    part.productElementNames
      .find(field => !clauses.exists(_.what == field))
      .map(field => s"${part.productPrefix}.$field")
}
