package limitpruning.parquet

import org.apache.hadoop.fs.{EtagSource, FileStatus}

/**
 * By what a file of a listing is taken for one that was read before. The time is a hint: a file whose content was replaced
 * in place may have the same. What a scan reads is checked by footer and content; see [[limitpruning.select.FileVersion]].
 *
 * @param tag the entity tag, where the storage has one
 */
private[parquet] final case class FileId(path: String, length: Long, modificationTime: Long, tag: String)

private[parquet] object FileId {
  def of(file: FileStatus): FileId = {
    val tag = file match {
      case tagged: EtagSource => Option(tagged.getEtag).getOrElse("")
      case _ => ""
    }
    FileId(file.getPath.toString, file.getLen, file.getModificationTime, tag)
  }
}
