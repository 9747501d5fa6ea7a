package limitpruning.search

import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.{GetStructField, SortOrder}

import limitpruning.predicate.FirstKey
import limitpruning.select.{ChosenRows, Reason, RowRange, SearchCounts, Selection, Threshold, TopRows}

/** Decides what to read for one ORDER BY … LIMIT: lists the files, inspects them, selects row groups. */
object ChooseTopRows {

  /** Whether the scan reads less than the whole table: by the selection, or by skipping row groups while it reads. */
  private def leavesOut(found: FoundTopRows, selection: Selection, counts: SearchCounts): Boolean =
    found.skipsWhileReading || selection.rowGroups < counts.rowGroups || selection.rowsCut > 0 ||
      found.unseen.size < counts.files - counts.filesInspected

  /**
   * The sort key whose values are noted while reading; none for fields of structs. Spark may later read other fields of
   * a struct, so the ordinals of its fields may change.
   */
  private def notedSortKey(top: TopRowsScan, selection: Selection): Option[SortOrder] =
    Some(top.order.firstOverOutput).filter(key =>
      selection.rowGroups > 1 && !key.exists(_.isInstanceOf[GetStructField])
    )

  /** @return what to read, or the reason why the LIMIT is not pruned */
  def apply(top: TopRowsScan, table: SearchInputs): Either[NotPruned, LimitPlan] =
    ofAll(Seq(top), table, mayNote = true)

  /**
   * Chooses the rows of several orders together.
   *
   * @param orders of one scan, at least one
   * @param mayNote whether row groups may be skipped while reading, if no threshold is known before
   * @return rows that include the first ones in each order, or why there are none in one of them
   */
  def ofAll(
      orders: Seq[TopRowsScan],
      table: SearchInputs,
      mayNote: Boolean
  ): Either[NotPruned, LimitPlan] = {
    val mostNoted = if (mayNote) Threshold.MostNoted else 0
    val scan = orders.head.scan
    val run = new RunSearch(scan, table)
    val files = table.files // listed before the time budget for footers starts
    // Even if partition values alone decide the predicate, they do not decide the key.
    val budget = table.budget.copy(firstFiles = table.firstFiles)
    val deadline = budget.maxTime.fromNow
    val searches = orders.map(new InOrder(_, table, budget, deadline, mostNoted))
    val select = new AddressBestFirst(table.address(deadline))
    val plan = run(searches.head.search, files) { (outcome, ofFirst) =>
      val outcomes = searches.tail.foldLeft(Vector(outcome)) { (before, next) =>
        if (before.last.isLeft) before else before :+ next.search.run(files)._1
      }
      val counts = if (searches.size == 1) ofFirst else countsOf(seenInAny(searches), ofFirst)
      for {
        each <- inAll(searches, outcomes)
        _ <- if (areOfOneState(searches)) Right(()) else Left(searches.head.search.notClustered(counts))
        found = together(each, counts.matched)
        selection <- select(found)
        _ <-
          if (leavesOut(found, selection, counts)) Right(())
          else Left(searches.head.search.notClustered(counts))
      } yield {
        val rows = ChosenRows(
          scan.limit,
          scan.conjuncts,
          selection,
          counts,
          run.nanos,
          allRowsMatch = false,
          top = Some(why(searches, each, found.dropped))
        )
        LimitPlan(rows, scan.table.settings, notedSortKey = notedSortKey(orders.head, selection))
      }
    }
    if (searches.size == 1) plan
    else plan.map(_.copy(inspected = Some(InspectedRowGroups(seenInAny(searches), table.classify))))
  }

  /** The files that were inspected in some of the searches, once each. */
  private def seenInAny(searches: Seq[InOrder]): Seq[ClassifiedFile] =
    searches.flatMap(_.search.seen).groupBy(_.listed.position).toSeq.sortBy(_._1).map(_._2.head)

  private def countsOf(seen: Seq[ClassifiedFile], others: SearchCounts): SearchCounts = {
    val rowGroups = seen.map(_.rowGroups.size).sum
    others.copy(
      filesInspected = seen.size,
      rowGroups = rowGroups,
      matched = rowGroups - seen.map(_.notMatching).sum,
      fullyMatched = seen.map(_.fullyMatching).sum
    )
  }

  private def inAll(
      searches: Seq[InOrder],
      outcomes: Seq[Either[Reason, FoundTopRows]]
  ): Either[Reason, Seq[FoundTopRows]] = {
    val all = searches.zip(outcomes).map { case (search, outcome) => outcome.map(search.refined) }
    all.collectFirst { case Left(reason) => reason }.toLeft(all.collect { case Right(found) => found })
  }

  /** Whether no file was replaced between the searches. Each of them may have read its footer. */
  private def areOfOneState(searches: Seq[InOrder]): Boolean =
    searches.size == 1 ||
      searches.flatMap(_.search.seen).groupBy(_.listed.position).values
        .forall(_.map(_.footer.seal).distinct.size == 1)

  /**
   * What is read for several orders: whatever one of them needs. Row groups are in no order then.
   *
   * @param matched the row groups that may match
   */
  private def together(found: Seq[FoundTopRows], matched: Int): FoundTopRows = found match {
    case Seq(one) => one
    case several =>
      // Each search has classified the files on its own.
      val all = several.flatMap(_.candidates)
      val files = all.map(one => one.file.listed.position -> one.file).toMap
      val candidates = all
        .groupBy(candidate => (candidate.file.listed.position, candidate.rowGroup)).toSeq.sortBy(_._1)
        .map { case ((file, rowGroup), same) =>
          Candidate(files(file), rowGroup, best = None, RowRange.union(same.flatMap(_.ranges)))
        }
      val unseen = several.flatMap(_.unseen).map(file => file.position -> file).toMap
      FoundTopRows(
        candidates,
        unseen.values.toSeq.sortBy(_.position),
        several.head.threshold,
        matched - candidates.size,
        skipsWhileReading = false
      )
  }

  /** Why these are the first rows in each order. */
  private def why(searches: Seq[InOrder], each: Seq[FoundTopRows], dropped: Int): TopRows = {
    val thresholds = each.zip(searches).map { case (found, search) =>
      // A better one is found while reading.
      found.threshold.place.filterNot(place => found.skipsWhileReading && KeyFacts.isNaN(place))
        .map(search.key.show)
    }
    TopRows(
      searches.map(_.key.sql).mkString(", "),
      FirstKey.of(searches.head.top.order.first),
      if (thresholds.forall(_.nonEmpty)) Some(thresholds.flatten.mkString(", ")) else None,
      each.map(_.threshold.rows).min,
      dropped
    )
  }

  /** The search for the first rows in one order. */
  private final class InOrder(
      val top: TopRowsScan,
      table: SearchInputs,
      budget: SearchBudget,
      deadline: Deadline,
      mostNoted: Int
  ) {
    val key = new KeyFacts(top.order.first, top.scan.conjuncts, table.classify)
    private val dictionaries = table.keyDictionaries(key, deadline)
    val search = new TopRowsSearch(
      top.scan.limit,
      key,
      top.order.isOnlyKey,
      table.waves(budget),
      mostNoted,
      dictionaries
    )

    /** What pages leave of the rows that were found. */
    def refined(found: FoundTopRows): FoundTopRows =
      new RefineTopRows(
        top.scan.limit,
        key,
        table.classify,
        table.storage,
        table.narrow,
        dictionaries.bytesLeft,
        deadline,
        table.prefetch(deadline)
      )(found)
  }
}
