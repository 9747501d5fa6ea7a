package limitpruning.search

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, FileSourceMetadataAttribute}
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.{Footer, ReadSettings, RowGroupFacts, TestedWriters}
import limitpruning.predicate.{ColumnFacts, Evaluator, LeafColumn, MatchState, Obstacle, RowUnit}
import limitpruning.search.ClassifiedRowGroup._
import limitpruning.select.ListedFile

/**
 * The state of each row group of a file for one predicate. Compiled once per query; not thread-safe, as Catalyst's
 * expressions are not.
 *
 * @param conjuncts the predicate over the relation's columns; with none, every row matches
 * @param output the relation's columns, by the names that its schema gives them
 * @param partitions the relation's partition columns, whose values are the directory's, not the file's
 * @param alsoNeeded expressions whose columns' facts are needed beside the predicate's
 * @param known what the table knows of a file without its footer
 */
final class ClassifyRowGroups(
    conjuncts: Seq[Expression],
    output: Seq[Attribute],
    partitions: StructType,
    settings: ReadSettings,
    alsoNeeded: Seq[Expression] = Nil,
    known: ListedFile => FileFacts = _ => FileFacts.InFooterOnly
) {
  import ClassifyRowGroups._

  /** The predicate's columns, and those of what is asked beside it, in the order in which units of rows number them. */
  val columns: IndexedSeq[LeafColumn] = for {
    column <- (conjuncts ++ alsoNeeded).flatMap(LeafColumn.in).distinctBy(_.id).toIndexedSeq
    attribute <- output.find(_.exprId == column.attribute.exprId)
    if !isMetadata(attribute)
  } yield column.copy(attribute = attribute)

  /** Whether there is anything that rows have to satisfy. */
  def hasPredicate: Boolean = evaluator.nonEmpty

  /** The first conjunct that no row satisfies. */
  def neverTrue(unit: RowUnit): Option[Expression] = evaluator.flatMap(_.neverTrue(unit))

  /** None where there is no predicate. */
  private[limitpruning] val evaluator =
    if (conjuncts.isEmpty) None else Some(new Evaluator(conjuncts, columns))

  def apply(listed: ListedFile, footer: Footer): ClassifiedFile = {
    val doubt = untested(footer).orElse(incomplete(listed, footer))
    val facts = new RowGroupFacts(footer, settings)
    // The footer is asked about its writer and calendar once.
    val sources = columns.map(source(_, listed, facts))
    val rowGroups =
      if (doubt.isEmpty) footer.rowGroups.indices.map { ordinal =>
        classify(footer.rowGroups(ordinal).getRowCount, new KnownFacts(sources, ordinal))
      }
      else footer.rowGroups.map(_ => undecided(doubt))
    new ClassifiedFile(listed, footer, facts, sources, doubt.isEmpty, rowGroups)
  }

  /** Not even the numbers of rows are believed of writers that were not tested, where the settings say so. */
  private def untested(footer: Footer): Option[Obstacle] =
    if (!settings.trustedWritersOnly || TestedWriters.contain(footer.createdBy)) None
    else Some(Obstacle.UntestedWriter(Option(footer.createdBy).filter(_.nonEmpty).getOrElse("unknown")))

  /** Rows of the file that are not in the table must not be counted. */
  private def incomplete(listed: ListedFile, footer: Footer): Option[Obstacle] =
    if (known(listed).hasAllRows(footer.rowGroups.iterator.map(_.getRowCount).sum)) None
    else Some(Obstacle.RowsNotInTable)

  /** Classifies a row group of `rows` rows by whatever is known about it. */
  private[limitpruning] def classify(rows: Long, unit: RowUnit): ClassifiedRowGroup =
    if (rows == 0) NotMatching // no row, no outcome
    else
      evaluator.fold[MatchState](MatchState.FullyMatching)(e => MatchState.of(e.outcomes(unit))) match {
        case MatchState.NotMatching => NotMatching
        case MatchState.FullyMatching => fullyMatching(rows)
        case MatchState.PartiallyMatching => undecided(evaluator.flatMap(_.obstacle(unit)))
      }

  /** What is certain of a file before its footer is read: its partition values, and what the table proves. */
  private[limitpruning] def beforeReading(file: ListedFile): RowUnit = {
    val facts = known(file)
    if (facts.isProof) expected(file, facts) else expected(file, FileFacts.InFooterOnly)
  }

  /** What is expected of a file before its footer is read. It proves nothing. */
  private[limitpruning] def expected(file: ListedFile): RowUnit = expected(file, known(file))

  private def expected(file: ListedFile, facts: FileFacts): RowUnit = ordinal =>
    partitionValue(columns(ordinal), file)
      .fold(facts.columns(columns(ordinal).attribute))(ColumnFacts.constant)

  private def source(column: LeafColumn, file: ListedFile, facts: RowGroupFacts): Int => ColumnFacts =
    partitionValue(column, file) match {
      case None => facts.of(column)
      case Some(value) =>
        val constant = ColumnFacts.constant(value)
        _ => constant
    }

  /** None for a column of the file itself. */
  private def partitionValue(column: LeafColumn, file: ListedFile): Option[Any] =
    partitionOrdinal(column.attribute) match {
      case -1 => None
      case ordinal => Some(file.partitionValues.get(ordinal, partitions(ordinal).dataType))
    }

  /** A partition column that also stands in the file is read from the directory's name. */
  private def partitionOrdinal(column: Attribute): Int =
    partitions.fieldNames.indexWhere { name =>
      if (settings.caseSensitive) name == column.name else name.equalsIgnoreCase(column.name)
    }
}

private object ClassifyRowGroups {

  private def isMetadata(attribute: Attribute): Boolean = attribute match {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }
}
