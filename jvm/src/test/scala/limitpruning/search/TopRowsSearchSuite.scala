package limitpruning.search

import scala.concurrent.duration.{Duration, DurationInt, FiniteDuration}

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.{FooterWave, PlanningMemory}
import limitpruning.parquet.ReadSettings
import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}
import limitpruning.select.{ListedFile, Reason, SearchCounts}
import limitpruning.testing.{RawChunk, RawFooter}

class TopRowsSearchSuite extends AnyFunSuite {
  import TopRowsSearchSuite.{Found, Group}

  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val day = AttributeReference("day", IntegerType)()
  private val isOne = EqualTo(b, Literal(1))
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val plenty = SearchBudget(maxFiles = 1000, maxTime = 1.minute, firstFiles = 4)

  private def all(min: Int, max: Int): Group = Group(min, max, 1, 1)
  private def some(min: Int, max: Int): Group = Group(min, max, 0, 1)
  private def none(min: Int, max: Int): Group = Group(min, max, 0, 0)

  /** @param files row groups of ten rows each: all rows match, some may match, or none match; file i is of day i */
  private def search(
      limit: Int,
      key: SortOrder = SortOrder(a, Descending),
      budget: SearchBudget = plenty,
      mostNoted: Int = 0,
      isOnlyKey: Boolean = false,
      facts: Int => FileFacts = _ => FileFacts.NothingDeleted
  )(files: Seq[Group]*): Found = {
    val listed = files.indices.map { i =>
      ListedFile(InternalRow(i), new FileStatus(1000L, false, 1, 1, 2000L, new Path(s"/f$i")), position = i)
    }
    val partitions = new StructType().add("day", IntegerType)
    val classify =
      new ClassifyRowGroups(
        Seq(isOne),
        Seq(a, b, day),
        partitions,
        settings,
        alsoNeeded = Seq(key.child),
        file => facts(file.position)
      )
    var read = Vector.empty[Int]
    val footers = (wave: Seq[ListedFile]) => {
      val indexes = wave.map(listed.indexOf(_))
      read ++= indexes
      new FooterWave(indexes.map(i => Some(footer(files(i)))).toIndexedSeq, None, () => ())
    }
    val (result, counts) =
      new TopRowsSearch(
        limit,
        new KeyFacts(key, Seq(isOne), classify),
        isOnlyKey,
        WaveInputs(budget, new PlanningMemory().search(budget.maxMemory), footers, classify(_, _)),
        mostNoted
      ).run(listed)
    Found(result, counts, read)
  }

  private def footer(groups: Seq[Group]) =
    groups.foldLeft(RawFooter("optional int32 a; optional int32 b;")) { (raw, group) =>
      raw.rowGroup(
        10,
        RawChunk.between(group.min, group.max).nulls(0),
        RawChunk.between(group.minB, group.maxB).nulls(0)
      )
    }.footer

  test("skips row groups that sort after the threshold, and selects the others, best first") {
    val found = search(limit = 15)(Seq(all(0, 9), all(20, 29)), Seq(all(10, 19), all(5, 14)))
    assert(found.candidates == Seq("/f0" -> 1, "/f1" -> 0, "/f1" -> 1))
    assert(found.threshold.contains(10) && found.dropped == 1)
    assert(found.counts.copy(bytes = 0) ==
      SearchCounts(files = 2, filesInspected = 2, rowGroups = 4, matched = 4, fullyMatched = 4))
  }

  test("does not skip ties: a row group whose best key value is the threshold is selected") {
    assert(search(limit = 10)(Seq(all(10, 19), all(0, 10), all(0, 9))).candidates ==
      Seq("/f0" -> 0, "/f0" -> 1))
  }

  test(
    "line 82: if rows with the same key may be in any order, no more ties are selected than have enough rows"
  ) {
    def found(limit: Int)(groups: Group*) = search(limit, isOnlyKey = true)(groups).candidates
    assert(found(10)(all(10, 19), all(0, 10), all(0, 9)) == Seq("/f0" -> 0))
    val days = Seq.fill(5)(all(7, 7)) :+ all(6, 6)
    assert(found(10)(days: _*) == Seq("/f0" -> 0))
    assert(found(11)(days: _*) == Seq("/f0" -> 0, "/f0" -> 1))
    assert(found(51)(days: _*).size == 6, "one row of the next key value is needed")
    // The second row group is read anyway, because it may have better rows, and has enough of them.
    assert(found(10)(all(10, 10), all(10, 19), all(10, 10)) == Seq("/f0" -> 1))
    // It may have better rows, but none is certain to match.
    assert(found(10)(some(10, 19), all(10, 10), all(10, 10)) == Seq("/f0" -> 0, "/f0" -> 1))
    assert(found(10)(some(10, 10), all(10, 10)) == Seq("/f0" -> 1))
  }

  test("line 82: files with ties are not inspected once there are enough rows") {
    val sameDay = (_: Int) =>
      FileFacts(
        column =>
          if (column.attribute.exprId == a.exprId) ColumnFacts(Values.Range(1, 1), Nulls.No)
          else ColumnFacts.Unknown,
        _ => true,
        None,
        Some(0),
        hints = _ => ColumnFacts.Unknown
      )
    val files = Seq.fill(50)(Seq(all(1, 1)))
    assert(search(limit = 15, isOnlyKey = true, facts = sameDay)(files: _*).read.size == 4)
    assert(search(limit = 15, facts = sameDay)(files: _*).refusal.map(_.code).contains("key-not-clustered"))
  }

  test("only fully matching row groups give a threshold; it skips partially matching ones, too") {
    val found = search(limit = 10)(Seq(some(20, 29), all(10, 19), some(0, 9), none(30, 39)))
    assert(found.candidates == Seq("/f0" -> 0, "/f0" -> 1))
    assert(found.threshold.contains(10) && found.dropped == 1, "not matching row groups are not dropped")
  }

  test("stops after the first wave if the row groups overlap, as in a table in random order") {
    val found = search(limit = 10)(Seq.fill(100)(Seq(all(0, 1000), all(1, 999))): _*)
    assert(found.refusal.map(_.code).contains("key-not-clustered"))
    assert(found.read.size == 4 && found.read.contains(0) && found.read.contains(99), "evenly spread files")
  }

  test("the first wave has files from all parts of the table, then all are inspected") {
    val files = (0 until 50).map(i => Seq(all(10 * i, 10 * i + 9)))
    val found = search(limit = 10)(files: _*)
    assert(found.read.take(4) == Seq(0, 16, 32, 48) && found.read.sorted == (0 until 50))
    assert(found.candidates == Seq("/f49" -> 0))
  }

  test("a limit larger than the first wave continues if LIMIT 1 would skip row groups") {
    val sorted = (0 until 50).map(i => Seq(all(10 * i, 10 * i + 9)))
    assert(search(limit = 95)(sorted: _*).candidates.size == 10)
    val random = Seq.fill(50)(Seq(all(0, 1000)))
    assert(search(limit = 95)(random: _*).read.size == 4)
  }

  test("by a partition column, the best files come first, and the others are not inspected") {
    val found = search(limit = 15, SortOrder(day, Descending))(Seq.fill(30)(Seq(all(0, 9))): _*)
    assert(found.read.take(2) == Seq(29, 28) && found.read.size == 4)
    assert(found.candidates == Seq("/f29" -> 0, "/f28" -> 0) && found.unseen == Nil &&
      found.threshold.contains(28))
  }

  /** The value range of column `a` in each of four files, as a table may have it before footers are read. */
  private def knownRanges(isProof: Boolean)(file: Int): FileFacts = {
    val range = ColumnFacts(Values.Range(file * 10, file * 10 + 9), Nulls.No)
    def known(column: LeafColumn) = if (column.attribute.exprId == a.exprId) range else ColumnFacts.Unknown
    FileFacts(if (isProof) known else _ => ColumnFacts.Unknown, _ => isProof, None, Some(0), hints = known)
  }
  private val ascending = (0 to 3).map(i => Seq(all(i * 10, i * 10 + 9)))

  test(
    "if the table proves value ranges, the best files come first, and files after the threshold are skipped"
  ) {
    val found =
      search(5, budget = plenty.copy(firstFiles = 1), facts = knownRanges(isProof = true))(ascending: _*)
    assert(found.read == Seq(3))
    assert(found.candidates == Seq("/f3" -> 0))
  }

  test("if the table only expects value ranges, the best files come first, and no file is skipped") {
    val found =
      search(5, facts = knownRanges(isProof = false))(ascending: _*)
    assert(found.read == Seq(3, 2, 1, 0))
    assert(found.candidates == Seq("/f3" -> 0))
  }

  test("a wrong expectation changes only the order") {
    val backwards = (file: Int) => knownRanges(isProof = false)(3 - file)
    val found = search(5, facts = backwards)(ascending: _*)
    assert(found.read == Seq(0, 1, 2, 3))
    assert(found.candidates == Seq("/f3" -> 0))
  }

  test("files beyond the budget are still read") {
    val files = (0 until 50).map(i => Seq(all(10 * i, 10 * i + 9)))
    val few = search(limit = 10, budget = plenty.copy(maxFiles = 6))(files: _*)
    assert(few.read.size == 6 && few.unseen.size == 44 && few.candidates.size == 1)
    val none: FiniteDuration = Duration.Zero
    assert(search(limit = 10, budget = plenty.copy(maxTime = none))(files: _*).unseen.size == 46)
    val nothing = search(limit = 10, budget = plenty.copy(maxFiles = 0))(files: _*)
    assert(nothing.refusal.map(_.code).contains("out-of-budget") && nothing.read.isEmpty)
  }

  test(
    "if too few rows are certain and the data is clustered by the key, row groups are skipped while reading"
  ) {
    val clustered = (0 until 50).map(i => Seq(some(10 * i, 10 * i + 9)))
    val found = search(limit = 10, mostNoted = 10)(clustered: _*)
    assert(found.threshold.isEmpty && found.candidates.map(_._1) == (49 to 0 by -1).map(i => s"/f$i"))
    assert(search(limit = 11, mostNoted = 10)(clustered: _*).refusal.nonEmpty, "more keys than are noted")
    val random = search(limit = 10, mostNoted = 10)(Seq.fill(50)(Seq(some(0, 1000))): _*)
    assert(random.refusal.map(_.code).contains("key-not-clustered") && random.read.size == 4)
  }

  test("a table without files has its own reason") {
    assert(search(limit = 1)().refusal.contains(Reason.NoFiles))
  }
}

private object TopRowsSearchSuite {

  /** Value ranges of `a` and `b`. */
  final case class Group(min: Int, max: Int, minB: Int, maxB: Int)

  final case class Found(result: Either[Reason, FoundTopRows], counts: SearchCounts, read: Seq[Int]) {
    private def found = result.toOption.get
    def refusal: Option[Reason] = result.left.toOption
    def candidates: Seq[(String, Int)] =
      found.candidates.map(c => c.file.listed.status.getPath.toString -> c.rowGroup)
    def unseen: Seq[ListedFile] = found.unseen
    def threshold: Option[Any] = found.threshold.place
    def dropped: Int = found.dropped
  }
}
