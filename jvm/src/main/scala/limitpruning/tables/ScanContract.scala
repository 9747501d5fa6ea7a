package limitpruning.tables

import limitpruning.shims.SparkShims

/**
 * The contract of a scan that replaces Spark's `FileSourceScanExec`. If this Spark has a field that is not listed, no
 * LIMIT is pruned. `tests/scan/test_scan_contract.py` has the decision about each field, and the rest of the contract.
 */
object ScanContract {

  /** The first field of `part` that is not one of `listed`; none if all are. */
  def undecided(part: Product, listed: Seq[String]): Option[String] =
    SparkShims.elementNames(part)
      .find(field => !listed.contains(field))
      .map(field => s"${part.productPrefix}.$field")
}

/** The fields of the [[ScanContract]]. */
private[limitpruning] object ScanClauses {

  /** Constructor fields of `FileSourceScanExec`. */
  val fileSourceScan: Seq[String] = Seq(
    "relation",
    "stream",
    "output",
    "requiredSchema",
    "partitionFilters",
    "optionalBucketSet",
    "optionalNumCoalescedBuckets",
    "dataFilters",
    "tableIdentifier",
    "disableBucketedScan",
    // Since Spark 4.3, FileSourceStrategy sets it if the optimizer marked the query as small. It is only a hint:
    // operators above use the node's outputPartitioning.
    "markedForSingleTaskExecution"
  )

  /** Constructor fields of `LogicalRelation`. */
  val logicalRelation: Seq[String] = Seq("relation", "output", "catalogTable", "isStreaming", "stream")

  /** Constructor fields of `HadoopFsRelation`. */
  val fsRelation: Seq[String] =
    Seq("location", "partitionSchema", "dataSchema", "bucketSpec", "fileFormat", "options")
}
