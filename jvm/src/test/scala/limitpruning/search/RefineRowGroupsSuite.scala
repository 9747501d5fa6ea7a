package limitpruning.search

import java.nio.file.{Files, Path => LocalPath}
import java.nio.file.attribute.FileTime

import scala.concurrent.duration.{DurationInt, FiniteDuration}

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{
  AttributeReference, EqualNullSafe, EqualTo, Expression, In, Literal, Not
}
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.UnprovedForms
import limitpruning.parquet.{FileColumns, FileId, FooterReader, ReadSettings, Storage}
import limitpruning.predicate.MatchState._
import limitpruning.select.ListedFile
import limitpruning.testing.{FooterEdit, OneColumn, PagedFile, ParquetFixture, TempFolder}

class RefineRowGroupsSuite extends AnyFunSuite with TempFolder {
  private val Plenty = 1L << 20
  private val Everything = Long.MaxValue
  private val c = AttributeReference("c", IntegerType)()
  private val predicate = Not(EqualTo(c, Literal(500)))
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val conf = new Configuration()

  /** Row count of each row group below. */
  private val rows = 40L

  /**
   * Row groups of three kinds. Statistics leave `d` and `u` undecided, but decide `n`. Dictionaries decide `d`, but not
   * `u`.
   */
  private def classified(
      rowGroups: String,
      conjuncts: Seq[Expression] = Seq(predicate),
      settings: ReadSettings = settings,
      createdBy: Option[String] = None,
      name: String = "refine.parquet",
      withDictionary: Boolean = true
  ): (ClassifyRowGroups, ClassifiedFile) = {
    val ofKind = Map('d' -> Seq(1, 999), 'u' -> Seq(1, 500, 999, 2), 'n' -> Seq(1, 2)).map {
      case (kind, values) =>
        kind -> (0 until rows.toInt).map(i => Seq[Any](values(i % values.size)))
    }
    val empty = ParquetFixture("required int32 c;")
    val fixture = rowGroups.foldLeft(if (withDictionary) empty.withDictionary else empty) { (file, kind) =>
      file.rowGroup(ofKind(kind): _*)
    }
    val path = fixture.write(folder.resolve(name))
    createdBy.foreach(name => FooterEdit(path)(_.setCreated_by(name)))
    val listed = ListedFile.alone(InternalRow.empty, status(path))
    val classify = new ClassifyRowGroups(conjuncts, Seq(c), new StructType(), settings)
    (classify, classify(listed, new FooterReader(conf).read(listed.status, FileColumns.All)))
  }

  /** Inspects dictionaries and bloom filters, not pages. */
  private def refine(
      classify: ClassifyRowGroups,
      maxBytes: Long = Plenty,
      time: FiniteDuration = 1.hour
  ): RefineRowGroups = {
    val narrow = new NarrowRowGroups(_ => true, isSupported = false, 0L)
    new RefineRowGroups(classify, Storage(conf), narrow, maxBytes, time.fromNow)
  }

  /** F(ully), p(artially) or n(ot matching), row group by row group. */
  private def states(file: ClassifiedFile): String = file.rowGroups.map(_.state match {
    case FullyMatching => 'F'
    case PartiallyMatching => 'p'
    case NotMatching => 'n'
  }).mkString

  private def refined(rowGroups: String, needed: Long = Everything, maxBytes: Long = Plenty): String = {
    val (classify, file) = classified(rowGroups)
    states(refine(classify, maxBytes)(file, needed))
  }

  test("should read nothing if no time is left") {
    val (classify, file) = classified("dudn")
    assert(states(refine(classify, time = 0.seconds)(file, Everything)) == "pppF")
  }

  test("should decide undecided row groups if dictionaries decide them") {
    assert(states(classified("dudn")._2) == "pppF")
    assert(refined("dudn") == "FpFF")
  }

  test("should return the same file if all row groups are decided, because nothing is to be read") {
    val (classify, file) = classified("nn")
    assert(refine(classify)(file, Everything) eq file)
    val (withoutPredicate, all) = classified("du", conjuncts = Nil)
    assert(refine(withoutPredicate)(all, Everything) eq all)
  }

  test("should stop as soon as no row is missing, because the limit is covered") {
    assert(refined("dddd", needed = 1) == "Fppp")
    assert(refined("dddd", needed = rows + 1) == "FFpp")
    assert(refined("nddd", needed = rows + 1) == "FFpp", "rows that footers prove count")
    assert(refined("uddd", needed = 1) == "pFpp")
  }

  test("should stop when the bytes are used up, in one file or in several") {
    assert(refined("dddd", maxBytes = 0) == "pppp")
    val one = sizeOfOneDictionary
    assert(refined("dddd", maxBytes = one) == "Fppp")
    assert(refined("dddd", maxBytes = one + 1) == "FFpp", "a read that has started is completed")
    val (classify, file) = classified("ud")
    val shared = refine(classify, maxBytes = 2 * one + 2 * Integer.BYTES)
    assert(states(shared(file, Everything)) == "pF")
    assert(states(shared(file, Everything)) == "pp")
  }

  /** Bytes in the file, for a row group `d`. */
  private def sizeOfOneDictionary: Long = {
    val column = classified("d")._2.footer.rowGroups.head.getColumns.get(0)
    column.getFirstDataPageOffset - column.getDictionaryPageOffset
  }

  test("should stop after four row groups that were read in vain") {
    assert(refined("uuud") == "pppF")
    assert(refined("uuuud") == "ppppp")
    assert(refined("uuud" * 3) == "pppF" * 3, "a row group that is decided resets the count")
  }

  test("should read a bloom filter whose length the footer does not have, as in files of Spark 3.5") {
    val path = OneColumn.write(folder.resolve("bloom.parquet"), "required int32 c", (1 to 1000).map(_ * 3))(
      _.withBloomFilterEnabled(true).withBloomFilterNDV("c", 1000).withDictionaryEncoding(false)
    )
    for (edit <- Seq[LocalPath => LocalPath](identity, OneColumn.edit(_)(_.unsetBloom_filter_length()))) {
      val listed = ListedFile.alone(InternalRow.empty, status(edit(path)))
      val classify = new ClassifyRowGroups(Seq(predicate), Seq(c), new StructType(), settings)
      val file = classify(listed, new FooterReader(conf).read(listed.status, FileColumns.All))
      assert(states(file) == "p")
      assert(states(refine(classify)(file, Everything)) == "F")
    }
  }

  test("should read about one row group in vain if plain Spark may need one task") {
    def states(rowGroups: String, scanned: Long = 0): String = {
      val (classify, file) = classified(rowGroups)
      val narrow = new NarrowRowGroups(_ => true, isSupported = false, 0L)
      val vain = new ReadInVain(isOneTask = true)
      vain.addScanned(scanned)
      val refine =
        new RefineRowGroups(classify, Storage(conf), narrow, Plenty, 1.hour.fromNow, vain = vain)
      this.states(refine(file, Everything))
    }
    assert(states("dud") == "Fpp", "the budget is used up")
    assert(states("ud") == "pp")
    assert(states("ddd") == "FFF")
    assert(states("ud", scanned = 1L << 30) == "pp", "however much the task reads")
  }

  test("should stop after a thousand row groups about which there is nothing to read") {
    for ((count, due) <- Seq(1023 -> "F", 1024 -> "p")) {
      val (classify, nothing) = classified("u" * count, name = "nothing.parquet", withDictionary = false)
      val inspect = refine(classify)
      assert(states(inspect(nothing, Everything)) == "p" * count)
      assert(states(inspect(classified("d")._2, Everything)) == due)
    }
  }

  test("should read the dictionaries of several files at the same time, first few and then more") {
    val (classify, file) = classified("uuuuuuuudd")
    var requests = Vector.empty[Int]
    val narrow = new NarrowRowGroups(_ => true, isSupported = false, 0L)
    def refine(files: Seq[ClassifiedFile]): Unit = {
      requests = Vector.empty
      val inspect = new RefineRowGroups(
        classify,
        Storage(conf),
        narrow,
        Plenty,
        1.hour.fromNow,
        parts => requests :+= parts.size
      )
      inspect.expect(files)
      files.foreach(inspect(_, Everything))
    }
    refine(Seq(file, file))
    assert(requests == Seq(4), "and then it stops, because nothing was decided")
    refine(Seq("uddddd", "dddddddd").map(rowGroups => classified(rowGroups, name = rowGroups)._2))
    assert(requests == Seq(4, 8, 2))
  }

  test("should read pages together with dictionaries on remote storage, because requests take long") {
    val rows = (0 until 400).map(i => Seq(Seq(1, 500, 999)(i % 3), 7))
    val path = folder.resolve("pages.parquet")
    val fields = "required int32 a; required int32 b;"
    val local = status(PagedFile.write(path, fields, rows, pageRows = 50, withDictionary = true))
    val remote = new FileStatus(
      local.getLen,
      false,
      1,
      local.getBlockSize,
      local.getModificationTime,
      new Path(s"slow://${local.getPath.toUri.getPath}")
    )
    val (classify, file) = PagesFixture.classified(local, Not(EqualTo(PagesFixture.a, Literal(500))))
    for ((at, parts) <- Seq(local -> Seq(1, 2), remote -> Seq(3, 2))) {
      val again = classify(ListedFile.alone(InternalRow.empty, at), file.footer)
      var requests = Vector.empty[Int]
      val inspect = new RefineRowGroups(
        classify,
        Storage(conf),
        PagesFixture.everything,
        Plenty,
        1.hour.fromNow,
        requests :+= _.size
      )
      inspect.expect(Seq(again))
      assert(states(inspect(again, Everything)) == "p")
      assert(requests == parts, at.getPath)
    }
  }

  test("should not read again what decided nothing for a predicate of the same form") {
    val remembered = new UnprovedForms(100)
    def inspect(
        rowGroups: String,
        predicate: Expression = predicate,
        maxBytes: Long = Plenty
    ): (String, Int) = {
      val (classify, file) = classified(rowGroups, Seq(predicate))
      Files.setLastModifiedTime(folder.resolve("refine.parquet"), FileTime.fromMillis(1000))
      val listed = ListedFile.alone(InternalRow.empty, status(folder.resolve("refine.parquet")))
      var parts = 0
      val refine = new RefineRowGroups(
        classify,
        Storage(conf),
        new NarrowRowGroups(_ => true, isSupported = false, 0L),
        maxBytes,
        1.hour.fromNow,
        found => parts += found.size,
        UnprovedForm.of(Seq(predicate), Nil, remembered)
      )
      val again = classify(listed, file.footer)
      refine.expect(Seq(again))
      (states(refine(again, Everything)), parts)
    }
    val other = Not(EqualTo(c, Literal(501)))
    assert(inspect("uuuuud", maxBytes = 1)._1 == "pppppp")
    assert(inspect("uuuuud") == (("pppppp", 4)), "what the budget forbade is not remembered")
    assert(inspect("uuuuud") == (("pppppp", 0)))
    assert(inspect("uuuuud", other) == (("pppppp", 0)), "another literal")
    assert(inspect("uuuuud") == (("pppppp", 0)))
    assert(inspect("uuuuud", other) == (("FFFFFF", 6)), "the fourth query tries again")
    assert(inspect("uuuuud") == (("pppppp", 4)), "and decided something, so that the next one tries, too")
    assert(inspect("duuuuud") == (("Fpppppp", 7)), "another file")
    assert(inspect("duuuuud") == (("Fpppppp", 7)), "what was decided is decided again")
  }

  test(
    "should not read for a predicate of another form after one in vain, only if plain Spark may need one task"
  ) {
    def afterOneInVain(isOneTask: Boolean): Seq[String] = {
      val remembered = new UnprovedForms(100)
      Seq(predicate, Not(In(c, Seq(Literal(501)))), Not(EqualNullSafe(c, Literal(501)))).map { predicate =>
        val (classify, file) = classified("uu", Seq(predicate))
        Files.setLastModifiedTime(folder.resolve("refine.parquet"), FileTime.fromMillis(1000))
        val refine = new RefineRowGroups(
          classify,
          Storage(conf),
          new NarrowRowGroups(_ => true, isSupported = false, 0L),
          Plenty,
          1.hour.fromNow,
          unproved = UnprovedForm.of(Seq(predicate), Nil, remembered),
          vain = new ReadInVain(isOneTask)
        )
        val listed = ListedFile.alone(InternalRow.empty, status(folder.resolve("refine.parquet")))
        states(refine(classify(listed, file.footer), Everything))
      }
    }
    assert(afterOneInVain(isOneTask = true) == Seq("pp", "pp", "pp"))
    assert(afterOneInVain(isOneTask = false) == Seq("pp", "FF", "FF"))
  }

  test("should remember what was read in vain, until something is decided") {
    var remembered = Seq.empty[String]
    val memory = new UnprovedForm {
      override def canRemember: Boolean = true
      override def mayRead(file: FileId, isOneTask: => Boolean): Boolean = true
      override def readInVain(): Unit = remembered :+= "in vain"
      override def decided(): Unit = remembered :+= "decided"
    }
    val narrow = new NarrowRowGroups(_ => true, isSupported = false, 0L)
    def inspect(classify: ClassifyRowGroups, file: ClassifiedFile, needed: Long): Seq[String] = {
      remembered = Nil
      val _ = new RefineRowGroups(
        classify,
        Storage(conf),
        narrow,
        Plenty,
        1.hour.fromNow,
        unproved = memory
      )(file, needed)
      remembered
    }
    val (classify, file) = classified("uduuuuu")
    val fourAfter = Seq("in vain", "decided") ++ Seq.fill(4)("in vain")
    assert(inspect(classify, file, Everything) == fourAfter)
    assert(inspect(classify, file, needed = 1) == Seq("in vain", "decided"), "no more rows were needed")
    Files.delete(folder.resolve("refine.parquet"))
    assert(inspect(classify, file, Everything) == Nil, "nothing could be read")
  }

  test("line 51: should not inspect files whose writer is not trusted") {
    val strict = settings.copy(trustedWritersOnly = true)
    val (classify, file) = classified("dd", settings = strict, createdBy = Some("someone version 1.0"))
    assert(states(refine(classify)(file, Everything)) == "pp")
    val (trusting, trusted) =
      classified("dd", settings = strict, createdBy = Some("parquet-mr version 1.17.0"))
    assert(states(refine(trusting)(trusted, Everything)) == "FF")
  }

  test("line 20: should not decide a predicate by only one of its conjuncts") {
    val unknown = EqualTo(c, AttributeReference("other", IntegerType)())
    val (classify, file) = classified("dd", conjuncts = Seq(predicate, unknown))
    var parts = 0
    val narrow = new NarrowRowGroups(_ => true, isSupported = false, 0L)
    val inspect =
      new RefineRowGroups(classify, Storage(conf), narrow, Plenty, 1.hour.fromNow, parts += _.size)
    inspect.expect(Seq(file))
    assert(states(inspect(file, Everything)) == "pp")
    assert(parts == 0, "no dictionary decides the other conjunct")
  }

  test("line 35: should leave row groups of a deleted file undecided, because the scan will fail") {
    val (classify, file) = classified("dd")
    java.nio.file.Files.delete(folder.resolve("refine.parquet"))
    assert(states(refine(classify)(file, Everything)) == "pp")
  }
}
