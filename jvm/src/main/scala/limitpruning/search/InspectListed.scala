package limitpruning.search

import scala.concurrent.duration.FiniteDuration

import limitpruning.parquet.UnreadableFooterException
import limitpruning.select.ListedFile

/** Reads the footers of some files of a table. */
private[limitpruning] object InspectListed {

  /**
   * @param patience the maximum time
   * @return the files with their row groups; fewer if this takes longer, none if a footer cannot be read, such as of a file that has
   *   changed
   */
  def apply(files: Seq[ListedFile], inputs: SearchInputs, patience: FiniteDuration): Seq[ClassifiedFile] =
    if (files.isEmpty) Nil
    else {
      val deadline = patience.fromNow
      val footers = inputs.footers(files)
      try
        files.iterator.map(file => footers.next(deadline).map(inputs.classify(file, _)))
          .takeWhile(_.nonEmpty).flatten.toVector
      catch { case _: UnreadableFooterException => Nil }
      finally footers.close()
    }
}
