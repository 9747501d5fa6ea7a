package limitpruning.testing

import java.util.Base64

import org.apache.hadoop.conf.Configuration
import org.apache.parquet.crypto.keytools.{KmsClient, PropertiesDrivenCryptoFactory}

/**
 * A KMS without secrets: it does not encrypt keys, so that tests can write encrypted files and read them
 * again.
 */
final class OpenKms extends KmsClient {
  override def initialize(conf: Configuration, instance: String, url: String, token: String): Unit = ()

  override def wrapKey(key: Array[Byte], masterKey: String): String = Base64.getEncoder.encodeToString(key)

  override def unwrapKey(wrapped: String, masterKey: String): Array[Byte] =
    Base64.getDecoder.decode(wrapped)
}

object OpenKms {

  /** The options of a reader to decrypt files. */
  val reading: Map[String, String] = Map(
    "parquet.crypto.factory.class" -> classOf[PropertiesDrivenCryptoFactory].getName,
    "parquet.encryption.kms.client.class" -> classOf[OpenKms].getName
  )

  /** The options of a writer to encrypt the footer, or only this column. */
  def writing(column: String, plainFooter: Boolean): Map[String, String] = reading ++ Map(
    "parquet.encryption.footer.key" -> "footer",
    "parquet.encryption.column.keys" -> s"column:$column",
    "parquet.encryption.plaintext.footer" -> plainFooter.toString
  )
}
