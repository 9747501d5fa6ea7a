package limitpruning.search

import scala.collection.mutable
import scala.concurrent.duration.Deadline

import org.apache.spark.sql.catalyst.expressions.{AttributeReference, GreaterThan, Literal}
import org.apache.spark.sql.types.{DoubleType, IntegerType}

import limitpruning.predicate.{ColumnFacts, LeafColumn, Nulls, Values}

/** Tables with manifests, of files with known facts. */
private[search] trait ManifestsFixture {
  protected val a = AttributeReference("a", IntegerType)()
  protected val b = AttributeReference("b", IntegerType)()
  protected val d = AttributeReference("d", DoubleType)()
  protected val above5 = Seq(GreaterThan(b, Literal(5)))

  /** A file of ten rows, or a row group; facts about `a` and `d` are the same. */
  protected case class Sample(
      known: ColumnFacts,
      nulls: Option[Long] = None,
      deleted: Option[Long] = Some(0),
      b: (Int, Int) = (6, 9),
      rowGroups: Seq[Sample] = Nil,
      rows: Long = 10,
      bytes: Long = 100
  ) {

    /** With row groups of as many rows as the file has, divided by their number. */
    def in(parts: Sample*): Sample = copy(rowGroups = parts.map(_.copy(rows = rows / parts.size)))

    def about(column: LeafColumn): ManifestFacts =
      if (column.attribute.name == "b") ManifestFacts(between(b._1, b._2), Some(0))
      else ManifestFacts(known, nulls)
  }

  protected def between(min: Any, max: Any, nulls: Nulls = Nulls.No): ColumnFacts =
    ColumnFacts(Values.Range(min, max), nulls)

  protected def of(ranges: (Int, Int)*): Seq[Sample] = ranges.map { case (min, max) =>
    Sample(between(min, max))
  }

  /**
   * A table that counts what is read of it. Nothing is known about a column `u`.
   *
   * @param isReadable whether the footer of a file can be read
   * @param isPartitioned whether partition values are the facts about all columns
   */
  protected class Table(
      samples: Seq[Sample],
      isReadable: Int => Boolean = _ => true,
      isPartitioned: Boolean = false
  ) extends ManifestTable {
    var read, withPredicate = 0
    val inspected: mutable.Set[Int] = mutable.Set.empty
    var opened = Seq.empty[Seq[Int]]
    override def name: String = "t"
    override def columns: IndexedSeq[LeafColumn] = IndexedSeq.empty
    override def isPartition(column: LeafColumn): Boolean = isPartitioned
    override def mayHaveFacts(column: LeafColumn): Boolean = column.attribute.name != "u"

    override val files: IndexedSeq[ManifestFile] = samples.zipWithIndex.map { case (sample, i) =>
      ManifestFile(s"f$i", sample.rows, sample.bytes, sample.deleted, i, sample.rowGroups.size.max(1))
    }.toIndexedSeq

    override def facts(
        columns: IndexedSeq[LeafColumn],
        deadline: Deadline
    ): ManifestFile => IndexedSeq[ManifestFacts] = { file =>
      read += 1
      inspected += file.position
      if (columns.exists(_.attribute.name == "b")) withPredicate += 1
      columns.map(samples(file.position).about)
    }

    override def rowGroups(
        files: Seq[ManifestFile],
        columns: IndexedSeq[LeafColumn],
        deadline: Deadline
    ): Seq[Option[IndexedSeq[ManifestRowGroup]]] = {
      opened :+= files.map(_.position)
      files.map { file =>
        val parts = samples(file.position).rowGroups.zipWithIndex
        Option.when(isReadable(file.position))(parts.map { case (part, i) =>
          ManifestRowGroup(i, part.rows, 10, columns.map(part.about))
        }.toIndexedSeq)
      }
    }
  }
}
