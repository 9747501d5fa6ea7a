package limitpruning.plan

import limitpruning.parquet.RowGroupDetails
import limitpruning.predicate.{Column, ColumnFacts, RowUnit}

/** The facts about one row group with its dictionaries and bloom filters, for the columns where they may help. */
private[plan] final class DetailedFacts(
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
