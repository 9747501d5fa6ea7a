package limitpruning.plan

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, EqualTo, Literal}
import org.apache.spark.sql.types.IntegerType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.{ParquetFixture, SparkSuite}

class SelectedFileIndexSuite extends AnyFunSuite with SparkSuite {
  private val ints = ParquetFixture("optional int32 a;").rowGroup(Seq(1), Seq(2)).rowGroup(Seq(3), Seq(4))
  private lazy val table =
    tableOf("days", (1 to 4).map(day => s"day=$day/f.parquet" -> ints): _*)

  private def index(df: DataFrame): SelectedFileIndex = {
    val Seq(index) = optimized(df).collect { case SelectedRelation(_, index) => index }: @unchecked
    index
  }
  private def files(index: SelectedFileIndex): Seq[String] =
    index.listFiles(Nil, Nil).flatMap(_.files).map(_.getPath.getParent.getName).sorted

  test("lists the selected files alone, with their partition values") {
    val selected = index(table.limit(6))
    assert(files(selected) == Seq("day=1", "day=2"))
    assert(selected.listFiles(Nil, Nil).map(_.values.getInt(0)).sorted == Seq(1, 2))
    assert(files(new SelectedFileIndex(selected.original, selected.chosen)).size == 2)
  }

  test("partition filters that come later still prune") {
    val selected = index(table.limit(6))
    val day = AttributeReference("day", IntegerType)()
    val later = selected.listFiles(Seq(EqualTo(day, Literal(2))), Nil)
    assert(later.flatMap(_.files).map(_.getPath.getParent.getName) == Seq("day=2"))
  }

  test("its size is that of the selected row groups") {
    val one = index(table.limit(2))
    assert(one.sizeInBytes > 0)
    assert(index(table.limit(4)).sizeInBytes == 2 * one.sizeInBytes)
    assert(one.sizeInBytes < one.original.sizeInBytes)
  }

  test("everything else is the table's") {
    val selected = index(table.limit(2))
    assert(selected.rootPaths == selected.original.rootPaths)
    assert(selected.partitionSchema == selected.original.partitionSchema)
    assert(selected.inputFiles.toSeq == selected.original.inputFiles.toSeq)
    assert(selected.metadataOpsTimeNs == selected.original.metadataOpsTimeNs)
  }

  test("line 40: equal to another only if both select the same row groups of the same table") {
    val one = index(table.limit(1))
    assert(one == index(table.limit(2)), "one row group holds both")
    assert(one.hashCode == index(table.limit(2)).hashCode)
    assert(one != index(table.limit(3)))
    assert(one != one.original && one.original != one)
    val elsewhere = index(tableOf("other", (1 to 4).map(day => s"day=$day/f.parquet" -> ints): _*).limit(1))
    assert(one != elsewhere)
    assert(one != new SelectedFileIndex(elsewhere.original, one.chosen), "the same files of another table")
  }
}
