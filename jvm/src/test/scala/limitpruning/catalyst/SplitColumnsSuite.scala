package limitpruning.catalyst

import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types._
import org.scalatest.funsuite.AnyFunSuite

class SplitColumnsSuite extends AnyFunSuite {
  private val struct = new StructType()
    .add("file_path", StringType)
    .add(FileFormat.FILE_BLOCK_START, LongType)
    .add(FileFormat.FILE_BLOCK_LENGTH, LongType)
  private val metadata = FileSourceMetadataAttribute("_metadata", struct)

  private def field(name: String): Expression = GetStructField(metadata, struct.fieldIndex(name), Some(name))

  test("finds metadata fields that depend on splits, also inside expressions") {
    assert(SplitColumns.usedIn(field("file_block_start")).contains("file_block_start"))
    assert(SplitColumns.usedIn(Add(Literal(1L), field("file_block_length"))).contains("file_block_length"))
  }

  test("other metadata fields do not depend on splits") {
    assert(SplitColumns.usedIn(field("file_path")).isEmpty)
    assert(SplitColumns.usedIn(Literal(1)).isEmpty)
  }

  test("finds them however the query writes their names, because a field is found by its position") {
    val field =
      GetStructField(metadata, struct.fieldIndex(FileFormat.FILE_BLOCK_START), Some("FILE_BLOCK_START"))
    assert(SplitColumns.usedIn(field).contains("file_block_start"))
  }

  test("finds them in the whole struct") {
    assert(SplitColumns.usedIn(metadata).contains("file_block_start"))
    assert(SplitColumns.usedIn(FileSourceMetadataAttribute("_metadata", StructType(struct.take(1)))).isEmpty)
  }

  test("does not match a user column with the same name") {
    val user = AttributeReference("file_block_start", LongType)()
    val inStruct = GetStructField(AttributeReference("_metadata", struct)(), 1, Some("file_block_start"))
    assert(SplitColumns.usedIn(user).isEmpty)
    assert(SplitColumns.usedIn(inStruct).isEmpty)
  }
}
