package limitpruning.report

import org.apache.spark.sql.types.{ArrayType, IntegerType, LongType, StringType, StructType, TimestampType}
import org.apache.spark.unsafe.types.UTF8String
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.report.ReportSchema.{Column, struct}

class ReportSchemaSuite extends AnyFunSuite {
  private val word = new ReportSchema[String](
    Column("text", StringType, identity),
    struct(
      "counts",
      Column("letters", IntegerType, _.length),
      Column("first", StringType, _.headOption.map(_.toString))
    )
  )

  private val line = new ReportSchema[Seq[String]](
    Column("words", ArrayType(word.sql), _.map(word.fields)),
    Column("first", word.sql, _.headOption.map(word.fields)),
    Column("at", TimestampType, _.size)
  )

  test("rows and JSON objects have the columns of the schema") {
    assert(line.sql == StructType.fromDDL(
      "words ARRAY<STRUCT<text: STRING, counts: STRUCT<letters: INT, first: STRING>>>, " +
        "first STRUCT<text: STRING, counts: STRUCT<letters: INT, first: STRING>>, at TIMESTAMP"
    ))
    assert(
      ReportJson.write(line.fields(Seq("two", ""))) ==
        """{"words":[{"text":"two","counts":{"letters":3,"first":"t"}},""" +
        """{"text":"","counts":{"letters":0,"first":null}}],""" +
        """"first":{"text":"two","counts":{"letters":3,"first":"t"}},"at":2}"""
    )
    val row = line.row(Seq("two", ""))
    val words = row.getArray(0)
    assert(row.getStruct(1, 2).getUTF8String(0) == UTF8String.fromString("two") && row.getLong(2) == 2000L)
    assert(words.getStruct(0, 2).getStruct(1, 2).getInt(0) == 3)
    assert(words.getStruct(1, 2).getStruct(1, 2).isNullAt(1) && line.row(Nil).isNullAt(1))
  }

  test("a value of another type is an error, never NULL") {
    for (
      (value, message) <- Seq(3 -> "a report has 3 where STRING", true -> "a report has true where STRING")
    ) {
      val wrong = new ReportSchema[Any](Column("a", StringType, identity))
      assert(intercept[IllegalArgumentException](wrong.row(value)).getMessage.contains(message))
    }
    val large = new ReportSchema[Long](Column("a", IntegerType, identity), Column("b", LongType, identity))
    val _ = intercept[ArithmeticException](large.row(Long.MaxValue))
    assert(large.row(7L).getInt(0) == 7 && large.row(7L).getLong(1) == 7L)
  }
}
