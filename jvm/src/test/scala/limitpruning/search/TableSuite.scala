package limitpruning.search

import scala.util.Using

import org.apache.hadoop.conf.Configuration
import org.apache.spark.sql.catalyst.expressions.{AttributeSet, Expression}
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.types.StructType
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.catalyst.{MatchLimit, MatchTopRows}
import limitpruning.footers.FactsCache
import limitpruning.parquet.ReadSettings
import limitpruning.predicate.{ColumnFacts, Nulls, Values}
import limitpruning.select.{ListedFile, Reason}
import limitpruning.testing.{ParquetFixture, SparkSuite}

/** Searches over a table with facts about its files that are not in their footers. */
class TableSuite extends AnyFunSuite with SparkSuite {
  import TableSuite.WithFacts

  private val ints = ParquetFixture("optional int32 a;")
  private lazy val files =
    tableOf("files", (0 to 2).map(i => s"$i.parquet" -> ints.rowGroup(Seq(i), Seq(i))): _*)

  /** @param deletedRows number of rows that were deleted from the table, by file name; none if unknown */
  private def cover(
      where: String,
      limit: Int
  )(deletedRows: String => Option[Long]): Either[NotPruned, LimitPlan] = {
    val Seq(Right(scan)) = limitsOf(files.where(where).limit(limit)).flatMap(MatchLimit.of): @unchecked
    val table = new WithFacts(scan.table, deletedRows)
    val changed = scan.copy(table = table)
    Using.resource(new SearchInputs(changed, spark, FactsCache.none, spark.sessionState.conf))(ChooseRows(
      changed,
      _
    ))
  }

  test("files without deleted rows are trusted") {
    val Right(plan) = cover("a >= 0", limit = 4)(_ => Some(0)): @unchecked
    assert(plan.rows.allRowsMatch && plan.rows.selection.rows == 4)
  }

  for (deleted <- Seq(Some(1L), None))
    test(s"a file with deleted rows ($deleted) does not count, and other files are selected instead") {
      val Right(plan) =
        cover("a >= 0", limit = 3)(file => if (file == "0.parquet") deleted else Some(0)): @unchecked
      assert(plan.rows.allRowsMatch)
      assert(plan.rows.selection.files.map(_.path.split('/').last) == Seq("1.parquet", "2.parquet"))
    }

  test("if other files have too few rows, a file with deleted rows counts, less its deleted rows") {
    val Right(plan) =
      cover("a >= 1", limit = 3)(file => if (file == "1.parquet") Some(1) else Some(0)): @unchecked
    assert(plan.rows.allRowsMatch)
    val Seq(first, last) = plan.rows.selection.files: @unchecked
    assert(first.path.endsWith("2.parquet") && last.path.endsWith("1.parquet"))
    // One of the two rows is deleted, and it is not known which one.
    assert(last.rowGroups.map(_.rowsToRead) == Seq(2L))
  }

  test("a file of which more rows were deleted than match is selected all the same, if rows are missing") {
    val Right(plan) =
      cover("a >= 1", limit = 9)(file => if (file == "1.parquet") Some(2) else Some(0)): @unchecked
    assert(plan.rows.selection.files.map(_.path.split('/').last) == Seq("2.parquet", "1.parquet"))
  }

  test("if other files have too few rows, the LIMIT is not covered") {
    val decided = cover("a >= 1", limit = 3)(file => if (file == "1.parquet") None else Some(0))
    decided match {
      case Right(plan) => assert(!plan.rows.allRowsMatch)
      case Left(notPruned) => assert(notPruned.reason.isInstanceOf[Reason.NotEnoughRows])
    }
  }

  for ((deleted, expected) <- Seq(1L -> Set("0.parquet"), 2L -> Set("0.parquet", "1.parquet")))
    test(s"the threshold counts the rows of a file less its deleted rows ($deleted)") {
      val query = files.orderBy("a").limit(1)
      val Seq(Right(top)) = limitsOf(query).flatMap(MatchTopRows.of): @unchecked
      val table = new WithFacts(top.scan.table, file => if (file == "0.parquet") Some(deleted) else Some(0))
      val changed = top.copy(scan = top.scan.copy(table = table))
      val read = Using.resource(
        new SearchInputs(changed.scan, spark, FactsCache.none, spark.sessionState.conf, changed.alsoNeeded)
      )(ChooseTopRows(changed, _)).map(_.rows.selection.listed.map(_.path.split('/').last).toSet)
      assert(read.contains(expected), read)
    }

  /** The files in the order in which they are inspected, and those whose hints were asked for. */
  private def likelyFirst(where: String, limit: Int, cheap: Int): (Seq[String], Set[String]) = {
    val Seq(Right(scan)) = limitsOf(files.where(where).limit(limit)).flatMap(MatchLimit.of): @unchecked
    val asked = collection.mutable.Set.empty[String]
    def hint(file: String) = {
      asked += file
      ColumnFacts(Values.Range(file.head.asDigit, file.head.asDigit + 1), Nulls.No)
    }
    val table = new WithFacts(scan.table, _ => Some(0), cheap, Some(hint))
    val changed = scan.copy(table = table)
    val found = Using.resource(new SearchInputs(changed, spark, FactsCache.none, spark.sessionState.conf))(
      _.likelyFirst.map(_.path.split('/').last)
    )
    (found, asked.toSet)
  }

  private val all = Set("0.parquet", "1.parquet", "2.parquet")

  test("files in which all rows are expected to match come first") {
    assert(likelyFirst("a >= 2", 1, cheap = 3) == (Seq("2.parquet", "0.parquet", "1.parquet"), all))
    assert(likelyFirst("a >= 2", 1, cheap = 1) == (Seq("2.parquet", "0.parquet", "1.parquet"), all))
  }

  test("if the first files are expected to have enough rows, nothing is asked about the other files") {
    val inOrder = Seq("1.parquet", "0.parquet", "2.parquet")
    assert(likelyFirst("a >= 1", 2, cheap = 2) == (inOrder, all - "2.parquet"))
    assert(likelyFirst("a >= 1", 3, cheap = 2) == (Seq("1.parquet", "2.parquet", "0.parquet"), all))
  }
}

private object TableSuite {

  /**
   * A table whose log contains deleted rows. If it has hints about columns, files have two rows.
   *
   * @param cheap the number of files whose facts are cheap
   */
  final class WithFacts(
      table: Table,
      deletedRows: String => Option[Long],
      cheap: Int = Int.MaxValue,
      hint: Option[String => ColumnFacts] = None
  ) extends Table {
    override def leaf: LogicalPlan = table.leaf
    override def name: String = table.name
    override def partitionSchema: StructType = table.partitionSchema
    override def settings: ReadSettings = table.settings
    override def hadoopConf: Configuration = table.hadoopConf
    override def unsupported: Option[Reason] = table.unsupported
    override def isVectorized(columns: AttributeSet): Boolean = table.isVectorized(columns)
    override def selected: Option[LimitPlan] = table.selected
    override def decides(conjunct: Expression): Boolean = table.decides(conjunct)

    override def list(
        conjuncts: Seq[Expression],
        keys: Seq[Expression],
        cache: FactsCache
    ): TableListing = new TableListing {
      private val listing = table.list(conjuncts, keys, cache)
      override def files: IndexedSeq[ListedFile] = listing.files
      override def hasFacts: Boolean = true
      override def isWorthAskingFirst: Boolean = hint.nonEmpty
      override def cheapFacts: Int = cheap
      override def facts(file: ListedFile): FileFacts = {
        val name = file.path.split('/').last
        val facts = listing.facts(file).copy(deletedRows = deletedRows(name))
        hint.fold(facts)(of => facts.copy(rows = Some(2), hints = _ => of(name)))
      }
      override def read(plan: LogicalPlan, chosen: LimitPlan): LogicalPlan = listing.read(plan, chosen)
    }
  }
}
