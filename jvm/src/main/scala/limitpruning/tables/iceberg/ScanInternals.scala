package limitpruning.tables.iceberg

import java.lang.reflect.{AccessibleObject, Constructor, InvocationTargetException, Method}
import java.util.{List => JavaList}
import java.util.function.Supplier

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
    Iterator.iterate[Class[_]](scan.getClass)(_.getSuperclass).takeWhile(_ != null).toSeq

  private val plannedTasks: Method = method("tasks")
  private val newBatch: Constructor[_] = {
    val batch = Class.forName(BatchClass, false, scan.getClass.getClassLoader)
    accessible(batch.getDeclaredConstructor(
      classOf[JavaSparkContext],
      classOf[Table],
      classOf[Supplier[_]],
      classOf[SparkReadConf],
      classOf[Types.StructType],
      classOf[JavaList[_]],
      classOf[Schema],
      classOf[Int]
    ))
  }

  private val context = field("sparkContext")
  private val fileIO = field("fileIO")
  private val readConf = field("readConf")

  /** The table. Its metadata may be refreshed at any time. */
  val table: Table = classOf[Table].cast(field("table"))

  /** The columns that the scan reads. */
  val projection: Schema = classOf[Schema].cast(field("projection"))

  /** Iceberg's scan of one snapshot, with all filters that Spark has pushed; none if the table has no snapshot. */
  val planned: Option[BatchScan] = field("scan") match {
    case null => None
    case batchScan => Some(classOf[BatchScan].cast(batchScan))
  }

  /** The files of the scan, as Iceberg has planned them. Iceberg caches them in the scan. */
  def tasks: JavaList[_ <: ScanTask] =
    call(plannedTasks.invoke(scan)).asInstanceOf[JavaList[_ <: ScanTask]]

  /** Iceberg's own batch, which reads `groups` as the scan would read all groups. */
  def batch(groups: JavaList[_ <: ScanTaskGroup[_]], hash: Int): Batch =
    classOf[Batch].cast(call(newBatch.newInstance(
      context,
      table,
      fileIO,
      readConf,
      Types.StructType.of(),
      groups,
      projection,
      Int.box(hash)
    )))

  private def field(name: String): AnyRef =
    accessible(found(name)(_.getDeclaredField(name))).get(scan)

  private def method(name: String): Method = accessible(found(name)(_.getDeclaredMethod(name)))

  private def found[A](name: String)(in: Class[_] => A): A =
    classes.iterator.flatMap { each =>
      try Some(in(each))
      catch { case _: NoSuchFieldException | _: NoSuchMethodException => None }
    }.nextOption().getOrElse(throw new NoSuchFieldException(s"${scan.getClass.getName}.$name"))
}

private object ScanInternals {
  private val BatchClass = "org.apache.iceberg.spark.source.SparkBatch"

  private def accessible[A <: AccessibleObject](member: A): A = {
    member.setAccessible(true)
    member
  }

  /** An error of Iceberg's own, such as a manifest that cannot be read, is not one of reflection. */
  private def call[A](invocation: => A): A =
    try invocation
    catch { case error: InvocationTargetException => throw error.getCause }
}
