package limitpruning.search

import scala.concurrent.duration.DurationInt

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.FileStatus
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._

import limitpruning.parquet.{FileColumns, FooterReader, ReadSettings, Storage}
import limitpruning.select.ListedFile

/** Inspects one file as the rule does, without Spark. */
object PagesFixture {
  val a: AttributeReference = AttributeReference("a", IntegerType)()
  val b: AttributeReference = AttributeReference("b", IntegerType)()
  private val conf = new Configuration(false)
  private val storage = Storage(conf)
  private val settings = ReadSettings(caseSensitive = false, byFieldId = false, rebaseMode = "CORRECTED")

  /** Both columns are needed, and a row group of any size is narrowed. */
  val everything = new NarrowRowGroups(_ => true, isSupported = true, minBytes = 0)

  def classified(status: FileStatus, conjuncts: Expression*): (ClassifyRowGroups, ClassifiedFile) = {
    val classify = new ClassifyRowGroups(conjuncts, Seq(a, b), new StructType, settings)
    (
      classify,
      classify(
        ListedFile.alone(InternalRow.empty, status),
        new FooterReader(conf).read(status, FileColumns.All)
      )
    )
  }

  def refined(
      status: FileStatus,
      needed: Long = Long.MaxValue,
      narrow: NarrowRowGroups = everything,
      maxBytes: Long = 1L << 20
  )(conjuncts: Expression*): ClassifiedFile = {
    val (classify, file) = classified(status, conjuncts: _*)
    new RefineRowGroups(classify, storage, narrow, maxBytes, 1.hour.fromNow)(file, needed)
  }

  def select(narrow: NarrowRowGroups, maxBytes: Long = 1L << 20): AddressRows =
    new AddressRows(narrow, storage, maxBytes, 1.hour.fromNow)
}
