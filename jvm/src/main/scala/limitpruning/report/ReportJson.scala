package limitpruning.report

import scala.jdk.CollectionConverters._

import com.fasterxml.jackson.databind.ObjectMapper

/** Converts reports to JSON. */
private[report] object ReportJson {

  /** The fields of a JSON object. A value that is not known is null. */
  type Fields = java.util.Map[String, Any]

  private val mapper = new ObjectMapper

  def of(report: PruningReport): String =
    write(fields("limits" -> report.limits.map(ReportSchemas.Limit.fields)))

  def of(queries: Seq[QueryReport]): String =
    write(fields("queries" -> queries.map(ReportSchemas.Query.fields)))

  def write(fields: Fields): String = mapper.writeValueAsString(fields)

  /** Converts options and sequences to JSON values. */
  def fields(entries: (String, Any)*): Fields = {
    val all = new java.util.LinkedHashMap[String, Any]
    for ((name, value) <- entries) all.put(name, plain(value))
    all
  }

  private def plain(value: Any): Any = value match {
    case Some(known) => plain(known)
    case None => null
    case several: Seq[_] => several.map(plain).asJava
    case other => other
  }
}
