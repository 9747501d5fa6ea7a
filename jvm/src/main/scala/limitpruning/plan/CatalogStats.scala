package limitpruning.plan

import org.apache.spark.sql.catalyst.catalog.{CatalogStatistics, CatalogTable}

/** Puts other statistics on a catalog table, in whatever minor of Spark: these differ in how many fields a table has. */
private[plan] object CatalogStats {

  /** @return the table with `stats`; where its class is not made as expected, as it is */
  def replaceIn(table: CatalogTable, stats: CatalogStatistics): CatalogTable = {
    val fields = table.productIterator.map(_.asInstanceOf[AnyRef]).toArray
    val constructor = classOf[CatalogTable].getConstructors.find(_.getParameterCount == fields.length)
    table.productElementNames.indexOf("stats") match {
      case -1 => table
      case index =>
        constructor.fold(table)(_.newInstance(fields.updated(
          index,
          Some(stats)
        ): _*).asInstanceOf[CatalogTable])
    }
  }
}
