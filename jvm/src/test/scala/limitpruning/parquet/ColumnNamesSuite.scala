package limitpruning.parquet

import java.nio.file.Path

import scala.jdk.CollectionConverters._

import com.tngtech.archunit.core.importer.ClassFileImporter
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.LimitPruningExtensions

class ColumnNamesSuite extends AnyFunSuite {

  /** Names that are equal if letters are compared one by one, in lower and in upper case. For Spark, they are not. */
  private val onlyLetterByLetter = Seq(
    "yil" -> "yıl", // dotless i
    "s" -> "ſ", // long s
    "σ" -> "ς", // final sigma
    "µm" -> "μm", // micro sign, Greek mu
    "ß" -> "ẞs"
  )

  private def same(some: String, other: String): Boolean =
    ColumnNames.areSame(some, other, caseSensitive = false)

  test("line 86: names that differ in lower case are two columns, whatever they are in upper case") {
    for ((a, b) <- onlyLetterByLetter) {
      assert(!same(a, b) && !same(b, a), (a, b))
      assert(ColumnNames.key(a, caseSensitive = false) != ColumnNames.key(b, caseSensitive = false))
    }
    assert(
      onlyLetterByLetter.count { case (a, b) => a.equalsIgnoreCase(b) } == 4,
      "the pairs would test nothing"
    )
  }

  test("names that are equal in lower case are one column, also if their lengths differ") {
    for ((a, b) <- Seq("Ab" -> "aB", "İ" -> "i̇", "\u212A" -> "k", "ΑΣ" -> "ας", "ẞ" -> "ß")) {
      assert(same(a, b) && same(b, a), (a, b))
      assert(!ColumnNames.areSame(a, b, caseSensitive = true))
    }
  }

  test("case-sensitive names are compared exactly") {
    assert(ColumnNames.areSame("Ab", "Ab", caseSensitive = true))
    assert(ColumnNames.key("Ab", caseSensitive = true) == "Ab")
  }

  test("nothing else compares names without regard to case") {
    val compiled = classOf[LimitPruningExtensions].getProtectionDomain.getCodeSource.getLocation.toURI
    val calls = for {
      one <- new ClassFileImporter().importPath(Path.of(compiled)).asScala.toSeq
      call <- one.getMethodCallsFromSelf.asScala
      if call.getTargetOwner.getName == classOf[String].getName
    } yield one.getName.split('.').last -> call.getName
    def callers(method: String) = calls.collect { case (caller, `method`) => caller }.toSet
    assert(callers("equalsIgnoreCase").isEmpty)
    assert(callers("compareToIgnoreCase").isEmpty)
    // The name of a field of a report, and that of a writer.
    assert(callers("toLowerCase") == Set("ColumnNames$", "ReportSchemas$", "Writer$"))
  }
}
