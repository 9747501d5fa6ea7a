package limitpruning.tables.delta

import org.apache.spark.sql.Row
import org.apache.spark.sql.catalyst.{CatalystTypeConverters, InternalRow}
import org.apache.spark.sql.catalyst.util.RebaseDateTime
import org.apache.spark.sql.delta.Snapshot
import org.apache.spark.sql.functions.{col, lit}
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._

import limitpruning.footers.{FactsCache, LogFacts, PlanningQuery, QueryInTime}
import limitpruning.parquet.NamesInFiles
import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, SupportedTypes, Values}

/**
 * The statistics that the log of a Delta table has of files, for the columns that a search needs. They are read from the
 * log on first use: those of the first [[LogStatistics.MostNamed]] files in one Spark job, and those of all files in
 * another, if another file is asked for. What earlier queries have read is cached.
 *
 * @param table the path of the table
 * @param paths the paths of the files in the log
 * @param needsAll whether all files will be asked for, so that one job reads everything
 * @param columns the columns of the table
 * @param inTime runs both queries; what is not read in time is not known
 * @param cache the application's cache
 */
private final class LogStatistics(
    snapshot: Snapshot,
    table: String,
    paths: Seq[String],
    needsAll: Boolean,
    columns: Seq[LeafColumn],
    names: NamesInFiles,
    inTime: QueryInTime,
    cache: FactsCache
) {
  import LogStatistics._

  /** What is certain about a column in a file; see "Statistics of the log" in docs/soundness.md. */
  def certain(path: String, column: LeafColumn): ColumnFacts =
    if (knows(column)) facts(path, column)(isCertain(column.dataType, _))
    else ColumnFacts.Unknown

  /** Whether the log may say something certain about a column. */
  def knows(column: LeafColumn): Boolean = LogStatistics.mayKnow(column)

  /** What is expected of a column in a file. */
  def expected(path: String, column: LeafColumn): ColumnFacts = facts(path, column)(_ => true)

  /** The rows of a file, including deleted rows; none if the log does not say, or was not read. */
  def rows(path: String): Option[Long] = partOf(path).ifRead(path).flatMap(count(_, 0))

  /** Whether what the log says about a file was read. */
  def isRead(path: String): Boolean = partOf(path).get(path).nonEmpty

  private def count(row: InternalRow, ordinal: Int): Option[Long] =
    if (row.isNullAt(ordinal)) None else Some(row.getLong(ordinal))

  private def facts(path: String, column: LeafColumn)(isUsed: Values.Range => Boolean): ColumnFacts =
    columns.indexWhere(_.id == column.id) match {
      case -1 => ColumnFacts.Unknown
      case i if !SupportedTypes.contains(columns(i).dataType) => ColumnFacts.Unknown
      case i => partOf(path).get(path).fold(ColumnFacts.Unknown)(facts(_, i, isUsed))
    }

  private def facts(row: InternalRow, i: Int, isUsed: Values.Range => Boolean): ColumnFacts = {
    val first = 1 + 3 * i
    val dataType = columns(i).dataType
    val nulls = count(row, first + 2)
    if (row.isNullAt(first) || row.isNullAt(first + 1))
      // Bounds are also missing if they are not collected, so only the counts tell that all rows are null.
      if (nulls.exists(_ > 0) && nulls == count(row, 0)) ColumnFacts.AllNull else ColumnFacts.Unknown
    else {
      val range = Values.Range(row.get(first, dataType), upper(row.get(first + 1, dataType), dataType))
      val values = if (isUsed(range)) range else Values.Unknown
      ColumnFacts(values, if (nulls.contains(0L)) Nulls.No else Nulls.Unknown)
    }
  }

  /** Statistics that are read together: those of the named files, or of all files. */
  private final class Part(named: Option[Seq[String]]) {
    private var read = false
    private lazy val rows = {
      val found = cached.orElse(
        inTime(PlanningQuery(table, named.fold(OfAll)(_ => OfFirst)))(collect(named)).map(keep)
      )
      read = found.nonEmpty
      found.fold(Map.empty[String, InternalRow])(_.ofFile)
    }

    private def cached: Option[LogFacts] =
      known.filter(facts => facts.areOfAll || named.exists(_.forall(facts.ofFile.contains)))

    /** With what is cached of other files. Two queries at the same time may read the same. */
    private def keep(facts: LogFacts): LogFacts = {
      val all =
        if (facts.areOfAll) facts
        else known.fold(facts)(before => before.copy(ofFile = before.ofFile ++ facts.ofFile))
      cache.keep(id, all)
      all
    }

    def isRead: Boolean = read

    def get(path: String): Option[InternalRow] = rows.get(path)

    def ifRead(path: String): Option[InternalRow] = if (isRead) rows.get(path) else None
  }

  private val first = if (needsAll && paths.size > MostNamed) Nil else paths.take(MostNamed)
  private val isFirst = first.toSet
  private val ofFirst = new Part(Some(first))
  private val ofAll = new Part(None)

  private def partOf(path: String): Part = if (isFirst(path) && !ofAll.isRead) ofFirst else ofAll

  private def known: Option[LogFacts] = cache.log(id).collect { case facts: LogFacts => facts }

  private lazy val id = LogPartIds.of(
    snapshot,
    table,
    Known(
      SQLConf.get.sessionLocalTimeZone,
      isLegacyParser,
      columns.map(column => (names.of(column.attribute.name +: column.path), column.dataType))
    )
  )

  private def collect(named: Option[Seq[String]]): LogFacts = {
    val statistics = snapshot.withStats
    val known = statistics.schema("stats").dataType
    def field(parts: Seq[String], as: DataType) =
      if (has(known, parts)) col(("stats" +: parts).map(quoted).mkString(".")).cast(as)
      else lit(null).cast(as)
    val all = columns.flatMap { column =>
      val path = names.of(column.attribute.name +: column.path)
      Seq("minValues" -> column.dataType, "maxValues" -> column.dataType, "nullCount" -> LongType).map {
        case (kind, as) => path.fold(lit(null).cast(as))(inFile => field(kind +: inFile, as))
      }
    }
    val wanted = named.fold(statistics)(few => statistics.where(col("path").isin(few: _*)))
    val selected = wanted.select(col("path") +: field(Seq("numRecords"), LongType) +: all: _*)
    val schema = StructType(selected.schema.tail)
    val toInternal = CatalystTypeConverters.createToCatalystConverter(schema)
    val ofFile = selected.collect().iterator.map { row =>
      row.getString(0) -> toInternal(Row.fromSeq(row.toSeq.tail)).asInstanceOf[InternalRow]
    }.toMap
    LogFacts(ofFile, schema, areOfAll = named.isEmpty)
  }
}

private[delta] object LogStatistics {

  /** Whether a log may say something certain about a column. */
  def mayKnow(column: LeafColumn): Boolean = CertainTypes.contains(column.dataType) &&
    !((column.dataType == TimestampType || column.dataType == TimestampNTZType) && isLegacyParser)

  /** Whether Spark takes the fraction of a second in the text of a timestamp for milliseconds, whatever its length. */
  private def isLegacyParser: Boolean =
    SQLConf.get.getConf(SQLConf.LEGACY_TIME_PARSER_POLICY).toString == "LEGACY"

  /**
   * What is read of each file. The log has timestamps as text.
   *
   * @param columns their paths in files and their types
   */
  private final case class Known(
      timeZone: String,
      isLegacyParser: Boolean,
      columns: Seq[(Option[Seq[String]], DataType)]
  )

  /** The number of files that a query of the log names. */
  val MostNamed: Int = 1000

  private val OfFirst = "statistics of the first files"
  private val OfAll = "statistics of all files"

  /**
   * In Catalyst's microseconds, 1972-01-01. Before 1970, cutting to milliseconds may round up. Before 1972, offsets of time
   * zones had seconds, which a writer may leave out. Spark does neither, but the log does not say who wrote it.
   */
  private val Trusted = 63072000000000L

  private val Millisecond = 1000L

  private val CertainTypes: Set[DataType] =
    Set(ByteType, ShortType, IntegerType, LongType, DateType, TimestampType, TimestampNTZType)

  /** Whether the range of a column in the log contains all its values, whoever wrote the log. */
  private def isCertain(dataType: DataType, range: Values.Range): Boolean = (dataType, range.min) match {
    case (TimestampType | TimestampNTZType, min: Long) => min >= Trusted
    // Spark's reader may take older days of a file for days of the Julian calendar. The log does not.
    case (DateType, min: Int) => min >= RebaseDateTime.lastSwitchJulianDay
    case _ => true
  }

  /** The log cuts timestamps to milliseconds. */
  private def upper(max: Any, dataType: DataType): Any = (dataType, max) match {
    case (TimestampType | TimestampNTZType, micros: Long) if micros < Long.MaxValue - Millisecond =>
      micros + Millisecond
    case _ => max
  }

  private def has(dataType: DataType, path: Seq[String]): Boolean = (dataType, path) match {
    case (struct: StructType, name +: rest) =>
      struct.fields.find(_.name == name).exists(field => has(field.dataType, rest))
    case (_: StructType, _) => false
    case (_, rest) => rest.isEmpty
  }

  private def quoted(name: String): String = "`" + name.replace("`", "``") + "`"
}
