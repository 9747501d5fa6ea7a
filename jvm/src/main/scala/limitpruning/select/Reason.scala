package limitpruning.select

/**
 * Why a LIMIT over Parquet, or over a table of Apache Iceberg, is not pruned, or not covered.
 *
 * @param code short and stable, for programs
 * @param message one sentence for users
 */
sealed abstract class Reason(val code: String, val message: String) extends Serializable {

  /** Whether the LIMIT may still be pruned when the query runs. */
  def isPending: Boolean = false
}

object Reason {

  case object LimitNotConstant extends Reason("limit-not-constant", "the LIMIT is not a constant")

  case object Hint extends Reason("hint", "the hint NO_LIMIT_PRUNING of the query switches pruning off")

  final case class OperatorBetween(operator: String)
      extends Reason("operator-between", s"$operator is between the LIMIT and the scan")

  final case class NotDeterministic(expression: String)
      extends Reason("not-deterministic", s"$expression is not deterministic")

  case object SharedDefinition
      extends Reason(
        "shared-cte",
        "the LIMIT is in a common table expression that is not deterministic, and that Spark evaluates once for all " +
          "references to it"
      )

  case object RepeatedLimit
      extends Reason(
        "repeated-limit",
        "the query evaluates the LIMIT more than once, and must get the same rows each time"
      )

  final case class TooDeeplyNested(deepest: Int)
      extends Reason("too-deeply-nested", s"an expression is nested more than $deepest levels deep")

  case object Subquery
      extends Reason(
        "subquery",
        "the predicate or the first sort key contains a subquery, whose value is not known while planning"
      )

  case object DecidedWhenRun
      extends Reason(
        "decided-when-run",
        "the predicate contains a subquery, so the rows are chosen when the query runs and its value is known"
      ) {
    override def isPending: Boolean = true
  }

  /** @param because why the LIMIT is not covered by metadata; none if they only exclude rows */
  final case class DecidedByRows(because: Option[Reason])
      extends Reason(
        "decided-by-rows",
        "metadata alone do not find the rows, so they are searched for when the query runs, by reading the columns of the " +
          s"predicate and of the keys first${because.fold("")(reason => s": ${reason.message}")}"
      ) {
    override def isPending: Boolean = true
  }

  case object AtRoot
      extends Reason(
        "at-root",
        "the LIMIT is at the root of the query and has no predicate: collect, show and take read the first rows of a file " +
          "without planning, and other actions choose the rows when they start"
      ) {
    override def isPending: Boolean = true
  }

  final case class NotSparksParquet(format: String)
      extends Reason("other-format", s"the table is read by $format, which may hide rows of its files")

  final case class NotSparksIndex(index: String)
      extends Reason(
        "other-file-index",
        s"the table's files are listed by $index, which is not Spark's own"
      )

  case object PartitionDecimals
      extends Reason(
        "partition-decimals",
        "a partition value has other digits than its DECIMAL column, and Spark's readers return other numbers for it"
      )

  case object DeltaNotPrepared
      extends Reason(
        "delta-not-prepared",
        "Delta Lake has not chosen the table's files when LIMITs are pruned: the LIMIT is in a write that Delta plans again, " +
          "or spark.databricks.delta.stats.skipping is false"
      )

  /** @param problem the class or method that is missing */
  final case class DeltaVersion(problem: String)
      extends Reason("delta-version", s"this version of Delta Lake is not supported: $problem")

  /** @param reader the product that reads the table */
  final case class DataSourceV2(reader: String)
      extends Reason(
        "data-source-v2",
        s"$reader reads the table through data source V2, which is not supported"
      )

  /** @param scan what kind of scan it is, with an article */
  final case class IcebergScan(scan: String)
      extends Reason("iceberg-scan", s"Apache Iceberg reads the table by $scan, which is not supported")

  /** @param problem the class, method or field that is missing */
  final case class IcebergVersion(problem: String)
      extends Reason("iceberg-version", s"this version of Apache Iceberg is not supported: $problem")

  final case class KeyNotColumn(key: String)
      extends Reason(
        "key-not-column",
        s"the files of Apache Iceberg are ordered by the values of columns, and the first sort key $key is not a column"
      )

  /** @param obstacles the obstacles; empty if there are none */
  final case class KeyNotClusteredInFiles(key: String, files: Int, obstacles: String)
      extends Reason(
        "key-not-clustered-in-files",
        s"the metrics of $files files show no file that ORDER BY $key could skip" +
          (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  /**
   * @param found rows of these files
   * @param provable files in which every row is proved to match, and whose deleted rows are known
   * @param obstacles the obstacles, each with the number of files; empty if there are none
   * @param rowGroups such row groups of other files
   * @param inRowGroups rows of these row groups
   */
  final case class NotEnoughRowsInFiles(
      found: Long,
      limit: Int,
      provable: Int,
      files: Int,
      obstacles: String,
      rowGroups: Int = 0,
      inRowGroups: Long = 0
  ) extends Reason(
        "not-enough-rows-in-files",
        s"$provable of $files files, in which every row certainly matches, hold $found rows" +
          (if (rowGroups == 0) "" else s", and $rowGroups row groups of other files hold $inRowGroups rows") +
          s"; the LIMIT needs $limit" + (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  case object NothingToSkip
      extends Reason("nothing-to-skip", "the LIMIT needs every file that the scan reads")

  case object Streaming extends Reason("streaming", "the scan is a streaming source")

  /** @param obstacle why no reserve can take the place of skipped files; empty if none is ever kept */
  final case class ToleratesBadFiles(setting: String, obstacle: String = "")
      extends Reason(
        "tolerates-bad-files",
        s"$setting is on, so Spark may skip files that a proof relies on" +
          (if (obstacle.isEmpty) "" else s": $obstacle")
      )

  final case class SplitDependent(column: String)
      extends Reason(
        "split-dependent",
        s"_metadata.$column depends on how files are split, which pruning changes"
      )

  /** @param field the field, with its class */
  final case class UnknownField(field: String)
      extends Reason("unknown-field", s"this version of the extension does not support $field of this Spark")

  case object NoFiles extends Reason("no-files", "no file is left after partition pruning")

  final case class UnreadableFooter(problem: String) extends Reason("unreadable-footer", problem)

  final case class UnaddressableRowGroups(path: String)
      extends Reason("unaddressable-row-groups", s"byte ranges cannot separate the row groups of $path")

  final case class UnreadablePages(path: String)
      extends Reason(
        "unreadable-pages",
        s"single pages of $path cannot be located: its page index contradicts itself or the footer, or is larger than " +
          "what is left of spark.limitPruning.planning.maxBytes"
      )

  /** @param obstacles the obstacles, each with the number of row groups */
  final case class NotClustered(filesInspected: Int, obstacles: String)
      extends Reason(
        "not-clustered",
        s"the first $filesInspected footers prove too few rows, so no other file was inspected: $obstacles"
      )

  /** @param obstacles the obstacles, each with the number of row groups; empty if there are none */
  final case class NotEnoughRows(found: Long, limit: Int, obstacles: String)
      extends Reason(
        "not-enough-rows",
        s"fully matching row groups and pages hold $found rows, the LIMIT needs $limit" +
          (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  /**
   * @param likely rows of row groups in which every row matches if their writers are right; at most `limit` count for each
   * @param obstacles the obstacles, each with the number of row groups
   */
  final case class WriterNotListed(found: Long, likely: Long, limit: Int, obstacles: String)
      extends Reason(
        "writer-not-listed",
        s"fully matching row groups and pages hold $found rows, the LIMIT needs $limit; at least ${likely.min(limit.toLong)} more " +
          s"rows match if the writers of their files are right, which is not proved: $obstacles"
      )

  final case class KeyNotOrdered(key: String, dataType: String)
      extends Reason(
        "key-not-ordered",
        s"nothing is proved about the order of $key, because its type is $dataType"
      )

  /** @param obstacles the obstacles, each with the number of row groups; empty if there are none */
  final case class KeyNotClustered(filesInspected: Int, key: String, obstacles: String)
      extends Reason(
        "key-not-clustered",
        s"the footers of $filesInspected files show no row group that ORDER BY $key could skip" +
          (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  /** @param what what was searched for: rows or groups */
  final case class OutOfBudget(setting: String, value: String, found: Long, limit: Int, what: String = "rows")
      extends Reason(
        "out-of-budget",
        s"$setting = $value was used up when fully matching row groups and pages held $found of $limit $what"
      )

  /**
   * @param obstacles the obstacles, each with the number of row groups; empty if there are none
   * @param metadata what was searched
   */
  final case class NotEnoughGroups(
      found: Int,
      limit: Int,
      keys: String,
      filesInspected: Int,
      obstacles: String,
      metadata: String = "footers"
  ) extends Reason(
        "not-enough-groups",
        s"the $metadata of $filesInspected files prove $found groups by $keys, the LIMIT needs $limit" +
          (if (obstacles.isEmpty) "" else s": $obstacles")
      )

  final case class GroupsNotComplete(
      keys: String,
      because: String = "no key depends on partition columns alone"
  ) extends Reason(
        "groups-not-complete",
        s"a group by $keys may have rows in every file, because $because"
      )

  object GroupsNotComplete {
    val NotInManifests = "the manifests do not have the keys of each file"
  }

  final case class GroupFilter(filter: String)
      extends Reason(
        "group-filter",
        s"the filter $filter is evaluated after the groups, so it is not known how many groups pass it"
      )

  case object FiltersChanged
      extends Reason("filters-changed", "the scan's filters changed after its rows had been selected")

  final case class PlanningFailed(error: String)
      extends Reason("planning-failed", s"planning failed unexpectedly: $error (see the driver's log)")

  case object Disabled
      extends Reason("disabled", "spark.limitPruning.enabled was false when the query was planned")

  /** The rows were to be chosen when the query runs. */
  case object DisabledWhenRun
      extends Reason("disabled-when-run", "spark.limitPruning.enabled was false when the query ran")

  case object NotSeen
      extends Reason(
        "not-seen",
        "a rule of the session made the LIMIT after LIMITs had been pruned, or spark.sql.optimizer.excludedRules excludes " +
          "the rules that prune them"
      )
}
