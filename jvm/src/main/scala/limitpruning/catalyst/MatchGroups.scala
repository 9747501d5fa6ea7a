package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{
  AttributeSet, Expression, NamedExpression, PlanExpression, SessionWindow
}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LocalLimit, LogicalPlan, Project}

import limitpruning.predicate.{BriefSql, SupportedTypes}
import limitpruning.search.{GroupsScan, LimitedScan, Table}
import limitpruning.select.Reason

/**
 * Matches a LIMIT over GROUP BY or DISTINCT over a plan that [[MatchLimit]] matches. Spark turns DISTINCT into a GROUP BY
 * without functions. It turns `LIMIT 1` over such a GROUP BY into a LIMIT without GROUP BY.
 *
 * The operators above the table do not change. They compute each group from the rows that are read, so these must be enough
 * for `limit` groups, and all rows of each group if the group has more than its keys.
 */
object MatchGroups {

  /**
   * The groups below `local`, or the reason why they are not pruned; `None` if there is no GROUP BY over one of the
   * [[limitpruning.tables.Tables]] below `local`. LIMITs over one group of all rows are left to [[MatchLimit]].
   */
  def of(local: LocalLimit): Option[Either[Reason, GroupsScan]] =
    over(local)(MatchLimit.of)(scan => AttributeSet(scan.table.partitionColumns)).flatMap {
      case Left(Reason.NotSeen) => None // PruneV2Limits decides
      case found => Some(found.flatMap { groups =>
          if (groups.scan.waitsForSubqueries) Left(Reason.Subquery)
          else Right(GroupsScan(withFilters(groups.scan), groups.keys, groups.areKeysAll))
        })
    }

  /** The groups over a scan below a LIMIT; see [[limitpruning.search.GroupsScan]]. */
  final case class Groups[+S](scan: S, keys: Seq[Expression], areKeysAll: Boolean)

  /**
   * The groups below `local`, or the reason why they are not pruned; `None` if there is no GROUP BY over a scan below `local`.
   *
   * @param below the scan below a LIMIT without GROUP BY; see [[MatchLimit.over]]
   * @param partitions the columns of a scan whose values partitions decide
   */
  def over[S](local: LocalLimit)(
      below: LocalLimit => Option[Either[Reason, S]]
  )(partitions: S => AttributeSet): Option[Either[Reason, Groups[S]]] = local.child match {
    case Grouped(above, filters, aggregate) if aggregate.groupingExpressions.nonEmpty =>
      below(LocalLimit(local.limitExpr, aggregate.child)).map(_.flatMap { scan =>
        unsupported(aggregate, above, filters).toLeft(()).flatMap { _ =>
          val keys = aggregate.groupingExpressions.map(MatchLimit.overRelation(aggregate.child))
          if (isOfKeysOnly(aggregate)) distinct(scan, keys) else whole(scan, keys, partitions(scan))
        }
      })
    case _ => None
  }

  /** The scan of [[over]], whatever the groups are. */
  private[limitpruning] def scanBelow[S](local: LocalLimit)(
      below: LocalLimit => Option[Either[Reason, S]]
  ): Option[Either[Reason, S]] = local.child match {
    case Grouped(_, _, aggregate) => below(LocalLimit(local.limitExpr, aggregate.child))
    case _ => None
  }

  private def unsupported(
      aggregate: Aggregate,
      above: Seq[Expression],
      filters: Seq[Expression]
  ): Option[Reason] = {
    val expressions = aggregate.groupingExpressions ++ aggregate.aggregateExpressions ++ above
    filters.headOption.map(filter => Reason.GroupFilter(BriefSql(filter)))
      .orElse(expressions.flatMap(MatchLimit.unsupportedUse).headOption)
      .orElse(aggregate.groupingExpressions.flatMap(MatchLimit.subqueryIn).headOption)
  }

  /** Whether one row of a group gives the whole group: each column of the result is a key, or is computed from keys. */
  private def isOfKeysOnly(aggregate: Aggregate): Boolean = {
    // As semanticEquals: thousands of columns are not compared with thousands of keys.
    val keys = aggregate.groupingExpressions.iterator.filter(_.deterministic).map(_.canonicalized).toSet
    def isKey(e: Expression) = e.deterministic && keys(e.canonicalized)
    def isOfKeys(e: Expression): Boolean = e match {
      case _: AggregateExpression | _: PlanExpression[_] => false
      case _ if e.foldable || isKey(e) => true
      case _ => e.deterministic && e.children.nonEmpty && e.children.forall(isOfKeys)
    }
    !aggregate.groupingExpressions.exists(isSession) && aggregate.aggregateExpressions.forall(isOfKeys)
  }

  /** Spark merges the sessions of all rows with equal other keys, so one row does not give a session. */
  private def isSession(key: Expression): Boolean = key match {
    case named: NamedExpression => named.metadata.contains(SessionWindow.marker)
    case _ => false
  }

  private def distinct[S](scan: S, keys: Seq[Expression]): Either[Reason, Groups[S]] =
    if (!keys.exists(key => SupportedTypes.contains(key.dataType)))
      Left(Reason.KeyNotOrdered(keys.head.sql, keys.head.dataType.sql))
    else Right(Groups(scan, keys, areKeysAll = true))

  /** Only keys that partition values decide show which files have all rows of a group. */
  private def whole[S](
      scan: S,
      keys: Seq[Expression],
      partitions: AttributeSet
  ): Either[Reason, Groups[S]] = {
    val deciding = keys.filter { key =>
      key.references.nonEmpty && key.references.subsetOf(partitions) && SupportedTypes.contains(key.dataType)
    }
    if (deciding.isEmpty) Left(Reason.GroupsNotComplete(keys.map(BriefSql(_)).mkString(", ")))
    else Right(Groups(scan, deciding, areKeysAll = false))
  }

  /** The filter may stay in the plan, so its columns are read, too. */
  private def withFilters(scan: LimitedScan[Table]): LimitedScan[Table] =
    scan.copy(needed = scan.needed ++ AttributeSet.fromAttributeSets(scan.conjuncts.map(_.references)))

  /** GROUP BY, with or without filters and projections above it: these projections and filters, and the Aggregate. */
  private object Grouped {
    def unapply(plan: LogicalPlan): Option[(Seq[Expression], Seq[Expression], Aggregate)] = plan match {
      case aggregate: Aggregate => Some((Nil, Nil, aggregate))
      case Project(projections, Grouped(above, filters, aggregate)) =>
        Some((projections ++ above, filters, aggregate))
      case Filter(condition, Grouped(above, filters, aggregate)) =>
        Some((above, condition +: filters, aggregate))
      case _ => None
    }
  }
}
