package limitpruning.benchmarks

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

import limitpruning.parquet.Footer
import limitpruning.testing.{RawChunk, RawFooter}

/**
 * The data to classify: `ts >= … AND status IN (200, 301, 404, 500) AND name LIKE 'abc%'` over files sorted
 * by time. Of each hundred row groups, the first forty are too old. Of the others, a third match fully, a
 * third match the prefix only partially, and for a third the status is undecided.
 */
object Facts {
  val ts: AttributeReference = AttributeReference("ts", TimestampType)()
  val status: AttributeReference = AttributeReference("status", IntegerType)()
  val name: AttributeReference = AttributeReference("name", StringType)()

  private val Start = 1700000000000000L
  private val Hour = 3600L * 1000 * 1000
  private val RowsEach = 100000L

  val conjuncts: Seq[Expression] = Seq(
    GreaterThanOrEqual(ts, Literal(Start + 40 * Hour, TimestampType)),
    In(status, Seq(200, 301, 404, 500).map(Literal(_))),
    StartsWith(name, Literal(UTF8String.fromString("abc"), StringType))
  )

  /** A footer as Spark writes it: min, max and null counts of every column. */
  def footer(rowGroups: Int): Footer = {
    val schema =
      "optional int64 ts (TIMESTAMP(MICROS,true)); optional int32 status; optional binary name (STRING);"
    (0 until rowGroups).foldLeft(RawFooter(schema)) { (footer, i) =>
      val hour = Start + (i % 100) * Hour
      val statuses = if (i % 3 == 1) RawChunk.between(200, 599) else RawChunk.between(200, 200)
      val names =
        if (i % 3 == 2) RawChunk.between(f"aba-$i%06d", f"abd-$i%06d")
        else RawChunk.between(f"abc-$i%06d-first", f"abc-$i%06d-last")
      footer.rowGroup(
        RowsEach,
        RawChunk.between(hour, hour + Hour - 1).nulls(0),
        statuses.nulls(0),
        names.nulls(0)
      )
    }.footer
  }
}
