package limitpruning.rows

import scala.util.Using

import org.apache.spark.sql.catalyst.expressions.{Ascending, AttributeSet, Expression, SortOrder}

import limitpruning.predicate.{LeafColumn, MatchState}
import limitpruning.search.{
  ClassifiedFile, ClassifyRowGroups, DictionarySize, FirstOfGroupsScan, GroupsScan, LimitPlan, NotPruned,
  SampleRowGroups,
  SearchInputs
}
import limitpruning.select.{ListedFile, Reason}

/**
 * Decides whether it pays to find one row of each group for a LIMIT by reading the columns of the keys and of the predicate first.
 * Plain Spark reads these, too, and all of them. So it pays if few row groups are expected to have enough groups: if metadata prove
 * that all rows of one match, and a key has many values there: its dictionary is large, or the writer has given it up, as most
 * writers do at 1 MB. Otherwise, a sample of the row groups of a large table shows whether they have enough groups.
 */
private[limitpruning] object GroupsPay {

  /**
   * What a search saves.
   *
   * @param bytes the compressed bytes that plain Spark reads more
   * @param sample the row groups that are searched; none for the whole table
   */
  final case class Saved(bytes: Long, sample: Option[SampleRowGroups] = None)

  /**
   * @param found the result of the search of metadata
   * @param minBytes the minimum of compressed bytes that must be saved; if 0, it always pays
   * @return none if it does not pay
   */
  def apply(
      groups: GroupsScan,
      inputs: SearchInputs,
      found: Either[NotPruned, LimitPlan],
      minBytes: Long
  ): Option[Saved] = {
    val scan = groups.scan
    val first = scan.conjuncts ++ groups.keys
    found match {
      case Left(NotPruned(_: Reason.NotEnoughGroups, _, _, _, Some(inspected)))
          if groups.areKeysAll && scan.limit <= MostGroups && RowsOfGroups.canCompare(groups.keys) &&
            first.forall(RowsPay.canRunTwice) =>
        inspected.map((files, classify) =>
          if (RowsPay.hasUnlistedColumnIndexes(files, scan, inputs)) None
          else if (minBytes == 0) Some(Saved(RowsPay.Always))
          else {
            val sizes = sizesOf(files, inputs, RowsPay.bytes(inputs, found))
            if (!RowsPay.isWorthIt(sizes.saved, minBytes)) None
            else if (files.exists(promises(_, groups, classify, inputs))) Some(Saved(sizes.saved))
            else
              sampleOf(groups, files, classify, inputs, sizes, minBytes).map(sample =>
                Saved(sizes.saved, Some(sample))
              )
          }
        ).flatten
      case _ => None
    }
  }

  /**
   * A row group for each task that runs at the same time, if this takes little of the time that plain Spark takes: it is in vain
   * if the sample has too few groups.
   */
  private def sampleOf(
      groups: GroupsScan,
      files: Seq[ClassifiedFile],
      classify: ClassifyRowGroups,
      inputs: SearchInputs,
      sizes: SizesOfKeys,
      minBytes: Long
  ): Option[SampleRowGroups] = {
    val tasks = inputs.tasks
    val most = tasks.min(MostInSample)
    if (
      sizes.maySample(tasks, minBytes) && inputs.areNeededKnown &&
      mayHaveEnough(groups, files, classify, inputs, most) &&
      // Delta reads files with deleted rows whole.
      inputs.listing.areWithoutDeletes && !inputs.isBusy
    ) SampleRowGroups(
      groups,
      files,
      inputs,
      most,
      groups.scan.limit * DictionarySize.LeastRows,
      sizes.mostRows(tasks)
    )
    else None
  }

  /** Whether so many row groups may have enough groups: not if all keys have small dictionaries. */
  private def mayHaveEnough(
      groups: GroupsScan,
      files: Seq[ClassifiedFile],
      classify: ClassifyRowGroups,
      inputs: SearchInputs,
      rowGroups: Int
  ): Boolean = {
    def values(file: ClassifiedFile)(key: Expression): Option[Double] = key match {
      case LeafColumn(column) =>
        Using.resource(inputs.detailsOf(file)) { details =>
          val columns = classify.columns.filter(_.id == column.id)
          val each = for (column <- columns; rowGroup <- file.rowGroups.indices.take(MostCompared))
            yield details.dictionaryPart(column, rowGroup).map(_.length.toDouble /
              DictionarySize.BytesOfEntry)
          if (each.isEmpty || each.exists(_.isEmpty)) None else Some(each.flatten.max)
        }
      case _ => None
    }
    files.headOption.forall { file =>
      val each = groups.keys.map(values(file))
      each.exists(_.isEmpty) || each.flatten.product * rowGroups >= groups.scan.limit
    }
  }

  /**
   * Whether it pays to find the first rows of each group, in an order, by reading the columns of the keys first.
   *
   * @param sizes of columns, which are read only if the rest allows it
   */
  def first(
      query: FirstOfGroupsScan,
      inputs: SearchInputs,
      sizes: => Either[NotPruned, LimitPlan],
      minBytes: Long
  ): Option[Long] = {
    val scan = query.top.scan
    val keys = query.top.order.all.map(_.child) ++ query.groups
    val first = scan.conjuncts ++ keys
    def areOthers = !scan.needed.subsetOf(AttributeSet.fromAttributeSets(first.map(_.references)))
    if (
      scan.limit <= MostOfGroup && RowsOfGroups.canCompare(query.groups) &&
      first.forall(RowsPay.canRunTwice) &&
      (minBytes == 0 || (areOthers && ListedFile.bytes(inputs.files) >= minBytes))
    ) {
      val rows = (expectedGroups(query.groups, inputs, sizes) * scan.limit).min(MostExpectedRows).toInt
      RowsPay(scan.copy(limit = rows), keys.map(SortOrder(_, Ascending)), inputs, sizes, minBytes)
        .map(_.bytes)
    } else None
  }

  /**
   * How many groups there are, by the dictionaries of the keys, if row groups probably have the same values: if their maxima are
   * equal.
   */
  private def expectedGroups(
      groups: Seq[Expression],
      inputs: SearchInputs,
      sizes: Either[NotPruned, LimitPlan]
  ): Double = {
    def values(column: LeafColumn, files: Seq[ClassifiedFile]): Option[Double] = {
      val each = files.flatMap(file =>
        Using.resource(inputs.detailsOf(file)) { details =>
          file.rowGroups.indices.take(MostCompared).map(rowGroup =>
            for {
              max <- file.facts.statedMax(column, rowGroup)
              dictionary <- details.dictionaryPart(column, rowGroup)
            } yield (max, dictionary.length)
          )
        }
      )
      val known = each.flatten
      if (known.nonEmpty && known.size == each.size && known.forall(_._1 == known.head._1))
        Some(known.map(_._2).max.toDouble / DictionarySize.BytesOfEntry)
      else None
    }
    def in(files: Seq[ClassifiedFile]): Option[Double] = groups.map {
      case LeafColumn(column) => values(column, files)
      case _ => None
    }.reduce((one, other) => one.flatMap(n => other.map(_ * n)))
    sizes.fold(_.inspected, _.inspected).flatMap(_.map((files, _) => in(files))).flatten
      .fold(MostExpectedRows)(_.max(1))
  }

  /** Whether a row group probably has rows of enough groups, all of which match. */
  private def promises(
      file: ClassifiedFile,
      groups: GroupsScan,
      classify: ClassifyRowGroups,
      inputs: SearchInputs
  ): Boolean = {
    val columns = groups.keys.collect { case LeafColumn(column) =>
      classify.columns.indexWhere(_.id == column.id)
    }.filter(_ >= 0)
    val limit = groups.scan.limit.toLong
    Using.resource(inputs.detailsOf(file)) { details =>
      def dictionary(rowGroup: Int)(ordinal: Int) = {
        val column = classify.columns(ordinal)
        DictionarySize(
          file.footer.rowGroups(rowGroup).getRowCount,
          details.dictionaryPart(column, rowGroup).map(_.length.toLong),
          file.facts.hasManyValues(column, rowGroup),
          file.facts.valueBytes(column, rowGroup)
        )
      }
      file.rowGroups.indices.exists(rowGroup =>
        file.rowGroups(rowGroup).state == MatchState.FullyMatching &&
          columns.exists(dictionary(rowGroup)(_).promises(limit))
      )
    }
  }

  private def sizesOf(files: Seq[ClassifiedFile], inputs: SearchInputs, all: Long): SizesOfKeys = {
    val isFirst = RowsPay.remembered(inputs.isNeeded)
    val sizes = RowsPay.sizesOf(files, isFirst, isFirst, canSkipRows = false, dropRows = false, () => false)
    val whole = if (sizes.files == 0) 0.0 else all.toDouble / sizes.files
    SizesOfKeys(sizes.first * whole, sizes.rowGroups * whole, sizes.rows * whole)
  }

  /** The keys of all groups are on the driver. */
  private[rows] val MostGroups = 10000

  /** The tasks of a sample send their keys to the driver. */
  private[rows] val MostInSample = 32

  /** At most so many rows are expected to be first in their groups: if there are more, the search usually ends soon. */
  private val MostExpectedRows = 1000.0

  /** So many row groups of a file show whether they have the same values. */
  private val MostCompared = 100

  /** The first rows of a group are kept in order. */
  private val MostOfGroup = 1000
}
