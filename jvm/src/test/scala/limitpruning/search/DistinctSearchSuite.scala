package limitpruning.search

import scala.concurrent.duration.DurationInt

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.footers.{FooterWave, PlanningMemory}
import limitpruning.parquet.ReadSettings
import limitpruning.select.{ListedFile, Reason, SearchCounts}
import limitpruning.testing.{RawChunk, RawFooter}

class DistinctSearchSuite extends AnyFunSuite {
  import DistinctSearchSuite._

  private val a = AttributeReference("a", IntegerType)()
  private val b = AttributeReference("b", IntegerType)()
  private val day = AttributeReference("day", IntegerType)()
  private val isOne = EqualTo(b, Literal(1))
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private val plenty = SearchBudget(maxFiles = 1000, maxTime = 1.minute, firstFiles = 4)

  private def all(min: Int, max: Int): Group = Group(min, max, 1, 1)
  private def some(min: Int, max: Int): Group = Group(min, max, 0, 1)
  private def none(min: Int, max: Int): Group = Group(min, max, 0, 0)

  private val asked = collection.mutable.Set.empty[Int]
  private var read = Vector.empty[Int]

  /** @param files row groups of ten rows each: all rows match, some may match, or none match */
  private def search(
      limit: Int,
      keys: Seq[Expression] = Seq(a),
      budget: SearchBudget = plenty,
      dayOf: Int => Any = identity
  )(files: Seq[Group]*): Found = {
    val listed = files.indices.map { i =>
      ListedFile(InternalRow(dayOf(i)), new FileStatus(1000L, false, 1, 1, 2000L, new Path(s"/f$i")), i)
    }
    val classify =
      new ClassifyRowGroups(
        Seq(isOne),
        Seq(a, b, day),
        new StructType().add("day", IntegerType),
        settings,
        alsoNeeded = keys,
        known = { file =>
          asked += file.position
          FileFacts.NothingDeleted
        }
      )
    asked.clear()
    read = Vector.empty
    val footers = (wave: Seq[ListedFile]) => {
      read ++= wave.map(_.position)
      new FooterWave(wave.map(file => Some(footer(files(file.position)))).toIndexedSeq, None, () => ())
    }
    val (result, counts) =
      new DistinctSearch(
        limit,
        new GroupKeys(keys, classify),
        WaveInputs(budget, new PlanningMemory().search(budget.maxMemory), footers, classify(_, _)),
        identity,
        identity
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

  test("chooses one row of each row group whose keys no other one may have") {
    val found = search(2)(Seq(all(1, 3), all(2, 5), all(6, 9)))
    assert(found.chosen == Seq("/f0" -> Seq(0, 2)) && found.groups.groups == 2 && !found.groups.areAll)
    assert(found.groups.rows.flatMap(_._2).map(_.rows) == Seq(1, 1))
  }

  test("line 60: ranges that overlap count once, whatever their ends are") {
    assert(search(2)(Seq(all(1, 3), all(3, 5)), Seq(all(1, 5))).reason.contains(
      Reason.NotEnoughGroups(1, 2, "a", 2, "")
    ))
  }

  test("line 59: rows that may not match do not count") {
    assert(search(2)(Seq(all(1, 1), some(2, 2), none(3, 3))).code == "not-enough-groups")
  }

  test("line 62: all keys are found only if each other row that may match has one of them") {
    val found = search(9)(Seq(all(1, 1), some(1, 1), all(2, 2), none(7, 9)))
    assert(found.groups.areAll && found.chosen == Seq("/f0" -> Seq(0, 2)))
    assert(search(9)(Seq(all(1, 1), some(2, 2))).code == "not-enough-groups")
    assert(search(9)(Seq(all(1, 1), all(1, 2))).code == "not-enough-groups")
    assert(search(9)(Seq(all(1, 2), all(4, 4))).code == "not-enough-groups")
  }

  test("if no row matches, nothing is read") {
    val found = search(3)(Seq(none(1, 1)), Seq(none(2, 2)))
    assert(found.groups == FoundGroups(Nil, 0, areAll = true))
  }

  test("inspects one file of each partition value first, and none whose value was found") {
    val files = Seq.fill(12)(Seq(all(1, 1)))
    val found = search(9, Seq(day), plenty.copy(firstFiles = 3), dayOf = _ / 4)(files: _*)
    assert(found.read.map(_ / 4).toSet == Set(0, 1, 2) && found.read.size == 3)
    assert(found.groups.areAll && found.groups.groups == 3)
  }

  test("only a few files are asked for their keys if they have no partition values") {
    val found = search(3)(Seq.tabulate(500)(i => Seq(all(i, i))): _*)
    assert(found.groups.groups == 3)
    assert((asked.toSet -- found.read).size <= 16)
  }

  test("line 59: partitions without a value have one key") {
    val found = search(2, Seq(day), dayOf = _ => null)(Seq(all(1, 1)), Seq(all(2, 2)))
    assert(found.groups.groups == 1 && found.groups.areAll)
  }

  test("line 62: a partition in which no row is proved to match is not found") {
    val found = search(9, Seq(day))(Seq(all(1, 1)), Seq(some(2, 2)))
    assert(found.code == "not-enough-groups")
    assert(search(9, Seq(day))(Seq(all(1, 1)), Seq(none(2, 2))).groups.groups == 1)
  }

  test("keys of several columns are distinct if one of them is") {
    val found = search(3, Seq(a, day))(Seq(all(1, 9)), Seq(all(1, 9)), Seq(all(1, 2), all(3, 3)))
    assert(found.groups.groups == 3)
    assert(search(3, Seq(day, a), dayOf = _ => 1)(Seq(all(1, 9)), Seq(all(1, 9))).code == "not-enough-groups")
  }

  test("stops when a wave finds no further key, unless all keys may be found") {
    val wide = search(5, budget = plenty.copy(firstFiles = 2))(Seq.fill(50)(Seq(all(1, 9))): _*)
    assert(wide.code == "not-enough-groups" && wide.read.size == 6)
    val few = search(5, budget = plenty.copy(firstFiles = 2))(Seq.fill(50)(Seq(all(1, 1))): _*)
    assert(few.groups.areAll && few.read.size == 50)
  }

  test("the reason shows groups if the budget is used up") {
    val found = search(50, budget = plenty.copy(maxFiles = 3))(Seq.tabulate(50)(i => Seq(all(i, i))): _*)
    assert(found.reason.contains(
      Reason.OutOfBudget("spark.limitPruning.planning.maxFiles", "3", 3, 50, "groups")
    ))
  }
}

private object DistinctSearchSuite {

  final case class Group(min: Int, max: Int, minB: Int, maxB: Int)

  final case class Found(result: Either[Reason, FoundGroups], counts: SearchCounts, read: Seq[Int]) {
    def groups: FoundGroups = result.toOption.get
    def reason: Option[Reason] = result.left.toOption
    def code: String = reason.fold("")(_.code)
    def chosen: Seq[(String, Seq[Int])] =
      groups.rows.map { case (file, rows) => file.listed.status.getPath.toString -> rows.map(_.ordinal) }
  }
}
