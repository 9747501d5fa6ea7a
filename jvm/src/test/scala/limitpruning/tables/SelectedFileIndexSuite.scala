package limitpruning.tables

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Expression, Literal}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.datasources.{FileIndex, PartitionDirectory}
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.search.LimitPlan
import limitpruning.select.{ChosenRows, ListedFile, SearchCounts, Selection}
import limitpruning.testing.{ParquetFixture, SparkSuite}

class SelectedFileIndexSuite extends AnyFunSuite with SparkSuite {
  private val ints = ParquetFixture("optional int32 a;").rowGroup(Seq(1), Seq(2)).rowGroup(Seq(3), Seq(4))
  private lazy val table =
    tableOf("days", (1 to 4).map(day => s"day=$day/f.parquet" -> ints): _*)

  private def index(df: DataFrame): SelectedFileIndex = {
    val Seq(index) =
      optimized(df).collect { case SelectedRelation(_, index: SelectedFileIndex) => index }: @unchecked
    index
  }
  private def files(index: SelectedFileIndex): Seq[String] =
    index.listFiles(Nil, Nil).flatMap(_.files).map(_.getPath.getParent.getName).sorted

  test("lists only the selected files, with their partition values") {
    val selected = index(table.limit(6))
    assert(files(selected) == Seq("day=1", "day=2"))
    assert(selected.listFiles(Nil, Nil).map(_.values.getInt(0)).sorted == Seq(1, 2))
    assert(files(new SelectedFileIndex(selected.original, selected.plan)).size == 2)
  }

  private def days(directories: Seq[PartitionDirectory]): Seq[String] =
    directories.flatMap(_.files).map(_.getPath.getParent.getName)

  test("partition filters that the files were selected for prune the selected files") {
    val query = table.where("day IN (2, 3) OR day = 4").limit(6)
    val selected = index(query)
    assert(days(selected.listFiles(selected.chosen.conjuncts, Nil)) == Seq("day=2", "day=3"))
    assert(days(selected.listFiles(Nil, Nil)) == Seq("day=2", "day=3"))
  }

  test("with a filter that was added later, lists all files that match it") {
    val selected = index(table.limit(2))
    assert(files(selected) == Seq("day=1"))
    val day = AttributeReference("day", IntegerType)()
    assert(days(selected.listFiles(Seq(EqualTo(day, Literal(2))), Nil)) == Seq("day=2"))
    val a = AttributeReference("a", IntegerType)()
    assert(selected.listFiles(Nil, Seq(EqualTo(a, Literal(2)))).flatMap(_.files).size == 4)
  }

  test("a file of two partitions is listed with the values of the selected partition") {
    val file = ListedFile(InternalRow(1), new FileStatus(1, false, 1, 1, 1, new Path("/t/f")), position = 0)
    val shared = file.copy(partitionValues = InternalRow(2), position = 1)
    val real = index(table.limit(1))
    def listed(files: ListedFile*): Seq[(Int, Int)] = {
      val selection = Selection(Nil, files)
      val rows = ChosenRows(1, Nil, selection, SearchCounts.Zero, planningNanos = 0, allRowsMatch = false)
      new SelectedFileIndex(real.original, LimitPlan(rows, real.plan.settings))
        .listFiles(Nil, Nil).map(directory => directory.values.getInt(0) -> directory.files.size)
    }
    assert(listed(shared) == Seq(2 -> 1))
    assert(listed(file, shared, file.copy(position = 2)) == Seq(1 -> 2, 2 -> 1))
  }

  test("the size is that of the selected row groups") {
    val one = index(table.limit(2))
    assert(one.sizeInBytes > 0)
    assert(index(table.limit(4)).sizeInBytes == 2 * one.sizeInBytes)
    assert(one.sizeInBytes < one.original.sizeInBytes)
  }

  test("size and hash are computed once") {
    val one = index(table.limit(2))
    val files = new WatchedSeq(one.chosen.selection.files)
    val rows = one.chosen.copy(selection = one.chosen.selection.copy(files = files))
    val watched = new SelectedFileIndex(one.original, one.plan.copy(rows = rows))
    assert(watched.sizeInBytes == one.sizeInBytes && watched.hashCode == one.hashCode && watched == one)
    val before = files.traversals
    assert(watched.sizeInBytes == one.sizeInBytes && watched.hashCode == one.hashCode && watched == one)
    assert(before > 0 && files.traversals == before)
  }

  test("all other properties are those of the table's own index") {
    val selected = index(table.limit(2))
    assert(selected.rootPaths == selected.original.rootPaths)
    assert(selected.partitionSchema == selected.original.partitionSchema)
    assert(selected.inputFiles.toSeq == selected.original.inputFiles.toSeq)
    assert(selected.metadataOpsTimeNs == selected.original.metadataOpsTimeNs)
  }

  test("line 40: two indexes are equal only if they select the same row groups of the same table") {
    val one = index(table.limit(1))
    assert(one == index(table.limit(2)), "one row group contains both rows")
    assert(one.hashCode == index(table.limit(2)).hashCode)
    assert(one != index(table.limit(3)))
    assert(one != one.original && one.original != one)
    val elsewhere = index(tableOf("other", (1 to 4).map(day => s"day=$day/f.parquet" -> ints): _*).limit(1))
    assert(one != elsewhere)
    assert(
      one != new SelectedFileIndex(elsewhere.original, one.plan),
      "the same files of another table"
    )
    assert(one != new OtherIndex(one) && new OtherIndex(one) != one, "the same rows, listed otherwise")
  }

  private final class WatchedSeq[A](of: Seq[A]) extends Seq[A] {
    var traversals = 0
    override def apply(i: Int): A = of(i)
    override def length: Int = of.length
    override def iterator: Iterator[A] = {
      traversals += 1
      of.iterator
    }
  }

  /** An index of another class, with the same selection. */
  private class OtherIndex(one: SelectedFileIndex) extends SelectedIndex {
    override def original: FileIndex = one.original
    override def plan: LimitPlan = one.plan
    override def planAsIs(plan: LogicalPlan): Seq[SparkPlan] = one.planAsIs(plan)
    override def rootPaths: Seq[Path] = one.rootPaths
    override def partitionSchema: StructType = one.partitionSchema
    override def listFiles(partitions: Seq[Expression], data: Seq[Expression]): Seq[PartitionDirectory] =
      original.listFiles(partitions, data)
  }
}
