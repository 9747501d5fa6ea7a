package limitpruning.conf

import org.apache.spark.sql.internal.SQLConf
import org.scalatest.funsuite.AnyFunSuite

import limitpruning.testing.SparkSuite

class LimitPruningConfSuite extends AnyFunSuite with SparkSuite {
  private val documented = Seq(
    LimitPruningConf.Enabled,
    LimitPruningConf.TrustedWritersOnly,
    LimitPruningConf.MaxFiles,
    LimitPruningConf.MaxTime,
    LimitPruningConf.MaxMemory,
    LimitPruningConf.FirstFiles,
    LimitPruningConf.MaxBytes,
    LimitPruningConf.MinPageBytes,
    LimitPruningConf.RowsMinBytes,
    LimitPruningConf.RowsInFirstTask,
    LimitPruningConf.AtRoot,
    LimitPruningConf.MinMax,
    LimitPruningConf.FileScan,
    LimitPruningConf.Threads,
    LimitPruningConf.JobFiles,
    LimitPruningConf.ExplainReasons
  )
  private val static = Seq(LimitPruningConf.CacheMaxBytes, LimitPruningConf.HistoryMaxQueries)

  test("SET -v lists every setting with its description and version, except the setting for tests") {
    val rows = spark.sql("SET -v").where("key LIKE 'spark.limitPruning.%'").collect()
    assert(rows.map(_.getString(0)).toSet == (documented ++ static).map(_.key).toSet)
    for (row <- rows) {
      assert(row.getString(2).length > 40, row)
      assert(row.getString(3) == "0.1.0", row)
    }
  }

  test("settings can change between queries, except those of the state that sessions share") {
    for (setting <- documented :+ LimitPruningConf.FailOnError)
      assert(spark.conf.isModifiable(setting.key), setting.key)
    for (setting <- static) assert(!spark.conf.isModifiable(setting.key), setting.key)
  }

  test("by default, pruning and reasons in EXPLAIN are on, and errors are not fatal") {
    val defaults = new SQLConf
    assert(defaults.getConf(LimitPruningConf.Enabled))
    assert(defaults.getConf(LimitPruningConf.ExplainReasons))
    assert(!defaults.getConf(LimitPruningConf.FailOnError))
    assert(!defaults.getConf(LimitPruningConf.AtRoot))
  }

  test("invalid values are rejected") {
    val refused = Seq(
      LimitPruningConf.MaxFiles -> "-1",
      LimitPruningConf.MaxTime -> "-1",
      LimitPruningConf.FirstFiles -> "0",
      LimitPruningConf.MaxBytes -> "-1",
      LimitPruningConf.MinPageBytes -> "-1",
      LimitPruningConf.Threads -> "0",
      LimitPruningConf.Threads -> "129",
      LimitPruningConf.Enabled -> "perhaps"
    )
    for ((setting, value) <- refused) {
      val error = intercept[IllegalArgumentException](spark.conf.set(setting.key, value))
      assert(error.getMessage.contains(setting.key))
    }
  }

  test("times are in milliseconds unless a unit is given") {
    val conf = new SQLConf
    conf.setConfString(LimitPruningConf.MaxTime.key, "1500")
    assert(conf.getConf(LimitPruningConf.MaxTime) == 1500L)
    conf.setConfString(LimitPruningConf.MaxTime.key, "3s")
    assert(conf.getConf(LimitPruningConf.MaxTime) == 3000L)
  }
}
