package limitpruning.rows

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.types.StructType

import limitpruning.parquet.FileId
import limitpruning.predicate.LeafColumn
import limitpruning.search.{
  ChosenFiles, DictionarySize, LimitedScan, ManifestFile, ReadableTable, SampleOfFiles, UnprovedForm
}
import limitpruning.select.Reason

/**
 * Decides whether it pays to find one row of each group for a LIMIT over a [[ReadableTable]] by reading the columns of the keys and of
 * the predicate first; see [[GroupsPay]]. The format's own scan reads these columns of the whole table. The search reads them of a
 * sample: of one row group, if the dictionary of a key promises enough groups there, and otherwise, of one for each task of a large
 * table. The sizes of columns, and the dictionaries, are those of one file.
 */
private[limitpruning] object GroupsOfFilesPay {

  /**
   * @param bytes the compressed bytes that the format's own scan reads more
   * @param sample the row groups that are searched; none for the whole table
   */
  final case class Saved(bytes: Long, sample: Option[SampleOfFiles])

  /**
   * @param scan its limit is a number of groups
   * @param keys of the groups, over the table's columns; a group consists of them
   * @param found the result of the search of metadata
   * @param minBytes the minimum of compressed bytes that must be saved; if 0, it always pays
   * @param tasks number of tasks that run at the same time
   * @param form whether samples for such queries had enough groups
   * @param isBusy whether a job would have to wait
   * @param deadline until when manifests and footers are waited for
   * @return none if it does not pay
   */
  def apply(
      scan: LimitedScan[ReadableTable],
      keys: Seq[Expression],
      found: Either[Reason, ChosenFiles],
      minBytes: Long,
      tasks: Int,
      form: UnprovedForm,
      isBusy: => Boolean,
      deadline: Deadline
  ): Option[Saved] = {
    import scan.{conjuncts, limit, table}
    val first = conjuncts ++ keys
    val columns = AttributeSet(first.flatMap(_.references))
    val isUndecided = found.left.exists { case _: Reason.NotEnoughGroups => true; case _ => false }
    if (
      !isUndecided || limit > GroupsPay.MostGroups || !RowsOfGroups.canCompare(keys) ||
      !first.forall(RowsPay.canRunTwice)
    ) None
    else if (minBytes == 0) Some(Saved(RowsPay.Always, None))
    else if (
      // The search would read all fields of a struct.
      columns.exists(_.dataType.isInstanceOf[StructType]) ||
      !RowsPay.isWorthIt(ManifestFile.bytes(table.files), minBytes) || !form.canRemember || isBusy ||
      // A commit may add other files, and other literals may leave others.
      !form.mayRead(FileId(table.name, length = 0, modificationTime = 0, tag = ""), isOneTask = false)
    ) None
    else {
      val files = table.files
      val leaves = keys.collect { case LeafColumn(column) => column }
      val matching = if (leaves.isEmpty) None else SampleOfFiles.matching(table, conjuncts, deadline)
      for {
        file <- matching.orElse(files.headOption) // most files of a table are alike
        sizes <- table.sizes(columns, RowsPay.equalToValues(conjuncts), leaves, Seq(file), deadline)
        ofAll = SizesOfKeys(
          if (sizes.files == 0) 0.0 else sizes.first.toDouble / sizes.files * ManifestFile.bytes(files),
          files.iterator.map(_.parts.toDouble).sum,
          files.iterator.map(_.rows.toDouble).sum
        )
        if RowsPay.isWorthIt(ofAll.saved, minBytes)
        sample <-
          if (matching.nonEmpty && sizes.dictionaries.exists(_.promises(limit.toLong)))
            Some(Vector(file -> Seq(0))) // the dictionaries are those of this row group
          else if (ofAll.maySample(tasks, minBytes) && !sizes.areSelective())
            Some(SampleOfFiles.spread(
              files,
              tasks.min(GroupsPay.MostInSample),
              limit * DictionarySize.LeastRows,
              ofAll.mostRows(tasks)
            )).filter(some => mayHaveEnough(sizes.dictionaries, keys.size, limit, some.map(_._2.size).sum))
          else None
        if sample.nonEmpty
      } yield Saved(ofAll.saved, Some(SampleOfFiles(sample, form)))
    }
  }

  /** Whether so many row groups may have enough groups: not if all keys have small dictionaries. */
  private def mayHaveEnough(known: Seq[DictionarySize], keys: Int, limit: Int, rowGroups: Int): Boolean = {
    val values = known.map(_.mostValues)
    known.size < keys || values.exists(_.isEmpty) || values.flatten.product * rowGroups >= limit
  }
}
