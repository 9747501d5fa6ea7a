package limitpruning.testing

import java.util.Base64

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.keytools.{KmsClient, PropertiesDrivenCryptoFactory}

/** Keeps no secret: wraps keys in nothing, so that tests can write encrypted files and read them again. */
final class OpenKms extends KmsClient {
  override def initialize(conf: Configuration, instance: String, url: String, token: String): Unit = ()

  override def wrapKey(key: Array[Byte], masterKey: String): String = Base64.getEncoder.encodeToString(key)

  override def unwrapKey(wrapped: String, masterKey: String): Array[Byte] =
    Base64.getDecoder.decode(wrapped)
}

object OpenKms {

  /** What makes Parquet decrypt, as options of a reader. */
  val reading: Map[String, String] = Map(
    "parquet.crypto.factory.class" -> classOf[PropertiesDrivenCryptoFactory].getName,
    "parquet.encryption.kms.client.class" -> classOf[OpenKms].getName
  )

  /** What makes Parquet encrypt the footer or only this column, as options of a writer. */
  def writing(column: String, plainFooter: Boolean): Map[String, String] = reading ++ Map(
    "parquet.encryption.footer.key" -> "footer",
    "parquet.encryption.column.keys" -> s"column:$column",
    "parquet.encryption.plaintext.footer" -> plainFooter.toString
  )
}
