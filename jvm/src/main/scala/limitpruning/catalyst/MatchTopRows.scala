package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression, SortOrder}
import org.apache.spark.sql.catalyst.planning.ScanOperation
import org.apache.spark.sql.catalyst.plans.{LeftOuter, RightOuter}
import org.apache.spark.sql.catalyst.plans.logical.{Join, LocalLimit, LogicalPlan, Project, Sort, UnaryNode}

import limitpruning.predicate.{BriefSql, Nesting, SupportedTypes}
import limitpruning.search.{LimitedScan, SortKeys, Table, TopRowsScan}
import limitpruning.select.Reason

/** Matches a LIMIT over a global sort over a plan that [[MatchLimit]] matches, or over outer joins that preserve its rows. */
object MatchTopRows {

  /**
   * The scan below `local`, or the reason why it is not pruned; `None` if there is no ORDER BY over Parquet below
   * `local`.
   */
  def of(local: LocalLimit): Option[Either[Reason, TopRowsScan]] =
    over(local, throughJoins = true)(MatchLimit.of).map(_.map(scanOf))

  /**
   * The scan below `local`, in an order that the plan need not contain, or the reason why it is not pruned; `None` if
   * `local` is not over Parquet.
   *
   * @param order all sort keys, at least one, over the output of the child of `local`
   */
  def inOrder(order: Seq[SortOrder], local: LocalLimit): Option[Either[Reason, TopRowsScan]] =
    overInOrder(order, local)(MatchLimit.of).map(_.map(scanOf))

  /**
   * Does so for any scan.
   *
   * @param below the scan below a LIMIT without ORDER BY; see [[MatchLimit.over]]
   */
  def overInOrder[S](order: Seq[SortOrder], local: LocalLimit)(
      below: LocalLimit => Option[Either[Reason, S]]
  ): Option[Either[Reason, Ordered[S]]] = ordered(order, Nil, local)(below)

  private[catalyst] def scanOf(top: Ordered[LimitedScan[Table]]): TopRowsScan =
    TopRowsScan(top.scan.copy(needed = top.scan.needed ++ top.needed), top.order, top.isJoined)

  /**
   * The scan and the order below `local`, or the reason why it is not pruned; `None` if there is no ORDER BY below
   * `local`, or none over such a scan.
   *
   * @param throughJoins whether the scan may be on the preserved side of outer joins
   * @param below the scan below a LIMIT without ORDER BY; see [[MatchLimit.over]]
   */
  def over[S](local: LocalLimit, throughJoins: Boolean = false)(
      below: LocalLimit => Option[Either[Reason, S]]
  ): Option[Either[Reason, Ordered[S]]] = local.child match {
    case Sorted(above, order, child) =>
      def of(plan: LogicalPlan, keys: Seq[SortOrder]) =
        ordered(keys, above, LocalLimit(local.limitExpr, plan))(below)
      val joined = if (throughJoins) belowJoins(child, order) else None
      joined.flatMap { case (preserved, keys) => of(preserved, keys) }.map(_.map(_.copy(isJoined = true)))
        .orElse(of(child, order))
    case _ => None
  }

  /**
   * The preserved side of outer joins, and the order over its output; none if there is no such join, or if a sort key is not
   * over it. Each row of this side has at least one row in the result, with its sort keys. So the first `n` rows of this side
   * have the first `n` rows of the result, or as good ones. No filter may be between the join and the sort.
   */
  private def belowJoins(plan: LogicalPlan, order: Seq[SortOrder]): Option[(LogicalPlan, Seq[SortOrder])] =
    plan match {
      case Project(projections, child) if projections.forall(_.deterministic) =>
        val overChild = MatchLimit.shortOverRelation(projections)
        val keys = order.flatMap(key => overChild(key.child).map(over => key.copy(child = over)))
        if (keys.size == order.size) belowJoins(child, keys) else None
      case OuterJoin(preserved) if order.forall(_.references.subsetOf(preserved.outputSet)) =>
        belowJoins(preserved, order).orElse(Some((preserved, order)))
      case _ => None
    }

  private def ordered[S](order: Seq[SortOrder], above: Seq[Expression], unordered: LocalLimit)(
      below: LocalLimit => Option[Either[Reason, S]]
  ): Option[Either[Reason, Ordered[S]]] = below(unordered).map(_.flatMap { scan =>
    (order.map(_.child) ++ above).find(!_.deterministic)
      .map(random => Reason.NotDeterministic(BriefSql(random)))
      .toLeft(()).flatMap(_ => withKey(scan, order, unordered.child))
  })

  /**
   * A scan below a global sort.
   *
   * @param needed the table's columns that the filters and the first key use
   * @param isJoined whether there are outer joins between the sort and the scan
   */
  final case class Ordered[S](scan: S, order: SortKeys, needed: AttributeSet, isJoined: Boolean = false)

  private def withKey[S](scan: S, order: Seq[SortOrder], child: LogicalPlan): Either[Reason, Ordered[S]] =
    child match {
      case ScanOperation(projections, Nil, filters, _) =>
        val overTable =
          order.map(key => key.copy(child = MatchLimit.overRelation(key.child, projections)))
        val key = overTable.head
        val type_ = key.dataType
        if (MatchLimit.subqueryIn(key).nonEmpty) Left(Reason.Subquery)
        else if (Nesting.isDeeper(key, Nesting.DeepestAtom))
          Left(Reason.TooDeeplyNested(Nesting.DeepestAtom))
        else if (!SupportedTypes.contains(type_)) Left(Reason.KeyNotOrdered(key.child.sql, type_.sql))
        else
          Right(Ordered(
            scan,
            SortKeys(overTable, order.head),
            AttributeSet.fromAttributeSets((filters :+ key).map(_.references))
          ))
      case other => Left(Reason.OperatorBetween(other.nodeName))
    }

  /**
   * A global sort, with or without projections above it: the expressions of these projections, the sort order, and the
   * child of the sort.
   */
  private object Sorted {
    def unapply(plan: LogicalPlan): Option[(Seq[Expression], Seq[SortOrder], LogicalPlan)] = plan match {
      case sort: Sort if sort.global && sort.order.nonEmpty => Some((Nil, sort.order, sort.child))
      case Project(projections, Sorted(above, order, child)) => Some((projections ++ above, order, child))
      case _ => None
    }
  }
}

/** An outer join. Gives the side of which each row is preserved. */
private[limitpruning] object OuterJoin {
  def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case join: Join if join.joinType == LeftOuter => Some(join.left)
    case join: Join if join.joinType == RightOuter => Some(join.right)
    case _ => None
  }

  /**
   * Changes the preserved side of the outer joins below a plan, and nothing else; all of a plan without such joins. Spark may have
   * copied this side into the other one, for a correlated subquery.
   */
  def changePreserved(plan: LogicalPlan)(change: LogicalPlan => LogicalPlan): LogicalPlan = plan match {
    case join: Join if join.joinType == LeftOuter =>
      join.withNewChildren(Seq(changePreserved(join.left)(change), join.right))
    case join: Join if join.joinType == RightOuter =>
      join.withNewChildren(Seq(join.left, changePreserved(join.right)(change)))
    case node: UnaryNode if isAbove(node.child) =>
      node.withNewChildren(Seq(changePreserved(node.child)(change)))
    case other => change(other)
  }

  private def isAbove(plan: LogicalPlan): Boolean = plan match {
    case OuterJoin(_) => true
    case node: UnaryNode => isAbove(node.child)
    case _ => false
  }
}

/** A node on the way from a LIMIT down to its table: a node with one child, or an outer join. Gives the next node. */
private[limitpruning] object AboveTable {
  def unapply(plan: LogicalPlan): Option[LogicalPlan] = plan match {
    case node: UnaryNode => Some(node.child)
    case OuterJoin(preserved) => Some(preserved)
    case _ => None
  }
}
