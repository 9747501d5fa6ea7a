package limitpruning.search

import scala.concurrent.duration.{Duration, DurationInt, FiniteDuration}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.{FooterWave, PlanningMemory}
import limitpruning.parquet.{Footer, Storage}
import limitpruning.predicate.MatchState._
import limitpruning.select.{ListedFile, Reason, RowRange, SearchCounts, Selection}
import limitpruning.testing.{RawChunk, RawFooter}

class RowGroupSearchSuite extends AnyFunSuite {
  import RowGroupSearchSuite.Found

  private val rowsEach = 10L
  private val states = Map(
    'F' -> ClassifiedRowGroup.fullyMatching(rowsEach),
    'p' -> ClassifiedRowGroup.undecided(None),
    'n' -> ClassifiedRowGroup.NotMatching,
    'l' -> ClassifiedRowGroup.undecided(None).copy(stated = Some(FullyMatching))
  )

  private val plenty = SearchBudget(maxFiles = 1000, maxTime = 1.minute, firstFiles = 4)

  private def footer(rowGroups: Int): Footer = (0 until rowGroups).foldLeft(RawFooter("required int32 a;"))(
    (f, _) => f.rowGroup(rowsEach, RawChunk.silent)
  ).footer

  /** @param files the state of each row group of each file: F(ully), p(artially), n(ot matching) or l(ikely); ten rows each */
  private def search(
      limit: Int,
      budget: SearchBudget = plenty,
      footers: Int => Footer = footer,
      refine: ClassifiedFile => ClassifiedFile = identity,
      onClassified: () => Unit = () => (),
      mayBeInFirstTask: Boolean = false
  )(
      files: Seq[String]
  ): Found = {
    val listed = files.indices.map { i =>
      ListedFile(
        InternalRow.empty,
        new FileStatus(1000L + i, false, 1, 1, 2000L + i, new Path(s"/f$i")),
        position = i
      )
    }
    var waves = Vector.empty[Int]
    val read = (wave: Seq[ListedFile]) => {
      waves :+= wave.size
      new FooterWave(
        wave.map(file => Some(footers(files(listed.indexOf(file)).length))).toIndexedSeq,
        None,
        () => ()
      )
    }
    val classify = (file: ListedFile, footer: Footer) => {
      onClassified()
      val rowGroups = files(listed.indexOf(file)).map(states(_))
      new ClassifiedFile(file, footer, null, IndexedSeq.empty, isBelieved = true, rowGroups, deletedRows = 0)
    }
    val narrow = new NarrowRowGroups(_ => true, isSupported = false, minBytes = 0)
    val select = new AddressRows(narrow, Storage(new Configuration(false)), maxBytes = 0, 1.hour.fromNow)
    val (result, counts) =
      new RowGroupSearch(
        limit,
        WaveInputs(budget, new PlanningMemory().search(budget.maxMemory), read, classify),
        (file, _) => refine(file),
        _ => (),
        select(_),
        mayBeInFirstTask = _ => mayBeInFirstTask
      ).run(listed)
    Found(result, counts, waves)
  }

  test("selects the first fully matching row groups with enough rows, in their files") {
    val found = search(limit = 25)(Seq("nFp", "ppn", "FFF"))
    assert(found.chosen == Seq("/f0" -> Seq(1), "/f2" -> Seq(0, 1)))
    assert(found.counts.copy(bytes = 0) ==
      SearchCounts(files = 3, filesInspected = 3, rowGroups = 9, matched = 7, fullyMatched = 4))
  }

  test("a selection has length and footer of the file, and rows and position of the row group") {
    val file = search(limit = 1)(Seq("n", "pF")).result.toOption.get.files.head
    assert((file.path, file.listed.position, file.version.length) == (("/f1", 1, 1001)))
    assert(file.version.footerChecksum == footer(2).seal.checksum)
    assert(file.rowGroups.map(r => (r.ordinal, r.rows, r.start)) == Seq((1, rowsEach, 154)))
  }

  test("stops reading once the limit is covered") {
    val found = search(limit = 10, plenty.copy(firstFiles = 1))(Seq.fill(50)("F"))
    assert(found.waves == Seq(1))
    assert(found.counts.filesInspected == 1 && found.counts.files == 50)
  }

  test("classifies no file after the one that covers the limit, and reads no further wave") {
    var classified = 0
    val found = search(limit = 20, onClassified = () => classified += 1)(Seq.fill(50)("Fp"))
    assert(found.refusal.isEmpty && classified == 2 && found.counts.filesInspected == 2)
    assert(found.waves == Seq(plenty.firstFiles))
  }

  test("stops after the first wave if it has only partially matching row groups") {
    val found = search(limit = 10)(Seq.fill(100)("pp"))
    assert(found.refusal.contains(Reason.NotClustered(4, "")))
    assert(found.waves == Seq(4))
  }

  test("a wave ends with the file in which too many row groups are undecided") {
    assert(search(limit = 10)(Seq.fill(100)("p" * 64)).refusal.contains(Reason.NotClustered(2, "")))
    assert(search(limit = 10)(Seq.fill(100)("p" * 63)).refusal.contains(Reason.NotClustered(3, "")))
    // What is found before counts, and the search goes on if the wave looks clustered.
    assert(search(limit = 10)(Seq("p" * 127 + "F", "p" * 500)).chosen == Seq("/f0" -> Seq(127)))
    val clustered = search(limit = 10)(Seq.fill(20)("p" * 100 + "n" * 100) :+ "F")
    assert(clustered.chosen == Seq("/f20" -> Seq(0)))
    assert(clustered.waves == Seq(4, 8, 16, 10), "of these, 2, 3, 6 and 10 are classified")
  }

  test("stops after a later wave that is not clustered, even if the first one was") {
    val found = search(limit = 1000)(Seq.fill(4)("F") ++ Seq.fill(100)("pp"))
    assert(found.refusal.contains(Reason.NotClustered(12, "")))
  }

  test("continues in growing waves while most row groups are not matching") {
    val found = search(limit = 10)(Seq.fill(150)("np") :+ "F")
    assert(found.chosen == Seq("/f150" -> Seq(0)))
    assert(found.waves == Seq(4, 8, 16, 32, 64, 27))
    assert(search(limit = 10)(Seq.fill(150)("npp") :+ "F").refusal.contains(Reason.NotClustered(4, "")))
  }

  test("where one task may be enough, continues only while most files are not matching") {
    def ofOneTask(files: Seq[String]) = search(limit = 10, mayBeInFirstTask = true)(files)
    assert(ofOneTask(Seq.fill(150)("nnnnp") :+ "F").refusal.contains(Reason.NotClustered(4, "")))
    assert(ofOneTask(Seq.fill(75)(Seq("nn", "np")).flatten :+ "F").chosen == Seq("/f150" -> Seq(0)))
    assert(ofOneTask(Seq("nn", "np", "np", "np", "F")).refusal.contains(Reason.NotClustered(4, "")))
  }

  test("continues while fully matching row groups are found") {
    assert(search(limit = 200)(Seq.fill(30)("Fppp")).chosen.size == 20)
  }

  test("refines files only if statistics do not cover the limit, and continues while that finds rows") {
    val half = Seq(RowRange(0, 5))
    def refine(file: ClassifiedFile): ClassifiedFile = file.withRowGroups(file.rowGroups.map { rowGroup =>
      if (rowGroup.state == PartiallyMatching) rowGroup.copy(matching = half) else rowGroup
    })
    val unreadable = search(limit = 30, refine = refine)(Seq.fill(30)("pn"))
    assert(unreadable.refusal.contains(Reason.UnreadablePages("/f0")), "these files have no pages")
    assert(unreadable.counts.filesInspected == 4 + 8)
    def never(file: ClassifiedFile): ClassifiedFile = fail(s"$file need not be refined")
    assert(search(limit = 40, refine = never)(Seq("pF", "Fp", "FF")).chosen.size == 3)
  }

  test("stops without a result once enough rows are likely, and continues while more are found") {
    val found = search(limit = 25, budget = plenty.copy(firstFiles = 1))(Seq("lp", "Fp", "lp", "FF", "FF"))
    assert(found.result == Left(Reason.WriterNotListed(found = 10, likely = 20, limit = 25, "")))
    assert(found.waves == Seq(1, 2))
    val proved = search(limit = 25)(Seq("lF", "FF"))
    assert(proved.result.isRight, "proved rows are enough")
    val few = search(limit = 25)(Seq("lp"))
    assert(few.result == Left(Reason.WriterNotListed(found = 0, likely = 10, limit = 25, "")))
  }

  test("if every row of the table is decided, the matching rows are the result, however few") {
    assert(search(limit = 31)(Seq("FnF", "F")).chosen == Seq("/f0" -> Seq(0, 2), "/f1" -> Seq(0)))
    val none = search(limit = 1)(Seq.fill(9)("nn"))
    assert(none.refusal.isEmpty && none.chosen.isEmpty && none.counts.filesInspected == 9)
    assert(
      search(limit = 31, plenty.copy(maxFiles = 1))(Seq("FF", "F")).refusal.nonEmpty,
      "one file was not inspected"
    )
    assert(search(limit = 1)(Seq("nn", "np")).refusal.contains(Reason.NotEnoughRows(0, 1, "")))
  }

  test("reports how many rows were found if all files were inspected") {
    val found = search(limit = 31)(Seq("FpF", "F"))
    assert(found.refusal.contains(Reason.NotEnoughRows(30, 31, "")))
    assert(found.counts.fullyMatched == 3)
  }

  test("stops at the budget of files, also in the middle of a wave") {
    val found = search(limit = 1000, plenty.copy(maxFiles = 6))(Seq.fill(100)("F"))
    assert(found.waves == Seq(4, 2))
    val reason = Reason.OutOfBudget("spark.limitPruning.planning.maxFiles", "6", 60, 1000)
    assert(found.refusal.contains(reason))
  }

  test("covers a limit with the last file that the budget allows") {
    assert(search(limit = 60, plenty.copy(maxFiles = 6))(Seq.fill(100)("F")).chosen.size == 6)
  }

  test("reads no file if the budget of files is 0") {
    val found = search(limit = 1, plenty.copy(maxFiles = 0))(Seq.fill(3)("F"))
    assert(found.counts.filesInspected == 0 && found.waves.sum == 0)
    assert(found.refusal.exists(_.code == "out-of-budget"))
  }

  test("stops at the budget of memory, and reads no more files at a time than fit") {
    val each = footer(1).size.toLong
    val found = search(limit = 1000, plenty.copy(maxMemory = 7 * each))(Seq.fill(100)("F"))
    assert(found.waves == Seq(4, 3))
    assert(found.refusal.exists(_.message.contains("spark.limitPruning.planning.maxMemory")))
    assert(found.refusal.exists(_.code == "out-of-budget") && found.counts.filesInspected == 7)
    val few = search(limit = 1, plenty.copy(maxMemory = 5 * each))(Seq.fill(4)("n") ++ Seq.fill(9)("p"))
    assert(
      few.waves == Seq(4, 1) && few.refusal.exists(_.code == "out-of-budget"),
      "one file shows no clustering"
    )
  }

  test("stops after the wave in which time runs out") {
    val none: FiniteDuration = Duration.Zero
    val found = search(limit = 1000, plenty.copy(maxTime = none))(Seq.fill(100)("F"))
    assert(found.waves == Seq(4))
    assert(found.refusal.exists(_.message.contains("spark.limitPruning.planning.maxTime = 0 ")))
    assert(
      search(limit = 40, plenty.copy(maxTime = none))(Seq.fill(9)("F")).refusal.isEmpty,
      "it was covered in time"
    )
  }

  test("a table without files has its own reason") {
    assert(search(limit = 1)(Nil).refusal.contains(Reason.NoFiles))
  }

  test("the reason names a file whose row groups cannot be read separately") {
    val twins = (_: Int) => {
      val raw = RawFooter("required int32 a;").rowGroup(10, RawChunk.silent).rowGroup(10, RawChunk.silent)
      val metadata = raw.metadata
      metadata.getRow_groups.get(1).getColumns.get(0).getMeta_data.setData_page_offset(4)
      raw.footer(metadata)
    }
    assert(search(
      limit = 1,
      footers = twins
    )(Seq("nF")).refusal.contains(Reason.UnaddressableRowGroups("/f0")))
  }
}

private object RowGroupSearchSuite {

  final case class Found(result: Either[Reason, Selection], counts: SearchCounts, waves: Seq[Int]) {
    def chosen: Seq[(String, Seq[Int])] =
      result.toSeq.flatMap(_.files.map(f => f.path -> f.rowGroups.map(_.ordinal)))
    def refusal: Option[Reason] = result.left.toOption
  }
}
