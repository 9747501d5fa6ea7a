package limitpruning.plan

import org.apache.spark.sql.catalyst.expressions.{Attribute, Expression, FileSourceMetadataAttribute}
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.{Footer, ReadSettings, RowGroupDetails, RowGroupFacts, TestedWriters}
import limitpruning.predicate._

/**
 * The state of one row group, and what stood in the way where it is partially matching.
 *
 * @param obstacle none where the row group is decided
 */
final case class ClassifiedRowGroup(state: MatchState, obstacle: Option[Obstacle])

/**
 * The state of each row group of a file for one predicate. Compiled once per query; not thread-safe, as Catalyst's
 * expressions are not.
 *
 * @param conjuncts the predicate over the relation's columns; with none, every row matches
 * @param output the relation's columns, by the names that its schema gives them
 * @param partitions the relation's partition columns, whose values are the directory's, not the file's
 */
final class ClassifyRowGroups(
    conjuncts: Seq[Expression],
    output: Seq[Attribute],
    partitions: StructType,
    settings: ReadSettings
) {
  import ClassifyRowGroups._

  private val columns: IndexedSeq[Column] = for {
    column <- conjuncts.flatMap(Column.in).distinctBy(_.id).toIndexedSeq
    attribute <- output.find(_.exprId == column.attribute.exprId)
    if !isMetadata(attribute)
  } yield column.copy(attribute = attribute)

  private val evaluator = if (conjuncts.isEmpty) None else Some(new Evaluator(conjuncts, columns))

  def apply(file: ListedFile, footer: Footer): Seq[ClassifiedRowGroup] =
    if (isDoubted(footer)) doubted(footer) else classify(file, footer)

  private def isDoubted(footer: Footer): Boolean =
    settings.trustedWritersOnly && !TestedWriters.contain(footer.file.getCreatedBy)

  private def classify(file: ListedFile, footer: Footer): Seq[ClassifiedRowGroup] = {
    val sources = sourcesOf(file, footer)
    footer.rowGroups.indices.map { index =>
      if (footer.rowGroups(index).getRowCount == 0) NoRows
      else evaluator.fold(Matching)(classify(_, new KnownFacts(sources, index)))
    }
  }

  /** What the footer tells about columns of the relation. */
  def factsOf(footer: Footer): RowGroupFacts = new RowGroupFacts(footer, settings)

  /**
   * Classifies a row group again, with what the file tells beyond its footer.
   *
   * @return none, with nothing read, where the conjuncts that are undecided cannot all be decided by that
   */
  def refined(
      file: ListedFile,
      footer: Footer,
      rowGroup: Int,
      details: RowGroupDetails
  ): Option[ClassifiedRowGroup] = evaluator.filterNot(_ => isDoubted(footer)).flatMap { predicate =>
    val known = new KnownFacts(sourcesOf(file, footer), rowGroup)
    val undecided = predicate.undecided(known)
    val helps = undecided.forall(_.exists(column => details.exist(columns(column), rowGroup)))
    if (helps)
      Some(classify(predicate, new DetailedFacts(known, columns, undecided.flatten.toSet, rowGroup, details)))
    else None
  }

  private def classify(evaluator: Evaluator, unit: RowUnit): ClassifiedRowGroup =
    MatchState.of(evaluator.outcomes(unit)) match {
      case MatchState.PartiallyMatching =>
        ClassifiedRowGroup(MatchState.PartiallyMatching, evaluator.obstacle(unit))
      case decided => ClassifiedRowGroup(decided, None)
    }

  /** Where the facts about each column come from; the footer is asked about its writer and calendar once. */
  private def sourcesOf(file: ListedFile, footer: Footer): IndexedSeq[Int => ColumnFacts] = {
    val facts = factsOf(footer)
    columns.map(source(_, file, facts))
  }

  private def source(column: Column, file: ListedFile, facts: RowGroupFacts): Int => ColumnFacts =
    partitionOrdinal(column.attribute) match {
      case -1 => facts.of(column)
      case ordinal =>
        val constant = ColumnFacts.constant(file.partitionValues.get(ordinal, partitions(ordinal).dataType))
        _ => constant
    }

  /** A partition column that also stands in the file is read from the directory's name. */
  private def partitionOrdinal(column: Attribute): Int =
    partitions.fieldNames.indexWhere { name =>
      if (settings.caseSensitive) name == column.name else name.equalsIgnoreCase(column.name)
    }
}

private object ClassifyRowGroups {

  /** No row, no outcome. */
  private val NoRows = ClassifiedRowGroup(MatchState.NotMatching, None)

  /** No predicate, no doubt. */
  private val Matching = ClassifiedRowGroup(MatchState.FullyMatching, None)

  /** Not even the numbers of rows are believed. */
  private def doubted(footer: Footer): Seq[ClassifiedRowGroup] = {
    val writer = Option(footer.file.getCreatedBy).getOrElse("")
    val obstacle = Some(Obstacle.UntestedWriter(if (writer.isEmpty) "unknown" else writer))
    footer.rowGroups.map(_ => ClassifiedRowGroup(MatchState.PartiallyMatching, obstacle))
  }

  private def isMetadata(attribute: Attribute): Boolean = attribute match {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }

  /** The facts about one row group with its dictionaries and bloom filters, for the columns where they may help. */
  private final class DetailedFacts(
      known: RowUnit,
      columns: IndexedSeq[Column],
      helpful: Set[Int],
      rowGroup: Int,
      details: RowGroupDetails
  ) extends RowUnit {
    override def facts(ordinal: Int): ColumnFacts =
      if (helpful(ordinal)) details.narrow(columns(ordinal), rowGroup, known.facts(ordinal))
      else known.facts(ordinal)

    override def excludes(ordinal: Int, value: Any): Boolean =
      helpful(ordinal) && details.exclude(columns(ordinal), rowGroup, value)
  }

  /** The facts about one row group, each worked out when it is first asked for. */
  private final class KnownFacts(sources: IndexedSeq[Int => ColumnFacts], rowGroup: Int) extends RowUnit {
    private val known = new Array[ColumnFacts](sources.size)

    override def facts(ordinal: Int): ColumnFacts = {
      if (known(ordinal) == null) known(ordinal) = sources(ordinal)(rowGroup)
      known(ordinal)
    }
  }
}
