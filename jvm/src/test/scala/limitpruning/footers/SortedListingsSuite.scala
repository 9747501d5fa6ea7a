package limitpruning.footers

import java.nio.file.Files

import org.apache.spark.sql.DataFrame
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, InMemoryFileIndex, LogicalRelation}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.ListedFile
import limitpruning.testing.{SparkSuite, Wildlife}

class SortedListingsSuite extends AnyFunSuite with SparkSuite {
  private val known = new SortedListings(mostFiles = 5)

  /** The index of a table that Spark has listed. */
  private def indexOf(name: String, files: String*): InMemoryFileIndex =
    index(tableOf(name, files.map(_ -> Wildlife.fixture): _*))

  private def index(table: DataFrame): InMemoryFileIndex = {
    val Seq(index) = optimized(table).collect {
      case relation: LogicalRelation => relation.relation.asInstanceOf[HadoopFsRelation].location
    }: @unchecked
    index.asInstanceOf[InMemoryFileIndex]
  }

  private def listed(index: InMemoryFileIndex): IndexedSeq[ListedFile] =
    index.listFiles(Nil, Nil).flatMap(_.files).sortBy(_.getPath.toString).zipWithIndex.map {
      case (file, position) => ListedFile(InternalRow.empty, file.fileStatus, position)
    }.toIndexedSeq

  private var sorts = 0

  private def names(index: InMemoryFileIndex, in: SortedListings = known): Seq[String] = in.of(index) {
    sorts += 1
    listed(index)
  }.map(_.status.getPath.getName)

  /** How often `body` sorts. */
  private def sortsIn(body: => Any): Int = {
    val before = sorts
    val _ = body
    sorts - before
  }

  test("the files of an index are sorted once, until it lists them again") {
    val index = indexOf("once", "a.parquet", "b.parquet")
    assert(sortsIn(names(index)) == 1 && sortsIn(names(index)) == 0)
    Wildlife.fixture.write(pathOf("once/c.parquet"))
    assert(names(index) == Seq("a.parquet", "b.parquet"), "Spark has not listed it")
    index.refresh()
    assert(names(index) == Seq("a.parquet", "b.parquet", "c.parquet"))
    Files.delete(pathOf("once/a.parquet"))
    index.refresh()
    assert(sortsIn(assert(names(index) == Seq("b.parquet", "c.parquet"))) == 1 && sortsIn(names(index)) == 0)
  }

  test("a file that was replaced is the new one after it is listed again") {
    val index = indexOf("replaced", "a.parquet")
    assert(names(index) == Seq("a.parquet"))
    index.refresh()
    assert(sortsIn(names(index)) == 1)
  }

  test("two indexes of the same paths may have listed other files") {
    val before = indexOf("two", "a.parquet")
    assert(names(before) == Seq("a.parquet"))
    val after = indexOf("two", "b.parquet")
    assert(before == after, "by their paths")
    assert(names(after) == Seq("a.parquet", "b.parquet") && names(before) == Seq("a.parquet"))
  }

  test("files in partitions are sorted again if partitions may have other values") {
    val index = indexOf("partitioned", "p=1/a.parquet", "p=2/b.parquet")
    assert(sortsIn(names(index)) == 1 && sortsIn(names(index)) == 0)
    index.refresh()
    assert(sortsIn(names(index)) == 1)
  }

  test("tables with too many files are not remembered, and forgetAll forgets all") {
    val many = indexOf("many", ('a' to 'f').map(name => s"$name.parquet"): _*)
    assert(sortsIn(names(many)) == 1 && sortsIn(names(many)) == 1)
    val few = indexOf("few", "a.parquet")
    assert(sortsIn(names(few)) == 1 && sortsIn(names(few)) == 0)
    known.forgetAll()
    assert(sortsIn(names(few)) == 1)
    val none = FactsCache.none.listings
    assert(sortsIn(names(few, none)) == 1 && sortsIn(names(few, none)) == 1)
  }

  test("files that are listed again while they are sorted are not remembered") {
    val index = indexOf("meanwhile", "a.parquet", "b.parquet")
    val before = listed(index)
    Seq(IndexedSeq.empty, before.take(1), before).foreach { stale =>
      val fresh = new SortedListings(10)
      assert(fresh.of(index) {
        index.refresh()
        stale
      } == stale)
      assert(names(index, fresh) == Seq("a.parquet", "b.parquet"))
    }
  }

  test("an index of many paths, and of files without rows") {
    val paths = (1 to 20).map(i => s"paths/$i")
    paths.foreach(path => Wildlife.fixture.write(pathOf(s"$path/a.parquet")))
    val many = index(spark.read.parquet(paths.map(pathOf(_).toString): _*))
    assert(names(many).size == 20 && sortsIn(names(many)) == 1)
    val one = indexOf("empty", "a.parquet")
    Files.createFile(pathOf("empty/b.parquet"))
    one.refresh()
    assert(names(one) == Seq("a.parquet") && sortsIn(names(one)) == 0)
  }
}
