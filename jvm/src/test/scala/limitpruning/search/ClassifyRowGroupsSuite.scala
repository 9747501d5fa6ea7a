package limitpruning.search

import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.ReadSettings
import limitpruning.predicate.{MatchState, Obstacle}
import limitpruning.predicate.MatchState._
import limitpruning.select.ListedFile
import limitpruning.testing.{RawChunk, RawFooter}

class ClassifyRowGroupsSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val day = AttributeReference("day", StringType)()
  private val partitions = new StructType().add("day", StringType)
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")

  private val raw = RawFooter("optional int32 a; optional int32 b;")
    .rowGroup(10, RawChunk.between(1, 4).nulls(0), RawChunk.between(1, 1).nulls(0))
    .rowGroup(10, RawChunk.between(3, 7).nulls(0), RawChunk.between(1, 1).nulls(0))
    .rowGroup(10, RawChunk.between(6, 9).nulls(0), RawChunk.between(1, 1).nulls(2))
    .rowGroup(0, RawChunk.silent, RawChunk.silent)

  private def states(conjuncts: Expression*)(
      value: Any = UTF8String.fromString("mon"),
      footer: RawFooter = raw,
      settings: ReadSettings = settings
  ): Seq[MatchState] =
    new ClassifyRowGroups(conjuncts, Seq(a, b, day), partitions, settings)(
      ListedFile.alone(InternalRow(value), new FileStatus()),
      footer.footer
    ).rowGroups.map(_.state)

  private val monday = EqualTo(day, Literal(UTF8String.fromString("mon"), StringType))

  test("an interrupted thread stops classifying the row groups of a file") {
    val file = ListedFile.alone(InternalRow(UTF8String.fromString("mon")), new FileStatus())
    val classify =
      new ClassifyRowGroups(Seq(GreaterThan(a, Literal(5))), Seq(a, b, day), partitions, settings)
    Thread.currentThread.interrupt()
    val _ = intercept[InterruptedException](classify(file, raw.footer))
    assert(!Thread.currentThread.isInterrupted && classify.work.done == 0)
  }

  test("a file is not trusted if its rows may not all be in the table, or its row count differs") {
    def classified(rows: Option[Long], deletedRows: Option[Long]): ClassifiedFile = {
      val facts = FileFacts.NothingDeleted.copy(rows = rows, deletedRows = deletedRows)
      new ClassifyRowGroups(
        Seq(GreaterThan(a, Literal(5))),
        Seq(a, b, day),
        partitions,
        settings,
        Nil,
        _ => facts
      )(
        ListedFile.alone(InternalRow(UTF8String.fromString("mon")), new FileStatus()),
        raw.footer
      )
    }
    val counted = Seq(NotMatching, PartiallyMatching, FullyMatching, NotMatching)
    for (rows <- Seq(None, Some(30L)))
      assert(classified(rows, deletedRows = Some(0)).rowGroups.map(_.state) == counted)
    for (
      (rows, deleted) <- Seq((None, None), (None, Some(31L)), (Some(29L), Some(1L)), (Some(29L), Some(0L)))
    ) {
      val file = classified(rows, deleted)
      assert(!file.isBelieved && file.rowGroups.forall(_.state == PartiallyMatching), (rows, deleted))
      assert(file.rowGroups.flatMap(_.obstacle).toSet == Set(Obstacle.RowsNotInTable))
    }
    val withDeletes = classified(Some(30), deletedRows = Some(3))
    assert(withDeletes.rowGroups.map(_.state) == counted && !withDeletes.isComplete)
    assert(withDeletes.matchingRows == withDeletes.matching.map(_.rows).sum - 3)
  }

  test("an undecided row group has an obstacle, a decided one has none") {
    val silent =
      raw.rowGroup(10, RawChunk.silent, RawChunk.silent).rowGroup(10, RawChunk.between(8, 9), RawChunk.silent)
    def obstacles(predicate: Expression): Seq[Option[String]] =
      new ClassifyRowGroups(Seq(predicate), Seq(a, b, day), partitions, settings)(
        ListedFile.alone(InternalRow(UTF8String.fromString("mon")), new FileStatus()),
        silent.footer
      ).rowGroups.map(_.obstacle.map(_.sentence))
    assert(
      obstacles(GreaterThan(a, Literal(5))) == Seq(
        None,
        Some("(a > 5) may hold for only some rows"),
        None,
        None,
        Some("no usable statistics for column a"),
        Some("column a may hold nulls")
      )
    )
    val udf = ScalaUDF((value: Any) => value != null, BooleanType, Seq(a), udfName = Some("odd"))
    assert(obstacles(udf).head.contains("predicate uses odd(a)"))
  }

  test("a predicate classifies each row group") {
    assert(states(GreaterThan(a, Literal(4)))() ==
      Seq(NotMatching, PartiallyMatching, FullyMatching, NotMatching))
  }

  test("every conjunct counts") {
    val both = states(GreaterThan(a, Literal(4)), EqualTo(b, Literal(1)))()
    assert(both == Seq(NotMatching, PartiallyMatching, PartiallyMatching, NotMatching))
    assert(states(EqualTo(b, Literal(1)), IsNotNull(b))().take(3) ==
      Seq(FullyMatching, FullyMatching, PartiallyMatching))
  }

  test("line 51: a strict session does not trust files of a writer that was not tested") {
    val strict = settings.copy(trustedWritersOnly = true)
    val unknown = raw.copy(createdBy = "someone else version 1.0")
    for (conjuncts <- Seq(Seq(GreaterThan(a, Literal(4))), Seq(monday), Nil)) {
      assert(states(conjuncts: _*)(footer = unknown, settings = strict).toSet == Set(PartiallyMatching))
      assert(states(conjuncts: _*)(settings = strict) == states(conjuncts: _*)())
    }
  }

  test("line 88: what a writer states that is not listed decides nothing, but what is expected first") {
    val other = raw.copy(createdBy = "someone else version 1.0")
    def classified(conjuncts: Expression*)(footer: RawFooter) =
      new ClassifyRowGroups(conjuncts, Seq(a, b, day), partitions, settings)(
        ListedFile.alone(InternalRow(UTF8String.fromString("mon")), new FileStatus()),
        footer.footer
      ).rowGroups
    val above = GreaterThan(a, Literal(4))
    val found = classified(above)(other)
    assert(found.map(_.state).take(3).forall(_ == PartiallyMatching) && found.forall(_.matching.isEmpty))
    assert(found.map(_.stated) == Seq(Some(NotMatching), None, Some(FullyMatching), None))
    assert(found.map(_.isLikely) == Seq(false, false, true, false))
    assert(found.map(_.isUnlikely) == Seq(true, false, false, false))
    assert(
      found.map(_.obstacle.map(_.sentence)) == Seq(
        Some("min/max of numbers and times, null counts prove nothing for column a, because the writer is not listed for them: " +
          "someone else version 1.0"),
        Some("(a > 4) may hold for only some rows"),
        Some("min/max of numbers and times, null counts prove nothing for column a, because the writer is not listed for them: " +
          "someone else version 1.0"),
        None
      )
    )
    assert(classified(above)(raw).forall(_.stated.isEmpty), "a listed writer proves what it states")
    val nulls = classified(IsNotNull(b))(other).flatMap(_.obstacle).head.sentence
    assert(nulls.contains("null counts prove nothing for column b"), nulls)
    // Row counts, partition values and columns that the file lacks are not statements about values.
    assert(states()(footer = other) == Seq(FullyMatching, FullyMatching, FullyMatching, NotMatching))
    assert(states(monday)(footer = other) == states(monday)())
    assert(states(monday)(UTF8String.fromString("tue"), footer = other).head == NotMatching)
  }

  test("without a predicate every row group matches, except those without rows") {
    assert(states()() == Seq(FullyMatching, FullyMatching, FullyMatching, NotMatching))
  }

  test("line 19: a row group without rows is not matching, whatever the predicate") {
    assert(states(Literal.TrueLiteral)().last == NotMatching)
    assert(states(IsNull(a))().last == NotMatching)
  }

  test("partition columns have the value of the file's directory") {
    assert(states(monday)().head == FullyMatching)
    assert(states(monday)(UTF8String.fromString("tue")).head == NotMatching)
    assert(states(monday, GreaterThan(a, Literal(5)))().apply(2) == FullyMatching)
  }

  test("line 33: a partition value may be null") {
    assert(states(monday)(null).head == NotMatching)
    assert(states(Not(monday))(null).head == NotMatching)
    assert(states(IsNull(day))(null).head == FullyMatching)
  }

  test("line 33: a partition column that is also in the file has the directory's value") {
    val withDay = RawFooter("optional int32 a; optional int32 b; optional binary DAY (STRING);")
      .rowGroup(10, RawChunk.silent, RawChunk.silent, RawChunk.between("tue", "tue").nulls(0))
    assert(states(monday)(footer = withDay) == Seq(FullyMatching))
  }

  test("line 33: partition columns are matched by the case sensitivity of the session") {
    val upper = AttributeReference("DAY", StringType)()
    val monday = EqualTo(upper, Literal(UTF8String.fromString("mon"), StringType))
    def state(settings: ReadSettings): MatchState =
      new ClassifyRowGroups(Seq(monday), Seq(a, b, upper), partitions, settings)(
        ListedFile.alone(InternalRow(UTF8String.fromString("mon")), new FileStatus()),
        raw.footer
      ).rowGroups.head.state
    assert(state(settings) == FullyMatching)
    assert(
      state(settings.copy(caseSensitive = true)) == NotMatching,
      "it is another column, which no file has"
    )
  }

  test("line 86: a column is no partition column because their names are equal in upper case") {
    val yil = AttributeReference("yil", IntegerType)()
    val dotless = AttributeReference("yıl", IntegerType)()
    val raw = RawFooter("optional int32 yil;").rowGroup(10, RawChunk.between(1, 4).nulls(0))
    def state(column: AttributeReference, value: Int): MatchState =
      new ClassifyRowGroups(
        Seq(EqualTo(column, Literal(value))),
        Seq(yil, dotless),
        new StructType().add("yıl", IntegerType),
        settings
      )(ListedFile.alone(InternalRow(7), new FileStatus()), raw.footer).rowGroups.head.state
    assert(state(dotless, 7) == FullyMatching && state(dotless, 2) == NotMatching)
    assert(state(yil, 7) == NotMatching && state(yil, 2) == PartiallyMatching)
  }

  test("line 27: metadata columns are unknown") {
    val path = FileSourceMetadataAttribute("file_path", StringType)
    val classify = new ClassifyRowGroups(Seq(IsNotNull(path)), Seq(a, b, day, path), partitions, settings)
    val states = classify(ListedFile.alone(InternalRow(null), new FileStatus()), raw.footer)
    assert(states.rowGroups.take(3).map(_.state) == Seq.fill(3)(PartiallyMatching))
  }

  test("a column whose name in the file has another case is found if the session ignores case") {
    val upper = RawFooter("optional int32 A;").rowGroup(10, RawChunk.between(6, 9).nulls(0))
    assert(states(GreaterThan(a, Literal(5)))(footer = upper) == Seq(FullyMatching))
    val sensitive = settings.copy(caseSensitive = true)
    assert(states(GreaterThan(a, Literal(5)))(footer = upper, settings = sensitive) == Seq(NotMatching))
  }
}
