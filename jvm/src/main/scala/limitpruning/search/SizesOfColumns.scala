package limitpruning.search

import limitpruning.parquet.UnreadableFooterException
import limitpruning.select.Reason

/** Reads the footers of the first files of a table, for the sizes of columns. */
private[limitpruning] object SizesOfColumns {

  /** @return the files, as those of a search that has found nothing */
  def apply(scan: LimitedScan, inputs: SearchInputs): NotPruned = {
    val started = System.nanoTime()
    val deadline = inputs.budget.maxTime.fromNow
    val footers = inputs.footers(inputs.files.take(inputs.firstFiles))
    val files =
      try
        inputs.files.take(inputs.firstFiles).iterator
          .map(file => footers.next(deadline).map(inputs.classify(file, _)))
          .takeWhile(_.nonEmpty).flatten.toVector
      catch { case _: UnreadableFooterException => Vector.empty }
      finally footers.close()
    val inspected = if (files.isEmpty) None else Some(InspectedRowGroups(files, inputs.classify))
    NotPruned(
      Reason.OperatorBetween("WindowGroupLimit"),
      Some(scan),
      planningNanos = System.nanoTime() - started,
      inspected = inspected
    )
  }
}
