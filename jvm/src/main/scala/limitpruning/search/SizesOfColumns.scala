package limitpruning.search

import limitpruning.select.Reason

/** Reads the footers of the first files of a table, for the sizes of columns. */
private[limitpruning] object SizesOfColumns {

  /** @return the files, as those of a search that has found nothing */
  def apply(scan: LimitedScan[Table], inputs: SearchInputs): NotPruned = {
    val started = System.nanoTime()
    val files = InspectListed(inputs.files.take(inputs.firstFiles), inputs, inputs.budget.maxTime)
    NotPruned(
      Reason.OperatorBetween("WindowGroupLimit"),
      Some(scan),
      planningNanos = System.nanoTime() - started,
      inspected = if (files.isEmpty) None else Some(InspectedRowGroups(files, inputs.classify))
    )
  }
}
