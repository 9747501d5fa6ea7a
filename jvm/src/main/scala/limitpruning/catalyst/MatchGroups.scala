package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions.{Alias, AttributeSet, Expression}
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression
import org.apache.spark.sql.catalyst.plans.logical.{Aggregate, Filter, LocalLimit, LogicalPlan, Project}

import limitpruning.predicate.{BriefSql, SupportedTypes}
import limitpruning.search.{GroupsScan, LimitedScan}
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
  def of(local: LocalLimit): Option[Either[Reason, GroupsScan]] = local.child match {
    case Grouped(above, filters, aggregate) if aggregate.groupingExpressions.nonEmpty =>
      MatchLimit.of(LocalLimit(local.limitExpr, aggregate.child)).flatMap {
        case Left(Reason.NotSeen) => None // PruneV2Limits decides
        case Left(reason) => Some(Left(reason))
        case Right(scan) => Some(groups(scan, aggregate, above, filters))
      }
    case _ => None
  }

  private def groups(
      scan: LimitedScan,
      aggregate: Aggregate,
      above: Seq[Expression],
      filters: Seq[Expression]
  ): Either[Reason, GroupsScan] = {
    val expressions = aggregate.groupingExpressions ++ aggregate.aggregateExpressions ++ above
    val unsupported = filters.headOption.map(filter => Reason.GroupFilter(BriefSql(filter)))
      .orElse(expressions.flatMap(MatchLimit.unsupportedUse).headOption)
      .orElse(aggregate.groupingExpressions.flatMap(MatchLimit.subqueryIn).headOption)
      .orElse(if (scan.waitsForSubqueries) Some(Reason.Subquery) else None)
    unsupported.toLeft(()).flatMap { _ =>
      val keys = aggregate.groupingExpressions.map(MatchLimit.overRelation(aggregate.child))
      if (isOfKeysOnly(aggregate)) distinct(scan, keys) else whole(scan, keys)
    }
  }

  /** Whether one row of a group gives the whole group: each column of the result is a key, or is computed from keys. */
  private def isOfKeysOnly(aggregate: Aggregate): Boolean = {
    // As semanticEquals: thousands of columns are not compared with thousands of keys.
    val keys = aggregate.groupingExpressions.iterator.filter(_.deterministic).map(_.canonicalized).toSet
    def isKey(e: Expression) = e.deterministic && keys(e.canonicalized)
    aggregate.aggregateExpressions.forall { one =>
      !one.exists(_.isInstanceOf[AggregateExpression]) &&
      (one match {
        case alias: Alias =>
          alias.child.foldable || isKey(alias.child)
        case other => isKey(other)
      })
    }
  }

  private def distinct(scan: LimitedScan, keys: Seq[Expression]): Either[Reason, GroupsScan] =
    if (!keys.exists(key => SupportedTypes.contains(key.dataType)))
      Left(Reason.KeyNotOrdered(keys.head.sql, keys.head.dataType.sql))
    else Right(GroupsScan(withFilters(scan), keys, areKeysAll = true))

  /** Only keys that partition values decide show which files have all rows of a group. */
  private def whole(scan: LimitedScan, keys: Seq[Expression]): Either[Reason, GroupsScan] = {
    val partitions = AttributeSet(scan.table.partitionColumns)
    val deciding = keys.filter { key =>
      key.references.nonEmpty && key.references.subsetOf(partitions) && SupportedTypes.contains(key.dataType)
    }
    if (deciding.isEmpty) Left(Reason.GroupsNotComplete(keys.map(BriefSql(_)).mkString(", ")))
    else Right(GroupsScan(withFilters(scan), deciding, areKeysAll = false))
  }

  /** The filter may stay in the plan, so its columns are read, too. */
  private def withFilters(scan: LimitedScan): LimitedScan =
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
