package limitpruning.tables.iceberg

import java.lang.reflect.{AccessibleObject, Constructor, Field, InvocationTargetException, Method}
import java.util.{List => JavaList}
import java.util.function.Supplier

import scala.jdk.CollectionConverters._

import org.apache.iceberg.{BatchScan, ScanTask, ScanTaskGroup, Schema, Table}
import org.apache.iceberg.spark.SparkReadConf
import org.apache.iceberg.types.Types
import org.apache.spark.api.java.JavaSparkContext
import org.apache.spark.sql.connector.read.{Batch, Scan}

/**
 * The members of Iceberg's own scan for Spark that this package needs. They are not public, so they are found by name, all
 * of them when an instance is created.
 *
 * @param scan a scan of class `SparkBatchQueryScan`
 * @throws java.lang.ReflectiveOperationException if this version of Iceberg lacks one of them
 */
private final class ScanInternals(scan: Scan) {
  import ScanInternals._

  private val classes: Seq[Class[_]] =
    Iterator.iterate[Class[_]](scan.getClass)(_.getSuperclass).takeWhile(_ != null).toVector

  private val plannedTasks: Method = method("tasks")

  /** The table. Its metadata may be refreshed at any time. */
  val table: Table = classOf[Table].cast(field("table"))

  /** The columns that the scan reads. */
  val projection: Schema = classOf[Schema].cast(field("projection", "expectedSchema"))

  /**
   * The first arguments of Iceberg's batch, with their types. Iceberg 1.11 gives the batch the file IO of the scan. In
   * Iceberg 1.10, scans have none, and the batch takes the one of the table.
   */
  private val common: Seq[(Class[_], AnyRef)] = Seq(
    classOf[JavaSparkContext] -> field("sparkContext"),
    classOf[Table] -> table
  ) ++ fieldIfAny("fileIO").map(classOf[Supplier[_]] -> _.get(scan)) ++ Seq(
    classOf[SparkReadConf] -> field("readConf"),
    classOf[Types.StructType] -> Types.StructType.of()
  )

  private val newBatch: Constructor[_] = {
    val batch = Class.forName(BatchClass, false, scan.getClass.getClassLoader)
    val types = common.map(_._1) ++ Seq(classOf[JavaList[_]], classOf[Schema], classOf[Int])
    accessible(batch.getDeclaredConstructor(types: _*))
  }

  /** The name of the class of Iceberg's scan, which is not always one of one snapshot; none if there is no snapshot. */
  val plannedBy: Option[String] = Option(field("scan")).map(_.getClass.getName)

  /** Iceberg's scan of one snapshot, with all filters that Spark has pushed; none if the table has no snapshot. */
  lazy val planned: Option[BatchScan] = Option(field("scan")).map(classOf[BatchScan].cast)

  /**
   * Whether Iceberg's reader compares the filters of a scan with the default of a column that a file lacks. Before Iceberg
   * 1.12, it compares them with null, and skips row groups whose rows match.
   */
  val readsDefaults: Boolean =
    try Class.forName(FilterClass, false, scan.getClass.getClassLoader).getDeclaredMethods
        .exists(_.getName == "predicate")
    catch { case _: ClassNotFoundException => false }

  /** The bytes of a group of tasks. Iceberg makes groups of small tables smaller, so that there are enough of them. */
  def splitSize(planned: BatchScan, tasks: Seq[ScanTask]): Long = {
    val adjust = found(_.getDeclaredMethods.find(each =>
      each.getName == "adjustSplitSize" && each.getParameterCount == 2
    ).getOrElse(throw new NoSuchMethodException))
    adjust.fold(planned.targetSplitSize) { method =>
      call(method.invoke(scan, tasks.asJava, Long.box(planned.targetSplitSize))).asInstanceOf[Long]
    }
  }

  /** The files of the scan, as Iceberg has planned them. Iceberg caches them in the scan. */
  def tasks: JavaList[_ <: ScanTask] =
    call(plannedTasks.invoke(scan)).asInstanceOf[JavaList[_ <: ScanTask]]

  /**
   * Iceberg's own batch, which reads `groups` as the scan would read all groups.
   *
   * @param columns the columns that it reads
   */
  def batch(groups: JavaList[_ <: ScanTaskGroup[_]], hash: Int, columns: Schema = projection): Batch = {
    val arguments = common.map(_._2) ++ Seq[AnyRef](groups, columns, Int.box(hash))
    classOf[Batch].cast(call(newBatch.newInstance(arguments: _*)))
  }

  /** @param names the name of a field in one version of Iceberg, and its names in others */
  private def field(names: String*): AnyRef =
    names.flatMap(fieldIfAny(_)).headOption.getOrElse(missing(names.head)).get(scan)

  private def fieldIfAny(name: String): Option[Field] = found(_.getDeclaredField(name))

  private def method(name: String): Method = found(_.getDeclaredMethod(name)).getOrElse(missing(name))

  private def found[A <: AccessibleObject](in: Class[_] => A): Option[A] =
    classes.iterator.flatMap { each =>
      try Some(accessible(in(each)))
      catch { case _: NoSuchFieldException | _: NoSuchMethodException => None }
    }.find(_ => true)

  private def missing(name: String): Nothing =
    throw new NoSuchFieldException(s"${scan.getClass.getName}.$name")
}

private object ScanInternals {
  private val BatchClass = "org.apache.iceberg.spark.source.SparkBatch"
  private val FilterClass = "org.apache.iceberg.parquet.ParquetMetricsRowGroupFilter$MetricsEvalVisitor"

  private def accessible[A <: AccessibleObject](member: A): A = {
    member.setAccessible(true)
    member
  }

  /** An error of Iceberg's own, such as a manifest that cannot be read, is not one of reflection. */
  private def call[A](invocation: => A): A =
    try invocation
    catch { case error: InvocationTargetException => throw error.getCause }
}
