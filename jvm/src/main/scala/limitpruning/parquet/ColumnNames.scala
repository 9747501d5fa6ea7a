package limitpruning.parquet

import java.util.Locale

/**
 * Compares the names of columns and of fields of structs, as Spark does where it matches the columns of a table with those
 * of a file and of its directories. This is the only place that compares them.
 *
 * Unless names are case-sensitive, Spark compares them in lower case. That is not `equalsIgnoreCase`, which compares
 * character by character, and also in upper case: for it, `yil` and `yıl` are the same name. For Spark, they are two columns,
 * and a table can have both.
 */
object ColumnNames {

  /** A string that names have in common if and only if they are the names of one column. */
  def key(name: String, caseSensitive: Boolean): String =
    if (caseSensitive) name else name.toLowerCase(Locale.ROOT)

  /** Whether two names are the names of one column. */
  def areSame(some: String, other: String, caseSensitive: Boolean): Boolean =
    some == other || !caseSensitive && key(some, caseSensitive) == key(other, caseSensitive)
}
