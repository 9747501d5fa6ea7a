package limitpruning.tables.iceberg

import org.apache.spark.sql.connector.read.Scan
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

/**
 * The members of Iceberg's scan that this package needs, in a version that lacks some of them. Such an error is the reason
 * `iceberg-version`.
 */
class ScanInternalsSuite extends AnyFunSuite {
  import ScanInternalsSuite._

  test("each member that is missing is an error") {
    assert(intercept[NoSuchFieldException](new ScanInternals(new Empty)).getMessage.endsWith("Empty.tasks"))
    val missing = intercept[NoSuchFieldException](new ScanInternals(new WithTasks))
    assert(missing.getMessage.endsWith("WithTasks.table"))
  }

  test("a scan without a file IO needs a batch that takes none, as in Iceberg 1.10") {
    val error = intercept[NoSuchMethodException](new ScanInternals(new OfIceberg110))
    assert(error.getMessage.contains("org.apache.iceberg.spark.source.SparkBatch"))
    assert(!error.getMessage.contains("Supplier"))
  }

  test("the columns of a scan are found under both names") {
    val renamed = new ScanInternals(new OfIceberg111)
    assert(renamed.projection == null)
    assert(renamed.planned.isEmpty)
  }

  test("the scan of the Iceberg that this is compiled with has all members") {
    // Not by its constructor, which plans a scan.
    val unsafe = Class.forName("sun.misc.Unsafe")
    val only = unsafe.getDeclaredField("theUnsafe")
    only.setAccessible(true)
    val scan = Class.forName("org.apache.iceberg.spark.source.SparkBatchQueryScan")
    val empty = unsafe.getMethod("allocateInstance", classOf[Class[_]]).invoke(only.get(null), scan)
    val internals = new ScanInternals(empty.asInstanceOf[Scan])
    assert(internals.plannedBy.isEmpty)
    assert(internals.readsDefaults, "since Iceberg 1.12")
  }

  test("a plan that is not of one snapshot is known by its class only") {
    val internals = new ScanInternals(new OfSomeSnapshots)
    assert(internals.plannedBy.contains("java.lang.String"))
    assertThrows[ClassCastException](internals.planned)
  }
}

object ScanInternalsSuite {
  private class Empty extends Scan {
    override def readSchema: StructType = new StructType
  }

  private class WithTasks extends Empty {
    def tasks: AnyRef = null
  }

  private class OfIceberg110 extends WithTasks {
    val sparkContext: AnyRef = null
    val table: AnyRef = null
    val readConf: AnyRef = null
    val expectedSchema: AnyRef = null
    val scan: AnyRef = null
  }

  private class OfIceberg111 extends OfIceberg110 {
    val fileIO: AnyRef = null
    val projection: AnyRef = null
  }

  private class OfSomeSnapshots extends OfIceberg111 {
    override val scan: AnyRef = "an incremental scan"
  }
}
