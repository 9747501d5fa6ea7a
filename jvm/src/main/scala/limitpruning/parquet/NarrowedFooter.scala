package limitpruning.parquet

import scala.jdk.CollectionConverters._

import org.apache.parquet.format.{ColumnOrder, FileMetaData, SchemaElement, TypeDefinedOrder}
import org.apache.spark.sql.execution.datasources.parquet.ParquetReadSupport

/**
 * A footer with only the requested columns: the form in which executors send it, and in which it is cached.
 *
 * @param metadata the footer of the file, narrowed to the columns that `columns` contain
 * @param columns the columns that it contains; it may contain others
 * @param places of the chunks of the columns that `columns` locate
 * @param offsets of the row groups with all their columns
 * @param seal of the complete footer in the file
 * @param otherOrders the leaves of `metadata` whose order is not that of their type, with the number of this order in the
 *   format. In `metadata`, they have the order of their type, because Thrift cannot write an order that it does not know.
 * @param usesDictionaries whether the first row group has a dictionary, of any column
 * @param requestNanos the duration of the request that read it; 0 if the file is local
 */
private[limitpruning] final case class NarrowedFooter(
    metadata: FileMetaData,
    columns: FileColumns,
    places: ChunkPlaces,
    offsets: RowGroupOffsets,
    seal: FooterSeal,
    otherOrders: Map[Int, Int] = Map.empty,
    usesDictionaries: Boolean = false,
    requestNanos: Long = 0
)

private[limitpruning] object NarrowedFooter {

  /**
   * @param raw the parsed footer, which is narrowed in place
   * @param orders the numbers of the orders of all leaves, which are needed if Thrift does not know all of them
   */
  def of(
      raw: FileMetaData,
      columns: FileColumns,
      seal: FooterSeal,
      orders: () => IndexedSeq[Int] = () => IndexedSeq.empty
  ): NarrowedFooter = {
    val offsets = RowGroupOffsets.of(raw)
    keepCalendar(raw)
    val fields = topLevel(raw.getSchema.asScala.toIndexedSeq)
    val kept = if (!raw.isSetEncryption_algorithm && isInOrder(raw, fields)) columns else FileColumns.All
    // Before chunks are removed.
    val places = ChunkPlaces.of(raw, kept)
    val usesDictionaries = raw.getRow_groups.asScala.headOption
      .exists(_.getColumns.asScala.exists(_.getMeta_data.isSetDictionary_page_offset))
    val others = otherOrders(raw, orders)
    val isKept =
      if (kept != FileColumns.All) narrow(raw, fields, kept) else fields.flatMap(_.leaves.map(_ => true))
    val leaves = isKept.indices.filter(isKept).zipWithIndex.toMap
    val keptOthers = others.flatMap { case (leaf, order) => leaves.get(leaf).map(_ -> order) }
    keptOthers.keys.foreach { leaf =>
      raw.getColumn_orders.set(leaf, ColumnOrder.TYPE_ORDER(new TypeDefinedOrder())): Unit
    }
    NarrowedFooter(raw, kept, places, offsets, seal, keptOthers, usesDictionaries)
  }

  /** The orders that Thrift did not know when it parsed the footer, by leaf. */
  private def otherOrders(raw: FileMetaData, orders: () => IndexedSeq[Int]): Map[Int, Int] =
    if (!raw.isSetColumn_orders || raw.getColumn_orders.asScala.forall(_.isSet)) Map.empty
    else {
      val all = raw.getColumn_orders.asScala
      val numbers = Some(orders()).filter(_.size == all.size)
      all.indices.filterNot(all(_).isSet).map(leaf => leaf -> numbers.fold(0)(_(leaf))).toMap
    }

  /**
   * Of the key-value metadata, only Spark's metadata about the calendar are used. The others are removed,
   * because schemas in them are large.
   */
  private def keepCalendar(raw: FileMetaData): Unit = if (raw.isSetKey_value_metadata) {
    val kept = raw.getKey_value_metadata.asScala.filter { entry =>
      entry.getKey.startsWith("org.apache.spark.") && entry.getKey != ParquetReadSupport.SPARK_METADATA_KEY
    }
    val _ = raw.setKey_value_metadata(kept.asJava)
  }

  /** Whether chunks are in the order of the schema's leaves. */
  private def isInOrder(raw: FileMetaData, fields: IndexedSeq[Field]): Boolean = {
    val names = fields.flatMap(field => field.leaves.map(_ => field.name))
    val areChunks = raw.getRow_groups.asScala.forall { rowGroup =>
      val chunks = rowGroup.getColumns.asScala
      chunks.size == names.size && chunks.iterator.zip(names.iterator).forall { case (chunk, name) =>
        chunk.getMeta_data.getPath_in_schema.asScala.headOption.contains(name)
      }
    }
    areChunks && (!raw.isSetColumn_orders || raw.getColumn_orders.size == names.size)
  }

  /** @return by leaf, whether it is kept */
  private def narrow(
      raw: FileMetaData,
      fields: IndexedSeq[Field],
      columns: FileColumns
  ): IndexedSeq[Boolean] = {
    val wanted = fields.map(field => columns.contains(field.name))
    // A file needs at least one column. If no column is requested, one with few leaves stays.
    val kept =
      if (wanted.contains(true)) wanted
      else {
        val smallest = fields.indices.sortBy(fields(_).leaves.size).headOption
        fields.indices.map(smallest.contains)
      }
    val isKept = fields.zip(kept).flatMap { case (field, keep) => field.leaves.map(_ => keep) }
    raw.getRow_groups.forEach(rowGroup => rowGroup.setColumns(only(rowGroup.getColumns, isKept)): Unit)
    if (raw.isSetColumn_orders) raw.setColumn_orders(only(raw.getColumn_orders, isKept))
    val root = raw.getSchema.get(0).deepCopy().setNum_children(kept.count(identity))
    val elements = root +: fields.zip(kept).collect { case (field, true) => field.elements }.flatten
    val _ = raw.setSchema(elements.asJava)
    isKept
  }

  private def only[T](all: java.util.List[T], isKept: IndexedSeq[Boolean]): java.util.List[T] =
    new java.util.ArrayList(all.asScala.iterator.zip(isKept.iterator).collect { case (one, true) =>
      one
    }.toVector.asJava)

  /** A top-level field with all its nested elements, in the order of the schema. */
  private final case class Field(name: String, elements: IndexedSeq[SchemaElement]) {
    def leaves: IndexedSeq[SchemaElement] = elements.filterNot(_.getNum_children > 0)
  }

  private def topLevel(schema: IndexedSeq[SchemaElement]): IndexedSeq[Field] = {
    val starts = Iterator.iterate(1)(end(schema, _)).takeWhile(_ < schema.size).toIndexedSeq
    starts.zip(starts.drop(1) :+ schema.size).map { case (from, until) =>
      Field(schema(from).getName, schema.slice(from, until))
    }
  }

  /** The end of the field that begins at `from`. */
  private def end(schema: IndexedSeq[SchemaElement], from: Int): Int = {
    var next = from
    var open = 1L // elements that still have to follow
    while (open > 0 && next < schema.size) {
      open += schema(next).getNum_children.max(0) - 1
      next += 1
    }
    next
  }
}
