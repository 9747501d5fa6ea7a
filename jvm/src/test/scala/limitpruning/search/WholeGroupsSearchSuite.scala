package limitpruning.search

import org.apache.hadoop.fs.{FileStatus, Path}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.AttributeReference
import org.apache.spark.sql.types.{IntegerType, StructType}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.parquet.ReadSettings
import limitpruning.select.ListedFile

class WholeGroupsSearchSuite extends AnyFunSuite {
  private val a = AttributeReference("a", IntegerType)()
  private val day = AttributeReference("day", IntegerType)()
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")
  private var asked = 0

  private val files = (0 until 100).map { i =>
    ListedFile(InternalRow(i / 10), new FileStatus(1L, false, 1, 1, 1L, new Path(s"/f$i")), i)
  }

  private def byKeys(key: AttributeReference): Option[IndexedSeq[IndexedSeq[ListedFile]]] = {
    val classify = new ClassifyRowGroups(
      Nil,
      Seq(a, day),
      new StructType().add("day", IntegerType),
      settings,
      alsoNeeded = Seq(key),
      known = { _ =>
        asked += 1
        FileFacts.NothingDeleted
      }
    )
    asked = 0
    WholeGroupsSearch.filesByKeys(files, new GroupKeys(Seq(key), classify))
  }

  test("all files of each key, if partition values decide the keys") {
    val Some(found) = byKeys(day): @unchecked
    assert(found.map(_.map(_.position)) == (0 until 100).grouped(10).toSeq)
  }

  test("the first file whose keys are not known is the last that is asked") {
    assert(byKeys(a).isEmpty && asked == 1)
  }
}
