package limitpruning.footers

import java.nio.charset.StandardCharsets.UTF_8

import com.google.common.hash.{HashCode, Hashing}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Expression, In, InSet, Literal}

/** The form of a predicate: the predicate without its literals. People ask with new literals each time. */
object PredicateForm {

  /**
   * Identifies a form by its SQL, with the names of columns but not of tables. Fails for a predicate without SQL.
   *
   * @param circumstances whatever else is remembered with the form
   */
  def hash(conjuncts: Seq[Expression], circumstances: Seq[String]): HashCode = {
    val hasher = Hashing.sha256.newHasher()
    def put(text: String): Unit = hasher.putBytes(text.getBytes(UTF_8)).putChar('\n'): Unit
    circumstances.foreach(put)
    conjuncts.foreach { conjunct =>
      val form = conjunct.transformDown {
        case column: AttributeReference => column.withQualifier(Nil)
        case literal: Literal => Literal(null, literal.dataType)
        case InSet(value, _) => In(value, Nil)
        case In(value, list) if list.forall(_.isInstanceOf[Literal]) => In(value, Nil)
      }
      put(form.sql)
    }
    hasher.hash()
  }
}
