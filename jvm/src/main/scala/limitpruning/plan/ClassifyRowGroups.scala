package limitpruning.plan

import org.apache.spark.sql.catalyst.expressions.{
  And, Attribute, AttributeSet, Expression, FileSourceMetadataAttribute
}
import org.apache.spark.sql.types.{StructField, StructType}

import limitpruning.parquet.{Footer, ReadSettings, RowGroupFacts}
import limitpruning.predicate._

/**
 * The state of each row group of a file for one predicate. Compiled once per query; thread-safe.
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
  private val columns =
    output.filter(AttributeSet.fromAttributeSets(conjuncts.map(_.references)).contains).toIndexedSeq
  private val evaluator = conjuncts.reduceOption(And).map(new Evaluator(_, columns))

  def apply(file: ListedFile, footer: Footer): Seq[MatchState] = evaluator match {
    case None =>
      footer.rowGroups.map(r => if (r.getRowCount == 0) MatchState.NotMatching else MatchState.FullyMatching)
    case Some(predicate) =>
      val facts = new RowGroupFacts(footer, settings)
      val sources = columns.map(source(_, file, facts))
      footer.rowGroups.zipWithIndex.map { case (rowGroup, index) =>
        if (rowGroup.getRowCount == 0) MatchState.NotMatching // no row, no outcome
        else MatchState.of(predicate.outcomes(ordinal => sources(ordinal)(index)))
      }
  }

  private def source(
      column: Attribute,
      file: ListedFile,
      facts: RowGroupFacts
  ): Int => ColumnFacts =
    column match {
      case FileSourceMetadataAttribute(_) => _ => ColumnFacts.Unknown
      case _ =>
        partitionOrdinal(column) match {
          case -1 => facts.of(StructField(column.name, column.dataType, column.nullable, column.metadata))
          case ordinal =>
            val constant =
              ColumnFacts.constant(file.partitionValues.get(ordinal, partitions(ordinal).dataType))
            _ => constant
        }
    }

  /** A partition column that also stands in the file is read from the directory's name. */
  private def partitionOrdinal(column: Attribute): Int =
    partitions.fieldNames.indexWhere { name =>
      if (settings.caseSensitive) name == column.name else name.equalsIgnoreCase(column.name)
    }
}
