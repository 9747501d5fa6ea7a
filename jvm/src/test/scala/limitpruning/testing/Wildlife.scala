package limitpruning.testing

import org.apache.spark.sql.DataFrame

/** The table of the case study: four row groups. Only in the third, all rows satisfy the predicate. */
object Wildlife {
  val predicate = "species LIKE 'Alpine%' AND s >= 50"

  val fixture: ParquetFixture = ParquetFixture("optional binary species (STRING); optional int64 s;")
    .rowGroup(Seq("Snow Vole", 7L), Seq("Brown Bear", 133L), Seq("Gray Wolf", 82L))
    .rowGroup(Seq("Lynx", 71L), Seq("Red Fox", 40L), Seq("Alpine Bat", 6L))
    .rowGroup(Seq("Alpine Ibex", 101L), Seq("Alpine Goat", 76L), Seq("Alpine Sheep", 83L))
    .rowGroup(Seq("Europ. Mole", 4L), Seq("Polecat", 16L), Seq("Alpine Ibex", 97L))

  /** The query of the case study over a table with the fixture. */
  def query(table: DataFrame, limit: Int = 3): DataFrame =
    table.where(predicate).select("species").limit(limit)
}
