package limitpruning.tables

import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.datasources.{FileIndex, HadoopFsRelation, LogicalRelation}

/** A relation over files, with its file index. */
private[limitpruning] object IndexedRelation {

  def unapply(plan: LogicalPlan): Option[(LogicalRelation, FileIndex)] = plan match {
    case logical: LogicalRelation =>
      logical.relation match {
        case files: HadoopFsRelation => Some((logical, files.location))
        case _ => None
      }
    case _ => None
  }
}
