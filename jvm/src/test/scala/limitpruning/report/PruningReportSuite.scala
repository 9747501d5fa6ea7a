package limitpruning.report

import org.scalatest.funsuite.AnyFunSuite

import limitpruning.select.Reason

class PruningReportSuite extends AnyFunSuite {
  private val report = LimitReport(
    "t",
    Some(3),
    order = None,
    predicate = None,
    reason = None,
    rowGroups = None,
    files = None,
    planningMs = None
  )

  test("a LIMIT without a reason is covered") {
    assert(report.covered)
    assert(!report.copy(reason = Some(Reason.NoFiles)).covered)
  }
}
