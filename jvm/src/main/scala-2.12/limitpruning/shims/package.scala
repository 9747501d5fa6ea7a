package limitpruning

/**
 * What differs between Spark 4 (Scala 2.13) and Spark 3.5 (Scala 2.12). Each has a folder of sources with the same names:
 * `jvm/src/main/scala-2.13` and `jvm/src/main/scala-2.12`. All other sources are the same for both.
 */
package object shims {

  /** What turns a logical plan into physical plans. */
  type Strategy = org.apache.spark.sql.Strategy

  /** A session that runs queries in this JVM. */
  type ClassicSession = org.apache.spark.sql.SparkSession

  /** A Dataset of such a session. */
  type ClassicDataset = org.apache.spark.sql.Dataset[_]
}
