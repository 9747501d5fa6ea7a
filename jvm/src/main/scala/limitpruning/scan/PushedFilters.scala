package limitpruning.scan

import java.lang.reflect.Method

import scala.util.Try

import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Expression, FileSourceConstantMetadataAttribute, Literal, PlanExpression
}
import org.apache.spark.sql.execution.{FileSourceScanExec, ScalarSubquery}
import org.apache.spark.sql.execution.datasources.DataSourceStrategy
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.sources.Filter

import limitpruning.parquet.ColumnNames

/**
 * The filters that Spark passes to its Parquet reader, which skips row groups and pages by them. A scalar
 * subquery is replaced by its value. Filters that wait for another subquery, or for a null, are not included. The method that translates filters is private to Spark, so it is
 * looked up by name. If it is missing, the reader skips nothing, and the Filter above returns the same rows.
 */
private[scan] object PushedFilters {
  private lazy val translate: Option[Method] =
    Try(DataSourceStrategy.getClass.getMethod(
      "translateFilter",
      classOf[Expression],
      classOf[Boolean]
    )).toOption

  def of(scan: FileSourceScanExec): Seq[Filter] = {
    val nested = scan.conf
      .getConf(SQLConf.NESTED_PREDICATE_PUSHDOWN_FILE_SOURCE_LIST)
      .split(',')
      .exists(source => ColumnNames.areSame(source.trim, scan.relation.toString, caseSensitive = false))
    for {
      method <- translate.toSeq
      filter <- scan.dataFilters.map(withValues)
      if !filter.exists(isUnknownToReader)
      pushed <- method.invoke(DataSourceStrategy, filter, Boolean.box(nested)).asInstanceOf[Option[Filter]]
    } yield pushed
  }

  /**
   * The expression with the values of scalar subqueries that have run. A null is not put in: the reader of Spark 3.5 fails at a
   * comparison with null.
   */
  private def withValues(e: Expression): Expression = e.transform { case subquery: ScalarSubquery =>
    Try(subquery.eval(InternalRow.empty)).toOption.filter(_ != null)
      .fold[Expression](subquery)(Literal(_, subquery.dataType))
  }

  private def isUnknownToReader(e: Expression): Boolean = e match {
    case _: PlanExpression[_] | FileSourceConstantMetadataAttribute(_) => true
    case _ => false
  }
}
