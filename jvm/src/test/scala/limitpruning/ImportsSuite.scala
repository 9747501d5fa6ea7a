package limitpruning

import java.nio.file.Path

import com.tngtech.archunit.core.domain.JavaClasses
import com.tngtech.archunit.core.importer.ClassFileImporter
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses
import org.scalatest.funsuite.AnyFunSuite

/**
 * Imports between packages have one direction: each package imports only packages that are further left in
 * this list.
 */
class ImportsSuite extends AnyFunSuite {
  private val packages =
    Seq(
      "shims",
      "conf",
      "predicate",
      "select",
      "parquet",
      "footers",
      "search",
      "scan",
      "tables",
      "rows",
      "catalyst",
      "report"
    )

  private lazy val classes: JavaClasses = {
    val compiled = classOf[LimitPruningExtensions].getProtectionDomain.getCodeSource.getLocation.toURI
    new ClassFileImporter().importPath(Path.of(compiled))
  }

  /** The classes of other packages that a package uses although this is forbidden. */
  private def violations(user: String, used: Seq[String]): Seq[String] = {
    val rule = noClasses().that().resideInAPackage(s"limitpruning.$user..")
      .should().dependOnClassesThat().resideInAnyPackage(used.map(name => s"limitpruning.$name.."): _*)
    rule.evaluate(classes).getFailureReport.getDetails.toArray.toSeq.map(_.toString)
  }

  test("every package is listed, and has classes") {
    val found = classes.iterator
    val names = Iterator.continually(found).takeWhile(_.hasNext).map(_.next().getPackageName).toSet
    val listed = packages ++ Seq("tables.delta", "tables.iceberg")
    assert(names.filter(_.startsWith("limitpruning.")) == listed.map(name => s"limitpruning.$name").toSet)
  }

  test("only one package needs Delta Lake, which may be missing, and only one class uses this package") {
    val usesDelta = noClasses().that().resideOutsideOfPackage("limitpruning.tables.delta")
      .should().dependOnClassesThat().resideInAnyPackage("org.apache.spark.sql.delta..", "io.delta..")
    assert(!usesDelta.evaluate(classes).hasViolation)
    val usesPackage = noClasses().that().resideOutsideOfPackage("limitpruning.tables.delta")
      .and().haveNameNotMatching("limitpruning\\.tables\\.DeltaLake.*")
      .should().dependOnClassesThat().resideInAPackage("limitpruning.tables.delta")
    assert(usesPackage.evaluate(classes).getFailureReport.getDetails.isEmpty)
  }

  test("only one package needs Apache Iceberg, which may be missing, and only one class uses this package") {
    val usesIceberg = noClasses().that().resideOutsideOfPackage("limitpruning.tables.iceberg")
      .should().dependOnClassesThat().resideInAnyPackage("org.apache.iceberg..")
    assert(usesIceberg.evaluate(classes).getFailureReport.getDetails.isEmpty)
    val usesPackage = noClasses().that().resideOutsideOfPackage("limitpruning.tables.iceberg")
      .and().haveNameNotMatching("limitpruning\\.tables\\.Iceberg.*")
      .should().dependOnClassesThat().resideInAPackage("limitpruning.tables.iceberg")
    assert(usesPackage.evaluate(classes).getFailureReport.getDetails.isEmpty)
  }

  for ((user, index) <- packages.zipWithIndex.dropRight(1))
    test(s"$user uses no package above it") {
      assert(violations(user, packages.drop(index + 1)) == Nil)
    }

  test("nothing uses the entry point") {
    val rule = noClasses().that().resideInAnyPackage(packages.map(name => s"limitpruning.$name.."): _*)
      .should().dependOnClassesThat().resideInAPackage("limitpruning")
    assert(!rule.evaluate(classes).hasViolation)
  }

  test("an import that is not allowed would be found") {
    assert(violations("report", Seq("catalyst")).nonEmpty)
    assert(violations("search", Seq("select")).nonEmpty)
  }
}
