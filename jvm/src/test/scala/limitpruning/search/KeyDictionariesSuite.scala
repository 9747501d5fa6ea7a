package limitpruning.search

import scala.concurrent.duration.{DurationInt, FiniteDuration}

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.{FileColumns, FooterReader, PartOfFile, ReadSettings, Storage}
import limitpruning.predicate.{MatchState, Obstacle}
import limitpruning.select.ListedFile
import limitpruning.testing.{FooterEdit, ParquetFixture, TempFolder}

class KeyDictionariesSuite extends AnyFunSuite with TempFolder {
  import KeyDictionariesSuite.Found

  private val d = AttributeReference("d", DoubleType)()
  private val descending = SortOrder(d, Descending)
  private val conf = new Configuration(false)
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val Plenty = 1L << 20

  private def isNaN(best: Option[Any]): Boolean = best.exists {
    case value: Double => value.isNaN
    case _ => false
  }

  /** @param rowGroups the values of each row group, each of them 20 times */
  private def found(
      rowGroups: Seq[Seq[Any]],
      key: SortOrder = descending,
      conjuncts: Seq[Expression] = Nil,
      dictionary: Boolean = true,
      dictionaryBytes: Int = 0,
      maxBytes: Long = Plenty,
      time: FiniteDuration = 1.hour,
      trustedWritersOnly: Boolean = false,
      deletedRows: Option[Long] = Some(0)
  ): Found = {
    val empty = ParquetFixture("optional double d;")
    val path = rowGroups
      .foldLeft(if (dictionary) empty.withDictionaryUpTo(dictionaryBytes) else empty) { (file, values) =>
        file.rowGroup((0 until 20 * values.size).map(i => Seq(values(i % values.size))): _*)
      }
      .write(folder.resolve(s"f${rowGroups.hashCode}.parquet"))
    if (trustedWritersOnly) FooterEdit(path)(_.setCreated_by("nobody version 1"))
    val listed = ListedFile.alone(InternalRow.empty, status(path))
    val facts = FileFacts.NothingDeleted.copy(deletedRows = deletedRows)
    val classify = new ClassifyRowGroups(
      conjuncts,
      Seq(d),
      new StructType,
      settings.copy(trustedWritersOnly = trustedWritersOnly),
      alsoNeeded = Seq(key.child),
      _ => facts
    )
    val keyFacts = new KeyFacts(key, conjuncts, classify)
    var ahead = Vector.empty[Int]
    val prefetch = (parts: Seq[PartOfFile]) => ahead :+= parts.size
    val dictionaries =
      new KeyDictionaries(keyFacts, classify, Storage(conf), maxBytes, time.fromNow, prefetch)
    val read = classify(listed, new FooterReader(conf).read(listed.status, FileColumns.All))
    val file = dictionaries(Seq(read)).head
    Found(
      file.rowGroups.indices.map(keyFacts.best(file, _)),
      file.rowGroups.map(_.state),
      file.rowGroups.indices.map(keyFacts.obstacle(file, _)),
      maxBytes - dictionaries.bytesLeft,
      ahead
    )
  }

  test("bounds a double by its dictionary, because statistics do not contain NaN") {
    assert(found(Seq(Seq(1.0, 3.0), Seq(7.0, 5.0))).best == Seq(Some(3.0), Some(7.0)))
    assert(found(Seq(Seq(1.0, Double.NaN))).best.forall(isNaN))
  }

  test("a column that exceeds its dictionary is not bounded, and the obstacle says so") {
    val many = (1 to 16).map(_.toDouble) // 128 bytes
    val nothing = found(Seq(many, Seq(1.0, 3.0)), dictionaryBytes = 64)
    assert(nothing.best.map(isNaN(_)) == Seq(true, false))
    assert(nothing.obstacles == Seq(Some(Obstacle.PerhapsNaN("d")), None), "no page used the dictionary")
    val late = Seq.fill(200)(1.0) ++ many
    val some = found(Seq(late, Seq(1.0, 3.0)), dictionaryBytes = 64)
    assert(some.best.map(isNaN(_)) == Seq(true, false))
    assert(some.obstacles == Seq(Some(Obstacle.BeyondDictionary("d")), None))
    val expression = found(Seq(late), SortOrder(Add(d, Literal(1.0)), Descending), dictionaryBytes = 64)
    assert(expression.obstacles == Seq(Some(Obstacle.BeyondDictionary("d"))))
    assert(found(Seq(late)).obstacles == Seq(None))
  }

  test("keeps nulls: they are not in the dictionary") {
    val nullsFirst = SortOrder(d, Descending, NullsFirst, Nil)
    assert(found(Seq(Seq(1.0, null), Seq(2.0, 3.0)), nullsFirst).best == Seq(Some(null), Some(3.0)))
    assert(found(Seq(Seq(1.0, null), Seq(null, null))).best == Seq(Some(1.0), Some(null)))
  }

  test("bounds a monotone expression of the column") {
    assert(found(Seq(Seq(1.0, 3.0)), SortOrder(UnaryMinus(d), Ascending)).best.size == 1)
    assert(found(Seq(Seq(1.0, 3.0)), SortOrder(Add(d, Literal(1.0)), Descending)).best == Seq(Some(4.0)))
  }

  test("decides row groups of the predicate, too") {
    val below = LessThan(d, Literal(5.0))
    assert(found(Seq(Seq(1.0, 3.0), Seq(4.0, 6.0), Seq(7.0)), conjuncts = Seq(below)).states ==
      Seq(MatchState.FullyMatching, MatchState.PartiallyMatching, MatchState.NotMatching))
  }

  test("reads nothing for row groups that do not match") {
    val none = found(Seq(Seq(7.0, 9.0)), conjuncts = Seq(LessThan(d, Literal(5.0))))
    assert(none.bytes == 0 && none.ahead.isEmpty)
  }

  test("reads nothing without bytes, without time, and of files that are not believed") {
    val groups = Seq(Seq(1.0, 3.0), Seq(5.0, 7.0))
    val unread = Seq(
      found(groups, maxBytes = 0),
      found(groups, time = 0.seconds),
      found(groups, trustedWritersOnly = true),
      found(groups, deletedRows = None),
      found(groups, dictionary = false)
    )
    for (nothing <- unread)
      assert(nothing.bytes == 0 && nothing.best.forall(best => best.isEmpty || isNaN(best)))
  }

  test("stops when the bytes are used up") {
    val groups = Seq.fill(6)(Seq(1.0, 3.0))
    val one = found(groups.take(1)).bytes
    assert(one > 0)
    val some = found(groups, maxBytes = 2 * one)
    assert(some.best.count(_.contains(3.0)) == 2 && some.bytes == 2 * one)
  }

  test("reads dictionaries of several row groups at the same time") {
    assert(found(Seq.fill(6)(Seq(1.0, 3.0))).ahead.sum == 6)
  }

  test("deleted rows do not matter: the dictionary contains the others, too") {
    assert(found(Seq(Seq(1.0, 3.0)), deletedRows = Some(5)).best == Seq(Some(3.0)))
  }
}

private object KeyDictionariesSuite {

  /** What was found in a file: the best key of each row group, its state, and what is not bounded by it. */
  private final case class Found(
      best: Seq[Option[Any]],
      states: Seq[MatchState],
      obstacles: Seq[Option[Obstacle]],
      bytes: Long,
      ahead: Seq[Int]
  )
}
