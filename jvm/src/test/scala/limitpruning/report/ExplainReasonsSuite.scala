package limitpruning.report

import scala.util.{Failure, Try}

import org.apache.spark.rdd.RDD
import org.apache.spark.sql.{DataFrame, ExtendedExplainGenerator}
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.expressions.Attribute
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.execution.{LeafExecNode, SimpleMode, SparkPlan}
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.conf.LimitPruningConf
import limitpruning.testing.{SparkSuite, Wildlife}

class ExplainReasonsSuite extends AnyFunSuite with SparkSuite {
  private val providers = "spark.sql.extendedExplainProviders"
  private lazy val wildlife = tableOf("wildlife", "a.parquet" -> Wildlife.fixture)

  private def told(df: DataFrame): Seq[String] = {
    val lines = execution(df).explainString(SimpleMode).linesIterator.toSeq
    lines.dropWhile(_ != "== Extended Information (Limit Pruning) ==").drop(1).filter(_.nonEmpty)
  }

  test("a LIMIT that is not pruned has one line with the reason and its code") {
    val Seq(line) = told(wildlife.where("s % 2 = 0").limit(1)): @unchecked
    assert(line.contains("/wildlife LIMIT 1: not pruned: ") && line.endsWith("(not-enough-rows)"))
  }

  test("a LIMIT that is not covered has one line, too, and so has a LIMIT with an order") {
    val Seq(line) = told(Wildlife.query(wildlife, limit = 4)): @unchecked
    assert(line.contains(" LIMIT 4: not covered: fully matching row groups and pages hold 3 rows"))
    val Seq(ordered) = told(wildlife.orderBy(org.apache.spark.sql.functions.rand()).limit(1)): @unchecked
    assert(ordered.endsWith("(not-deterministic)"))
  }

  test("every LIMIT of a query has its own line, whatever operator is above") {
    for (adaptive <- Seq("true", "false")) withConf("spark.sql.adaptive.enabled" -> adaptive) {
      val one = wildlife.where("s % 2 = 0").limit(1)
      val lines =
        told(one.union(Wildlife.query(wildlife, limit = 4).selectExpr("species", "1L")).groupBy("s").count())
      assert(lines.map(_.contains(": not pruned: ")) == Seq(true, false), lines)
    }
  }

  test("if there is no reason, a sentence says so") {
    assert(told(Wildlife.query(wildlife)) == Seq("Every LIMIT over Parquet is pruned."))
    assert(told(wildlife) == Seq("No LIMIT over Parquet."))
    assert(told(spark.range(3).limit(2).toDF()) == Seq("No LIMIT over Parquet."))
  }

  test("it is a provider by default, with providers that were set before or are set later") {
    val session = spark.newSession()
    session.conf.set(providers, "another.Provider")
    optimizeIn(session)
    optimizeIn(session)
    assert(session.conf.get(providers) == s"another.Provider,$ours")
    session.conf.set(providers, classOf[SaysHello].getName)
    val text = session.sql("EXPLAIN SELECT 1").head().getString(0)
    assert(
      text.contains("(Hello) ==\nNo query is better.\n== Extended Information (Limit Pruning) ==\n"),
      text
    )
    assert(text.contains("No LIMIT over Parquet."))
  }

  test("the setting switches it off and on between queries, and does not change other providers") {
    val session = spark.newSession()
    session.conf.set(LimitPruningConf.ExplainReasons.key, "false")
    optimizeIn(session)
    assert(session.conf.getOption(providers).isEmpty)
    session.conf.set(LimitPruningConf.ExplainReasons.key, "true")
    optimizeIn(session)
    assert(session.conf.get(providers) == ours)
    session.conf.set(LimitPruningConf.ExplainReasons.key, "false")
    optimizeIn(session)
    assert(session.conf.getOption(providers).isEmpty)
    session.conf.set(providers, s"another.Provider,$ours,yet.Another")
    optimizeIn(session)
    assert(session.conf.get(providers) == "another.Provider,yet.Another")
  }

  test("if a thread's class loader cannot load the class, queries run without reasons") {
    val session = spark.newSession()
    val table = wildlifePath
    optimizeIn(session)
    assert(session.conf.get(providers) == ours)
    val rows = onThread(WithoutExtension) {
      session.read.parquet(table).where("s >= 50").limit(1).collect().length +
        session.range(3).collect().length
    }
    assert(rows == 4)
    assert(session.conf.getOption(providers).isEmpty)
    assert(session.conf.get(LimitPruningConf.ExplainReasons.key) == "false")
    // The setting is not switched on again by a query of another thread: the query above may be about to read
    // the providers.
    optimizeIn(session)
    assert(session.conf.getOption(providers).isEmpty)
    assert(onThread(null)(session.range(3).collect().length) == 3)
    assert(told(Wildlife.query(wildlife)) == Seq("Every LIMIT over Parquet is pruned."), "in another session")
  }

  test("a thread without a class loader uses Spark's") {
    val session = spark.newSession()
    assert(onThread(null)(session.range(3).collect().length) == 3)
    assert(session.conf.get(providers) == ours)
  }

  test("an error that Spark would not catch fails no query") {
    for (error <- Seq(new NoSuchMethodError("x"), new StackOverflowError, new IllegalStateException("x"))) {
      val text = new ExplainReasons().generateExtendedInfo(new PlanWithoutLink(error))
      assert(text == s"The reasons cannot be shown: $error")
    }
  }

  private def ours = classOf[ExplainReasons].getName

  private def wildlifePath: String = {
    assert(wildlife.inputFiles.nonEmpty)
    pathOf("wildlife").toString
  }

  private def optimizeIn(session: SparkSession): Unit = {
    execution(session.range(1).toDF()).optimizedPlan
    ()
  }

  private def onThread[T](loader: ClassLoader)(body: => T): T = {
    var result: Try[T] = Failure(new IllegalStateException("did not run"))
    val thread = new Thread(() => result = Try(body))
    thread.setContextClassLoader(loader)
    thread.start()
    thread.join()
    result.get
  }
}

/** Loads only classes of Spark's own JARs, like the system's class loader if the extension is in `--jars`. */
private object WithoutExtension extends ClassLoader(classOf[ExplainReasons].getClassLoader) {
  override def loadClass(name: String, resolve: Boolean): Class[_] =
    if (name.startsWith("limitpruning.")) throw new ClassNotFoundException(name)
    else super.loadClass(name, resolve)
}

/** Another provider. */
class SaysHello extends ExtendedExplainGenerator {
  override def title: String = "Hello"
  override def generateExtendedInfo(plan: SparkPlan): String = "No query is better."
}

private class PlanWithoutLink(error: Throwable) extends LeafExecNode {
  override def logicalLink: Option[LogicalPlan] = throw error
  override def output: Seq[Attribute] = Nil
  override protected def doExecute(): RDD[InternalRow] = throw new UnsupportedOperationException
  override def productArity: Int = 0
  override def productElement(n: Int): Any = throw new IndexOutOfBoundsException
  override def canEqual(that: Any): Boolean = that.isInstanceOf[PlanWithoutLink]
}
