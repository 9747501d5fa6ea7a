package limitpruning.rows

import org.apache.parquet.hadoop.ParquetInputFormat
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  Alias, And, Ascending, AttributeReference, Expression, FileSourceMetadataAttribute, GetStructField,
  NamedExpression,
  SortOrder
}
import org.apache.spark.sql.catalyst.expressions.codegen.LazilyGeneratedOrdering
import org.apache.spark.sql.catalyst.plans.logical.{Filter, LogicalPlan, Project}
import org.apache.spark.sql.execution.{FileSourceScanExec, FilterExec, QueryExecution, SparkPlan}
import org.apache.spark.sql.execution.datasources.{
  FileFormat, HadoopFsRelation, LogicalRelation, SchemaPruning
}
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat
import org.apache.spark.sql.execution.datasources.parquet.ParquetFileFormat.{
  ROW_INDEX_TEMPORARY_COLUMN_NAME => RowNumbers
}
import org.apache.spark.sql.types.{LongType, StructType}

import limitpruning.parquet.{ColumnNames, ReadSettings}
import limitpruning.scan.{HiddenRows, LimitPrunedScanExec, NoteTopKeysExec}
import limitpruning.search.NumberedRows
import limitpruning.select.{ChosenRows, RowRange, SelectedRowGroup}
import limitpruning.shims.ClassicSession

/**
 * The positions of the rows of a table that satisfy a predicate, with their sort keys, or with the keys of their groups. Spark plans
 * the scan and reads it with its own reader, so that a column means what it means to Spark. It reads the columns of the predicate and
 * of the keys alone.
 *
 * @param planned its output is the path of the file, the position of the row in the file, and the keys
 * @param order the order of these rows, over the output of `planned`; empty if any rows will do, or one of each group
 * @param groups the number of the last keys, which are those of groups; 0 if there are no groups
 * @param plannedWithoutDictionaries plans the same scan again, with a reader that reads no dictionaries to skip row groups
 */
private[rows] final case class PositionScan(
    session: ClassicSession,
    planned: SparkPlan,
    order: Seq[SortOrder],
    groups: Int,
    plannedWithoutDictionaries: () => Option[SparkPlan]
) {

  /** The ordinals of the keys of groups. */
  def groupKeys: Range = planned.output.indices.takeRight(groups)

  /** A plan that Spark can run. */
  lazy val plan: SparkPlan = QueryExecution.prepareExecutedPlan(session, planned)

  private lazy val withoutDictionaries = plannedWithoutDictionaries().getOrElse(planned)

  /** Whether row groups of the table can be read without the others. */
  def readsRowGroups: Boolean = planned.collect { case scan: FileSourceScanExec => scan } match {
    case Seq(scan) => !HiddenRows.areReadBy(scan)
    case _ => false
  }

  /** The order of the rows. */
  def ordering: Ordering[InternalRow] = new LazilyGeneratedOrdering(order, planned.output)

  /**
   * A plan for chosen row groups alone, which are read whole. With an order, it skips row groups while it reads.
   *
   * @param settings for which they were chosen
   * @param readsDictionaries whether Spark's reader reads dictionaries to skip row groups, also of those between the chosen ones
   */
  def of(chosen: ChosenRows, settings: ReadSettings, readsDictionaries: Boolean): SparkPlan = {
    val all = if (readsDictionaries) planned else withoutDictionaries
    val selection = chosen.selection
    val whole = chosen.copy(selection =
      selection.copy(files =
        selection.files.map(file => file.copy(rowGroups = file.rowGroups.map(PositionScan.allRowsOf)))
      )
    )
    val some = all.transform { case scan: FileSourceScanExec =>
      val read = LimitPrunedScanExec(scan.output, scan, whole, settings, isOneTask = false)
      // Spark evaluates these in its own scan alone.
      scan.partitionFilters.reduceOption(And(_, _)).fold[SparkPlan](read)(FilterExec(_, read))
    }
    val noted = order.headOption.fold(some)(NoteTopKeysExec(_, chosen.limit, some))
    QueryExecution.prepareExecutedPlan(session, noted)
  }
}

private[rows] object PositionScan {

  /** The ordinals of the output. */
  val Path = 0
  val Row = 1
  val FirstKey = 2

  /**
   * @param numbered the table
   * @param conjuncts the predicate, over the columns of the table
   * @param order the sort keys, over the columns of the table
   * @param groups the keys of groups, over the columns of the table; empty if there are none
   * @param planned plans a scan as without the extension
   * @return none if Spark cannot plan the scan
   */
  def of(
      session: ClassicSession,
      numbered: NumberedRows,
      conjuncts: Seq[Expression],
      order: Seq[SortOrder],
      groups: Seq[Expression],
      planned: LogicalPlan => Seq[SparkPlan]
  ): Option[PositionScan] = {
    val keys = (order.map(_.child) ++ groups).zipWithIndex.map { case (key, i) => Alias(key, s"key$i")() }
    val filter = conjuncts.reduceOption(And(_, _))
    // The plan has been optimized already, as the plan of the query.
    def plan(relation: LogicalPlan): Option[SparkPlan] = {
      val filtered = filter.fold(relation)(Filter(_, relation))
      planned(SchemaPruning(Project(Seq(numbered.path, numbered.row) ++ keys, filtered))).headOption
    }
    // Of rows with the same keys, the same ones in each run: Spark may copy a plan, and its copies search apart.
    val places = Seq(numbered.path, numbered.row).map(place => SortOrder(place.toAttribute, Ascending))
    val byKeys = order.zip(keys).map { case (key, alias) => key.copy(child = alias.toAttribute) }
    plan(numbered.relation).map { scan =>
      PositionScan(
        session,
        scan,
        if (order.isEmpty) Nil else byKeys ++ places, // without an order, any rows
        groups.size,
        () => plan(withoutDictionaries(numbered.relation))
      )
    }
  }

  /** Spark's reader numbers the rows of whole row groups. */
  private def allRowsOf(rowGroup: SelectedRowGroup): SelectedRowGroup = rowGroup.copy(
    ranges = RowRange.all(rowGroup.rows),
    columns = rowGroup.columns.copy(pages = Map.empty),
    reliesOnPages = false,
    inWholeChunks = false
  )

  private def withoutDictionaries(table: LogicalPlan): LogicalPlan = table.transform {
    case leaf: LogicalRelation =>
      leaf.relation match {
        case files: HadoopFsRelation =>
          val options = files.options + (ParquetInputFormat.DICTIONARY_FILTERING_ENABLED -> "false")
          leaf.copy(relation = files.copy(options = options)(files.sparkSession))
        case _ => leaf
      }
  }

  /** @return none if Spark does not number the rows of the table */
  def numbered(table: LogicalPlan): Option[NumberedRows] = for {
    relation <- withNumbers(table)
    metadata <- relation.output.collectFirst { case FileSourceMetadataAttribute(found) => found }
    path <- field(metadata, FileFormat.FILE_PATH)
    row <- field(metadata, ParquetFileFormat.ROW_INDEX).orElse(relation.output.find(_.name == RowNumbers))
  } yield NumberedRows(relation, path, row)

  /**
   * The table with the positions of its rows. Spark numbers rows by the row counts of row groups then, and not by page indexes,
   * which may be wrong.
   */
  private def withNumbers(table: LogicalPlan): Option[LogicalRelation] = for {
    leaf <- Some(table).collect { case leaf: LogicalRelation => leaf }
    files <- Some(leaf.relation).collect { case files: HadoopFsRelation => files }
    if !leaf.output.exists(column => ColumnNames.areSame(column.name, RowNumbers, caseSensitive = false))
    // Spark may have removed fields of the metadata column that the query selects.
    columns = leaf.output.filter { case FileSourceMetadataAttribute(_) => false; case _ => true }
  } yield {
    val options = files.options + (ParquetInputFormat.COLUMN_INDEX_FILTERING_ENABLED -> "false")
    val relation = files.copy(options = options)(files.sparkSession)
    if (files.fileFormat.metadataSchemaFields.exists(_.name == ParquetFileFormat.ROW_INDEX))
      leaf.copy(relation = relation, output = columns).withMetadataColumns()
    else {
      // Delta shows the positions of rows only for some tables. Spark's reader has them for all, by this name.
      val row = AttributeReference(RowNumbers, LongType)()
      val withRows =
        relation.copy(dataSchema = relation.dataSchema.add(RowNumbers, LongType))(files.sparkSession)
      leaf.copy(relation = withRows, output = columns :+ row).withMetadataColumns()
    }
  }

  private def field(metadata: AttributeReference, name: String): Option[NamedExpression] =
    metadata.dataType match {
      case struct: StructType if struct.fieldNames.contains(name) =>
        Some(Alias(GetStructField(metadata, struct.fieldIndex(name), Some(name)), name)())
      case _ => None
    }
}
