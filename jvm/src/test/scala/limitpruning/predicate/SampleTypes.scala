package limitpruning.predicate

import java.nio.charset.StandardCharsets.UTF_8

import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

/** A type with values, in Catalyst's representation, for which proofs of some engine have been wrong. */
final case class SampleType(dataType: DataType, values: Seq[Any])

object SampleTypes {

  private val texts: Seq[Array[Byte]] =
    Seq(
      "",
      "A",
      "Alp",
      "Alpine",
      "Alpine Bat",
      "Al_",
      "Alq",
      "a",
      "é",
      "日本",
      "\uD83D\uDC3F"
    ).map(_.getBytes(UTF_8)) :+
      Array[Byte](-1) :+ ("Alpine".getBytes(UTF_8) :+ (-1).toByte)

  private val doubles = Seq(
    Double.NaN,
    Double.NegativeInfinity,
    Double.PositiveInfinity,
    -0.0,
    0.0,
    -1.5,
    1.0,
    2.5,
    Double.MinPositiveValue
  )

  val all: Seq[SampleType] = Seq(
    SampleType(BooleanType, Seq(false, true)),
    SampleType(ByteType, Seq[Byte](Byte.MinValue, -1, 0, 1, Byte.MaxValue)),
    SampleType(ShortType, Seq[Short](Short.MinValue, -1, 0, 1, Short.MaxValue)),
    SampleType(IntegerType, Seq(Int.MinValue, -2, -1, 0, 1, 2, 3, Int.MaxValue)),
    SampleType(LongType, Seq(Long.MinValue, -1L, 0L, 1L, 2L, Long.MaxValue)),
    SampleType(FloatType, doubles.map(_.toFloat)),
    SampleType(DoubleType, doubles),
    SampleType(
      DecimalType(5, 2),
      Seq("-999.99", "-0.01", "0.00", "1.00", "1.01", "999.99").map(decimal(_, 5, 2))
    ),
    SampleType(DecimalType(30, 3), Seq("-1e20", "0", "0.001", "1e20").map(decimal(_, 30, 3))),
    SampleType(StringType, texts.map(UTF8String.fromBytes(_))),
    SampleType(BinaryType, texts),
    // The first and the last day with a year of four digits, and the days beside them; a leap day.
    SampleType(DateType, Seq(-719163, -719162, -1, 0, 1, 19782, 20000, 2932896, 2932897)),
    SampleType(
      TimestampType,
      Seq(
        Long.MinValue,
        beforeYearOne,
        -1L,
        0L,
        1L,
        1700000000000000L,
        1704067199000000L,
        lastOfFourDigits
      ) ++
        aroundChanges
    ),
    SampleType(TimestampNTZType, Seq(-1L, 0L, 1L, 1700000000000000L, 1700000000100000L, lastOfFourDigits))
  )

  /** 9999-12-31T23:59:59.5Z, in year 10000 of some time zones. */
  private lazy val lastOfFourDigits = 253402300799500000L

  /** In the year -1. */
  private lazy val beforeYearOne = -62200000000000000L

  /**
   * Times around 2010-11-07T00:01 in St. John's, when the clocks went back to 23:01 on the day before, and around 02:00 in New
   * York, when they went back to 01:00.
   */
  private lazy val aroundChanges: Seq[Long] = {
    val setBack = java.time.Instant.parse("2010-11-07T02:31:00Z").getEpochSecond
    Seq(
      -120, -60, -30, 0, 60, 3600, 9000, 12539, 12540, 13000, 86400
    ).map(seconds => (setBack + seconds) * 1000000L)
  }

  def of(dataType: DataType): SampleType = all.find(_.dataType == dataType).get

  private def decimal(text: String, precision: Int, scale: Int): Decimal =
    Decimal(BigDecimal(text), precision, scale)
}
