package limitpruning.search

import java.util.IdentityHashMap

import org.apache.parquet.schema.MessageType
import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, FileSourceMetadataAttribute}
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.{ColumnNames, Footer, LocateColumn, ReadSettings, RowGroupFacts, TestedWriters}
import limitpruning.predicate.{
  ColumnFacts, Evaluator, LeafColumn, MatchState, Obstacle, RowUnit, Values, Work
}
import limitpruning.search.ClassifiedRowGroup._
import limitpruning.select.ListedFile

/**
 * Classifies the row groups of files for one predicate. The predicate is compiled once per query. Not thread-safe,
 * because Catalyst's expressions are not.
 *
 * @param conjuncts the predicate over the relation's columns; if empty, every row matches
 * @param output the relation's columns, with their names in its schema
 * @param partitions the relation's partition columns; their values come from the directory, not from the file
 * @param alsoNeeded expressions whose columns' facts are needed in addition to those of the predicate
 * @param known the table's facts about a file, available without its footer
 * @param isWorthAskingFirst whether these facts cost less than the footers that they may save
 * @param work what the search may evaluate: the predicate and its keys
 */
final class ClassifyRowGroups(
    conjuncts: Seq[Expression],
    output: Seq[Attribute],
    partitions: StructType,
    settings: ReadSettings,
    alsoNeeded: Seq[Expression] = Nil,
    known: ListedFile => FileFacts = _ => FileFacts.NothingDeleted,
    isWorthAskingFirst: () => Boolean = () => true,
    private[limitpruning] val work: Work = new Work
) {
  import ClassifyRowGroups._

  /** The columns of the predicate and of `alsoNeeded`. Units of rows number the columns in this order. */
  val columns: IndexedSeq[LeafColumn] = {
    val used = LeafColumn.inAll(conjuncts ++ alsoNeeded).toIndexedSeq
    // A table may have thousands of other columns.
    val ids = used.iterator.map(_.attribute.exprId).toSet
    val byId = output.reverseIterator.filter(attribute => ids(attribute.exprId))
      .map(attribute => attribute.exprId -> attribute).toMap
    for {
      column <- used
      attribute <- byId.get(column.attribute.exprId)
      if !isMetadata(attribute)
    } yield column.copy(attribute = attribute)
  }

  /** Whether the predicate has any conjunct. */
  def hasPredicate: Boolean = evaluator.nonEmpty

  /** The first conjunct that no row of the unit satisfies; none if there is no such conjunct. */
  def neverTrue(unit: RowUnit): Option[Expression] = evaluator.flatMap(_.neverTrue(unit))

  /**
   * Whether no row of the unit satisfies one of some conjuncts.
   *
   * @param among whether it is one of these, for each conjunct of the predicate
   */
  private[search] def isNeverTrue(unit: RowUnit)(among: IndexedSeq[Boolean]): Boolean = {
    val isProved = evaluator.exists(_.isNeverTrue(unit)(among))
    if (isProved) work.hasResult()
    isProved
  }

  /** The columns of the conjuncts that the unit leaves undecided. */
  private[limitpruning] def undecidedColumns(unit: RowUnit): Seq[Int] =
    evaluator.toSeq.flatMap(_.undecided(unit)).flatten.distinct

  /** None if there is no predicate. */
  private[limitpruning] val evaluator =
    if (conjuncts.isEmpty) None else Some(new Evaluator(conjuncts, columns, work))

  def apply(listed: ListedFile, footer: Footer): ClassifiedFile = {
    val doubt = untested(footer).orElse(contradicted(listed, footer))
    val facts = new RowGroupFacts(
      footer,
      settings,
      partitionOrdinal(_) >= 0,
      locators.computeIfAbsent(_, LocateColumn(_, settings))
    )
    lazy val stated = columns.map(source(_, listed, facts, facts.stated))
    val isListed = columns.forall(facts.isListed)
    // Each source evaluates the writer and the calendar of the footer only once.
    val inFooter = columns.map(source(_, listed, facts, facts.of))
    lazy val orInTable = columns.zip(inFooter).map { case (column, known) =>
      if (facts.isListed(column)) orFromTable(column, listed, known) else known
    }
    var isTableAsked = false
    // Plain Parquet knows no column.
    val inTable = known(listed)
    val isInTable = columns.exists(inTable.knows)
    val rowGroups =
      if (doubt.isEmpty) footer.rowGroups.indices.map { ordinal =>
        Work.checkInterrupted()
        val rows = footer.rowGroups(ordinal).getRowCount
        val unit = new KnownFacts(inFooter, ordinal)
        val byFooter = classify(rows, unit)
        val proved =
          if (byFooter.isDecided || !isInTable || !tableMayDecide(inTable, unit)) byFooter
          else {
            isTableAsked = true
            classify(rows, new KnownFacts(orInTable, ordinal))
          }
        if (proved.isDecided) proved
        else {
          val found =
            if (isListed) proved
            else withStatements(proved, classify(rows, new KnownFacts(stated, ordinal))) {
              undecidedColumns(unit).flatMap(i => facts.doubt(columns(i), ordinal)).headOption
            }
          if (facts.areAllPartsListed || found.stated.nonEmpty) found
          else found.copy(obstacle = found.obstacle.map(facts.withUnusedParts(_, columns, ordinal)))
        }
      }
      else footer.rowGroups.map(_ => undecided(doubt))
    // The table is not asked about a column of the predicate if its answer would decide no row group.
    val sources =
      columns.indices.map(i => if (isTableAsked || isKey(columns(i))) orInTable(i) else inFooter(i))
    val deletedRows = inTable.deletedRows.getOrElse(0L)
    new ClassifiedFile(listed, footer, facts, sources, doubt.isEmpty, rowGroups, deletedRows)
  }

  /**
   * An undecided row group, with the state that would follow from what the writer states.
   *
   * @param doubt why nothing is proved by it
   */
  private def withStatements(undecided: ClassifiedRowGroup, stated: ClassifiedRowGroup)(
      doubt: => Option[Obstacle]
  ): ClassifiedRowGroup =
    if (stated.isDecided)
      undecided.copy(obstacle = doubt.orElse(undecided.obstacle), stated = Some(stated.state))
    else undecided.copy(obstacle = stated.obstacle)

  // By the schema, which the files of a table share.
  private val locators = new IdentityHashMap[MessageType, LocateColumn]

  private val keys = alsoNeeded.flatMap(LeafColumn.in).map(_.id).toSet

  private def isKey(column: LeafColumn): Boolean = keys(column.id)

  /** Whether the table may decide each conjunct that the footer leaves undecided. Free of I/O. */
  private def tableMayDecide(inTable: FileFacts, unit: RowUnit): Boolean =
    evaluator.toSeq.flatMap(_.undecided(unit)).forall(_.exists { column =>
      unit.facts(column).values == Values.Unknown && inTable.knows(columns(column))
    })

  /**
   * If the settings trust only tested writers, nothing in the footer of another writer is trusted, not even row counts.
   */
  private def untested(footer: Footer): Option[Obstacle] =
    if (!settings.trustedWritersOnly || TestedWriters.contain(footer.createdBy)) None
    else Some(Obstacle.UntestedWriter(Option(footer.createdBy).filter(_.nonEmpty).getOrElse("unknown")))

  /** The obstacle if the table does not know how many rows it deleted, or how many the file has. */
  private def contradicted(listed: ListedFile, footer: Footer): Option[Obstacle] = {
    val facts = known(listed)
    val rows = footer.rowGroups.iterator.map(_.getRowCount).sum
    if (facts.deletedRows.exists(deleted => deleted >= 0 && deleted <= rows) && facts.rows.forall(_ == rows))
      None
    else Some(Obstacle.RowsNotInTable)
  }

  /** Classifies a row group of `rows` rows by the facts in `unit`. */
  private[limitpruning] def classify(rows: Long, unit: RowUnit): ClassifiedRowGroup =
    if (rows == 0) NotMatching // without rows, there is no outcome
    else
      evaluator.fold[MatchState](MatchState.FullyMatching)(e => MatchState.of(e.outcomes(unit))) match {
        case MatchState.NotMatching =>
          work.hasResult()
          NotMatching
        case MatchState.FullyMatching =>
          work.hasResult()
          fullyMatching(rows)
        case MatchState.PartiallyMatching => undecided(evaluator.flatMap(_.obstacle(unit)))
      }

  /** The facts that are certain before the footer is read: the partition values, and what the table proves. */
  private[limitpruning] def beforeReading(file: ListedFile): RowUnit = unit(file, known(file).columns)

  /** The facts that are expected before the footer is read. They prove nothing. */
  private[limitpruning] def expected(file: ListedFile): RowUnit = unit(file, known(file).hints)

  /** Whether all rows of a file are expected to match. This proves nothing. */
  private[limitpruning] def isExpectedToMatch(file: ListedFile): Boolean = evaluator.exists { e =>
    val isExpected = MatchState.of(e.outcomes(expected(file))) == MatchState.FullyMatching
    work.hasResult() // the order of the files
    isExpected
  }

  private def unit(file: ListedFile, facts: LeafColumn => ColumnFacts): RowUnit = ordinal =>
    partitionValue(columns(ordinal), file).fold {
      if (isWorthAskingFirst()) facts(columns(ordinal)) else ColumnFacts.Unknown
    }(ColumnFacts.constant)

  private def source(
      column: LeafColumn,
      file: ListedFile,
      facts: RowGroupFacts,
      inFile: LeafColumn => Int => ColumnFacts
  ): ColumnSource =
    partitionValue(column, file) match {
      case None => ColumnSource(inFile(column), facts.exceedsDictionary(column, _))
      case Some(value) =>
        val constant = ColumnFacts.constant(value)
        ColumnSource(_ => constant)
    }

  /** If the footer says nothing about the values of a row group: what the table says about those of the whole file. */
  private def orFromTable(
      column: LeafColumn,
      file: ListedFile,
      inFooter: ColumnSource
  ): ColumnSource = inFooter.copy(facts = { ordinal =>
    val found = inFooter.facts(ordinal)
    if (found.values != Values.Unknown) found
    else {
      val inTable = known(file).columns(column)
      found.nulls.and(inTable.nulls).fold(ColumnFacts.Unknown)(ColumnFacts(inTable.values, _))
    }
  })

  /** None for a column of the file itself. */
  private def partitionValue(column: LeafColumn, file: ListedFile): Option[Any] =
    partitionOrdinal(column.attribute) match {
      case -1 => None
      case ordinal => Some(file.partitionValues.get(ordinal, partitions(ordinal).dataType))
    }

  /** The value of a partition column comes from the directory, even if the file also contains the column. */
  private def partitionOrdinal(column: Attribute): Int =
    partitions.fieldNames.indexWhere(ColumnNames.areSame(_, column.name, settings.caseSensitive))
}

private[search] object ClassifyRowGroups {

  private[search] def isMetadata(attribute: Attribute): Boolean = attribute match {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }
}
