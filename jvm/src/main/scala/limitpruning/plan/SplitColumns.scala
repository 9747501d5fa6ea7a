package limitpruning.plan

import org.apache.spark.sql.catalyst.expressions.{Expression, FileSourceMetadataAttribute, GetStructField}
import org.apache.spark.sql.execution.datasources.FileFormat
import org.apache.spark.sql.types.StructType

/** The metadata columns that tell where a split of a file begins and how long it is. */
object SplitColumns {
  private val names = Set(FileFormat.FILE_BLOCK_START, FileFormat.FILE_BLOCK_LENGTH)

  /** The first of them that the expression uses, alone or with the whole `_metadata` struct. */
  def usedIn(expression: Expression): Option[String] = expression match {
    case field: GetStructField if isMetadata(field.child) => Some(field.extractFieldName).filter(names)
    case FileSourceMetadataAttribute(metadata) =>
      metadata.dataType match {
        case struct: StructType => struct.fieldNames.find(names)
        case _ => None
      }
    case other => other.children.iterator.map(usedIn).collectFirst { case Some(name) => name }
  }

  private def isMetadata(e: Expression): Boolean = e match {
    case FileSourceMetadataAttribute(_) => true
    case _ => false
  }
}
