"""The benchmark of pairs: intervals, literals, the rule, and what it writes."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Sequence
from typing import Any

import pytest

from benchmarks.engines import OURS, PLAIN
from benchmarks.pairs import report, tables, verdict, web
from benchmarks.pairs.__main__ import run
from benchmarks.pairs.interval import CONFIDENCE, Estimate, estimate, greatest_rank
from benchmarks.pairs.kind import EVERY, Kind, Template
from benchmarks.pairs.kinds import kinds
from benchmarks.pairs.literals import Domain, Literals, UsedUpError
from benchmarks.pairs.measure import Measured, Pair, Run, in_turns, measure
from benchmarks.pairs.page import page
from benchmarks.pairs.report import Failed, Results
from benchmarks.pairs.sessions import Sessions, compare, control_kinds
from benchmarks.pairs.settings import DEFAULT_PAIRS, from_environment
from benchmarks.process import EngineError
from benchmarks.run import WrongAnswerError
from support.doc_pages import fill

NUMBER = Domain("a number", 0, 10**6)
ONE = Kind("one", tables.NARROW, (Template("SELECT id, ts FROM {table} LIMIT {}", (NUMBER,)),), 2)


class FakeWorker:
    """Answers all requests, and stores the queries of its runs."""

    def __init__(self, plain: Sequence[float], ours: Sequence[float], rows: int = 10) -> None:
        """Take the seconds of each run, which are repeated, and the rows that ours returns."""
        self._seconds = {False: list(plain), True: list(ours)}
        self._rows = {False: 10, True: rows}
        self.ran: list[tuple[bool, str]] = []

    def ask(self, request: dict[str, Any], what: str) -> dict[str, Any]:
        """Answer."""
        assert what == "one"
        is_ours = bool(request["enabled"])
        if request["do"] == "answer":
            return {"answers": [[self._rows[is_ours]] for _ in request["sql"]]}
        self.ran += [(is_ours, sql) for sql in request["sql"]]
        seconds = self._seconds[is_ours]
        seconds.append(seconds.pop(0))
        return {"seconds": seconds[-1], "cpu": 2 * seconds[-1]}


class FailingWorker:
    """Fails in every query."""

    def ask(self, request: dict[str, Any], what: str) -> dict[str, Any]:
        """Fail, unless this warms up."""
        if what in {kind.name for kind in control_kinds()}:
            return {"seconds": 1.0, "cpu": 1.0}
        raise EngineError(f"failed at {request['do']}:\nTraceback\nValueError: no")


def measured(ratio: float, plain: float = 1.0, kind: Kind = ONE, pairs: int = 30) -> Measured:
    """Return pairs that all have this ratio."""
    pair = Pair(Run(plain, plain), Run(plain * ratio, plain * ratio))
    return Measured(kind, ("SELECT 1",), pair, (pair,) * pairs)


def results(*all_measured: Measured, failed: Sequence[Failed] = (), off: bool = True) -> Results:
    pair = Pair(Run(1.0, 1.0), Run(1.0, 1.0))
    one = Sessions(ONE, (pair,) * 6, same_plans=off)
    return Results(all_measured, failed, Sessions(ONE, (pair,) * 6), [one])


def test_web_has_100_columns_and_few_search_phrases() -> None:
    group = web.group(3, 10_000)
    assert group.num_columns == len(set(group.column_names)) == 100
    phrases = group["search_phrase"].to_pylist()
    assert sum(map(bool, phrases)) / len(phrases) == pytest.approx(web.WITH_PHRASE, abs=0.01)
    assert group.equals(web.group(3, 10_000))


def test_forms_are_never_drawn_twice() -> None:
    template = Template("SELECT a{form} FROM {table} LIMIT {}", (NUMBER,), combined=("b", "c"))
    literals = Literals(1)
    forms = {template.draw(literals, "t").partition(" FROM")[0] for _ in range(9)}
    assert len(forms) == 9
    assert "SELECT a ^ b & c" in forms
    with pytest.raises(UsedUpError, match="a form"):
        template.draw(literals, "t")


@pytest.mark.parametrize(
    ("count", "rank"), [(0, 0), (1, 0), (5, 0), (6, 1), (9, 2), (10, 2), (20, 6), (30, 10)]
)
def test_the_rank_is_that_of_the_tables_for_the_median(count: int, rank: int) -> None:
    assert greatest_rank(count) == rank


def test_the_interval_is_from_the_10th_to_the_21st_of_30_values() -> None:
    values = [float(value) for value in range(1, 31)]
    random.Random(1).shuffle(values)
    assert estimate(values) == Estimate(15.5, 10.0, 21.0)


def test_few_values_have_a_median_without_an_interval() -> None:
    assert estimate([3.0, 1.0, 2.0]) == Estimate(2.0, None, None)


@pytest.mark.parametrize("count", [6, 30, 31])
def test_the_interval_contains_the_median_as_often_as_it_says(count: int) -> None:
    source = random.Random(count)
    trials = 2_000

    def contains() -> bool:
        found = estimate([source.expovariate(1.0) for _ in range(count)])
        assert found.low is not None
        assert found.high is not None
        return found.low <= 0.693147 <= found.high  # ln 2

    assert sum(contains() for _ in range(trials)) / trials > CONFIDENCE - 0.01


def test_no_literal_is_drawn_twice() -> None:
    literals = Literals(1)
    small = Domain("small", 10, 30, step=2)
    drawn = [literals.draw(small) for _ in range(small.size)]
    assert sorted(drawn) == list(range(10, 31, 2))
    with pytest.raises(UsedUpError, match="all 11 literals of 'small' were drawn"):
        literals.draw(small)
    # Domains of the same name share what was drawn; others do not.
    with pytest.raises(UsedUpError):
        literals.draw(Domain("small", 12, 20, step=4))
    assert literals.draw(Domain("other", 10, 10)) == 10


def test_the_same_seed_draws_the_same_literals() -> None:
    first, second = Literals(7), Literals(7)
    assert [first.draw(NUMBER) for _ in range(9)] == [second.draw(NUMBER) for _ in range(9)]


def test_each_kind_has_a_name_of_its_own() -> None:
    names = [kind.name for kind in kinds()]
    assert len(set(names)) == len(names)


def test_every_query_of_a_complete_run_is_new() -> None:
    literals = Literals(1)
    queries: list[str] = []
    for kind in kinds():
        for _ in range(2 * (1 + DEFAULT_PAIRS) + 1):
            queries += kind.draw(literals)
    assert len(set(queries)) == len(queries)
    # Not only the whole query is new, but its literals: the same ones could hit over another table.
    literal = re.compile(r"user_id (?:=|IN \(|<>) ?(\d+)")
    users = [found[1] for sql in queries if (found := literal.search(sql))]
    assert len(users) > 1_000
    assert len(set(users)) == len(users)


def test_each_kind_selects_as_many_columns_as_it_says() -> None:
    for kind in kinds():
        if len(kind.queries) == 1:
            columns = kind.queries[0].sql.partition(" FROM ")[0].removeprefix("SELECT ")
            is_all = columns.endswith("*")
            assert kind.columns == (EVERY if is_all else columns.count(",") + 1), kind.name


def test_a_sort_key_is_returned_by_its_query() -> None:
    for template in (template for kind in kinds() for template in kind.queries):
        assert bool(template.key) == ("ORDER BY" in template.sql)
        if template.key:
            assert f"ORDER BY {template.key}" in template.sql
            columns = template.sql.partition(" FROM ")[0]
            assert "*" in columns or template.key in columns


def test_pairs_are_in_both_orders() -> None:
    order: list[str] = []

    def ran(name: str) -> Run:
        order.append(name)
        return Run(1.0 if name == PLAIN else 2.0, 1.0)

    pairs = in_turns(lambda: ran(PLAIN), lambda: ran(OURS), 4)
    assert order == [PLAIN, OURS, OURS, PLAIN] * 2
    assert all((pair.plain.seconds, pair.ours.seconds) == (1.0, 2.0) for pair in pairs)


def test_the_first_pair_does_not_count() -> None:
    worker = FakeWorker(plain=[9.0, *[1.0] * 6], ours=[8.0, *[1.1] * 6])
    found = measure(worker, ONE, Literals(1), 6)
    assert (found.first.plain.seconds, found.first.ours.seconds) == (9.0, 8.0)
    assert (found.plain, found.ours) == (1.0, 1.1)
    assert found.time == found.cpu == Estimate(1.1, 1.1, 1.1)


def test_each_run_has_a_new_literal() -> None:
    worker = FakeWorker(plain=[1.0], ours=[1.0])
    measure(worker, ONE, Literals(1), DEFAULT_PAIRS)
    queries = [sql for _, sql in worker.ran]
    assert len(queries) == 2 * (DEFAULT_PAIRS + 1)
    assert len(set(queries)) == len(queries)
    assert sum(is_ours for is_ours, _ in worker.ran) == DEFAULT_PAIRS + 1


def test_another_number_of_rows_is_a_wrong_answer() -> None:
    with pytest.raises(WrongAnswerError, match=r"\[9\] instead of \[10\]"):
        measure(FakeWorker([1.0], [1.0], rows=9), ONE, Literals(1), 1)


@pytest.mark.parametrize(
    ("low", "median", "high", "expected"),
    [
        (1.031, 1.1, 1.2, verdict.RED),
        (1.03, 1.1, 1.2, verdict.UNCLEAR),
        (1.0, 1.02, 1.031, verdict.UNCLEAR),
        (0.9, 1.0, 1.03, verdict.WITHIN),
        (0.9, 0.95, 1.0, verdict.WITHIN),
        (0.5, 0.6, 0.99, verdict.FASTER),
        (None, 9.0, None, verdict.TOO_FEW),
    ],
)
def test_a_kind_is_red_if_its_whole_interval_is_above_the_limit(
    low: float | None, median: float, high: float | None, expected: str
) -> None:
    assert verdict.verdict(Estimate(median, low, high), 1.03) == expected


def test_short_queries_of_two_columns_have_a_limit_of_their_own() -> None:
    all_columns = Kind("all", tables.WEB, ONE.queries, EVERY)
    assert verdict.limit(ONE, 0.049) == 1.05
    assert verdict.limit(ONE, 0.05) == 1.03
    assert verdict.limit(all_columns, 0.01) == 1.03
    assert report.of(measured(1.04, plain=0.04)) == verdict.WITHIN
    assert report.of(measured(1.04, plain=0.06)) == verdict.RED


def test_a_run_is_red_for_each_reason() -> None:
    assert results(measured(1.0), measured(1.03)).red == []
    assert results(measured(1.04)).red == ["one: slower"]
    assert results(failed=[Failed(ONE, "no")]).red == ["one: no"]
    other_plans = "one, switched off: another plan than without the extension"
    assert results(off=False).red == [other_plans]


def test_a_kind_that_fails_does_not_end_the_run(capsys: pytest.CaptureFixture[str]) -> None:
    found, failed = run(FailingWorker(), [ONE, ONE], Literals(1), 1)
    assert found == []
    assert failed == [Failed(ONE, "ValueError: no")] * 2
    assert capsys.readouterr().out.count("one: FAILED") == 2


def test_sessions_are_compared_by_their_plans() -> None:
    class Planning(FakeWorker):
        """Returns a plan with its name."""

        def __init__(self, plan: str) -> None:
            """Take the plan."""
            super().__init__([1.0], [1.0])
            self._plan = plan

        def ask(self, request: dict[str, Any], what: str) -> dict[str, Any]:
            """Answer; ours is switched off, the other has no such switch."""
            assert not request["enabled"]
            if request["do"] == "plan":
                return {"plans": [self._plan]}
            return super().ask(request, what)

    def same(plain: str, ours: str) -> bool | None:
        return compare(Planning(plain), Planning(ours), ONE, Literals(1), 2).same_plans

    assert same("Scan", "Scan")
    assert not same("Scan", "LimitPrunedScan")


def test_the_table_has_a_line_for_each_kind() -> None:
    line = report.line(measured(1.5))
    assert re.search(r"^one +1000 +1500 +1\.50 \[1\.50, 1\.50\] +1\.50 +SLOWER$", line)
    assert len(line) == len(report.header())
    assert "RED: one: slower" in report.summary(results(measured(1.5)))


def test_the_page_shows_what_was_measured() -> None:
    of = results(measured(1.04), measured(0.5, kind=control_kinds()[0]))
    document = json.loads(json.dumps(report.document(of)))
    about = {"pairs": 30, "spark": "4.2.1"}
    text = page(document | {"about": about}, "Some CPU, commit abc", fill)
    assert "30 pairs of each kind; Spark 4.2.1; Some CPU, commit abc." in text
    assert "Of 2 kinds: 1 *SLOWER*, 1 *faster*." in text
    assert "CPU time are 0.50 to 1.04, and 0.77 in the middle" in " ".join(text.split())
    assert "median above 1.03" not in text
    assert "| one | 1000 / 1040 | 1.04 [1.04, 1.04] **SLOWER** |" in text.splitlines()
    assert document["kinds"][0]["queries"] == ["SELECT id, ts FROM {table} LIMIT {}"]
    assert f"| narrow | pyarrow | {tables.NARROW.about} |" in text.splitlines()
    assert "the same plan for *one*" in " ".join(text.split())
    assert "took 1000 ms without and 1000 ms with the extension" in " ".join(text.split())


def test_the_page_leaves_out_kinds_that_are_as_fast() -> None:
    of = results(measured(1.01), measured(1.04, kind=control_kinds()[0]))
    document = json.loads(json.dumps(report.document(of)))
    text = page(document | {"about": {"pairs": 30, "spark": "4.2.1"}}, "Some CPU", fill)
    assert "The medians of the other 1 are 1.01 to 1.01." in " ".join(text.split())
    assert "1.04 [1.04, 1.04]" in text
    assert "| one |" not in text


@pytest.fixture
def no_settings(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("PAIRS", "ROWS", "SESSIONS", "KINDS"):
        monkeypatch.delenv(f"PAIRS_{name}", raising=False)
    for name in ("BENCH_DATA", "BENCH_RESULTS"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_only_a_complete_run_is_written_to_the_repository(
    no_settings: pytest.MonkeyPatch,
) -> None:
    complete = from_environment()
    assert complete.results.parts[-2:] == ("benchmarks", "results")
    assert complete.chosen(kinds()) == kinds()
    for name, value in (("PAIRS", "29"), ("ROWS", "2000"), ("SESSIONS", "0"), ("KINDS", "narrow")):
        with no_settings.context() as patch:
            patch.setenv(f"PAIRS_{name}", value)
            assert from_environment().results.parts[-2:] == (".bench-data", "results")


def test_kinds_are_chosen_by_words_of_their_names(no_settings: pytest.MonkeyPatch) -> None:
    no_settings.setenv("PAIRS_KINDS", "int96, LIKE")
    names = {kind.name for kind in from_environment().chosen(kinds())}
    assert names == {"web, LIKE", "web, LIKE with a prefix", "int96", "int96, ORDER BY"}
