"""Random functions of one column, as SQL templates: ``{x}`` stands for the column or a literal.

Filled with a literal, a template is a constant right where the function of the column changes.
"""

from __future__ import annotations

from hypothesis import strategies as st

IDENTITY = "{x}"

_NUMBER = {
    "({x} + 1)": "number",
    "({x} - 3)": "number",
    "(5 - {x})": "number",
    "({x} * 2)": "number",
    "({x} * -1.5)": "number",
    "({x} / 4)": "number",
    "({x} / -3)": "number",
    "({x} % 3)": "number",
    "(- {x})": "number",
    "abs({x})": "number",
    "floor({x})": "number",
    "ceil({x})": "number",
    "round({x})": "number",
    "round({x}, -1)": "number",
    "sign({x})": "number",
    "CAST({x} AS SMALLINT)": "number",
    "CAST({x} AS BIGINT)": "number",
    "CAST({x} AS FLOAT)": "number",
    "CAST({x} AS DOUBLE)": "number",
    "CAST({x} AS DECIMAL(38,6))": "number",
    "CAST({x} AS DECIMAL(6,1))": "number",
    "CAST({x} AS STRING)": "string",
}
_DATE = {
    "year({x})": "number",
    "month({x})": "number",
    "day({x})": "number",
    "weekofyear({x})": "number",
    "dayofweek({x})": "number",
    "trunc({x}, 'MONTH')": "date",
    "date_trunc('WEEK', {x})": "timestamp",
    "last_day({x})": "date",
    "date_add({x}, 40)": "date",
    "CAST({x} AS TIMESTAMP)": "timestamp",
    "CAST({x} AS TIMESTAMP_NTZ)": "ntz",
    "CAST({x} AS STRING)": "string",
    "datediff({x}, DATE'2020-01-01')": "number",
    "date_format({x}, 'yyyy-MM')": "string",
}
_TIME = {
    "year({x})": "number",
    "quarter({x})": "number",
    "hour({x})": "number",
    "minute({x})": "number",
    "month({x})": "number",
    "date_format({x}, 'yyyy-MM-dd HH:mm')": "string",
    "date_trunc('HOUR', {x})": "timestamp",
    "date_trunc('YEAR', {x})": "timestamp",
    "to_date({x})": "date",
    "unix_timestamp({x})": "number",
    "CAST({x} AS STRING)": "string",
    "({x} + INTERVAL '1' DAY)": "timestamp",
    "({x} - INTERVAL '90' MINUTE)": "timestamp",
    "add_months({x}, 1)": "date",
}
_TEMPLATES: dict[str, dict[str, str]] = {
    "number": _NUMBER,
    "date": _DATE,
    "timestamp": _TIME | {"CAST({x} AS TIMESTAMP_NTZ)": "ntz", "CAST({x} AS BIGINT)": "number"},
    "ntz": _TIME | {"CAST({x} AS TIMESTAMP)": "timestamp"},
    "string": {
        "upper({x})": "string",
        "lower({x})": "string",
        "trim({x})": "string",
        "reverse({x})": "string",
        "length({x})": "number",
        "ascii({x})": "number",
        "substring({x}, 1, 2)": "string",
        "substring({x}, 2)": "string",
        "left({x}, 1)": "string",
        "right({x}, 1)": "string",
        "concat({x}, 'a')": "string",
        "concat('b', {x})": "string",
        "rpad({x}, 3, '#')": "string",
        "CAST({x} AS INT)": "number",
        "CAST({x} AS DOUBLE)": "number",
        "CAST({x} AS DATE)": "date",
        "CAST({x} AS BINARY)": "binary",
    },
    "binary": {"length({x})": "number", "hex({x})": "string", "substring({x}, 1, 1)": "binary"},
    "boolean": {"(NOT {x})": "boolean", "CAST({x} AS INT)": "number"},
}
_NUMBERS = ("integer", "fraction", "decimal")

# Keeps the type; {l} stands for another literal of the column.
_KEEPING = [
    "coalesce({x}, {l})",
    "nullif({x}, {l})",
    "greatest({x}, {l})",
    "least({x}, {l})",
    "if({x} <= {l}, {x}, {l})",
    "CASE WHEN {x} > {l} THEN {l} WHEN {x} IS NULL THEN {l} ELSE {x} END",
]

# Boolean functions of a string; {l} is a literal.
STRING_TESTS = [
    "contains({x}, {l})",
    "startswith({x}, {l})",
    "endswith({x}, {l})",
    "{x} RLIKE '^[A-Z]'",
    "{x} RLIKE '^Al'",
    "{x} RLIKE '^al?'",
    "{x} LIKE 'Al_%'",
    "{x} LIKE 'a/_%' ESCAPE '/'",
    "{x} LIKE '%p%'",
    "{x} LIKE '_l%e%'",
    "instr({x}, {l}) > 0",
    "{l} LIKE concat({x}, '%')",
]

# Literals of other types, to which the column is compared after a cast of either side.
_MIDNIGHT = "2020-01-01 00:00:00"
OTHERS: dict[str, list[str]] = {
    "number": ["2.5", "1e0D", "3000000000", "'3'", "CAST(2.5 AS FLOAT)", "9223372036854775808"],
    "string": ["5", "1.5D", "DATE'2020-01-01'", f"TIMESTAMP'{_MIDNIGHT}'"],
    "date": ["'2020-01-02'", f"TIMESTAMP'{_MIDNIGHT}'", f"TIMESTAMP_NTZ'{_MIDNIGHT}'"],
    "timestamp": ["DATE'2020-01-01'", f"'{_MIDNIGHT}'", f"TIMESTAMP_NTZ'{_MIDNIGHT}'"],
    "ntz": ["DATE'2020-01-01'", f"'{_MIDNIGHT}'", f"TIMESTAMP'{_MIDNIGHT}'"],
    "binary": ["'a'"],
    "boolean": ["1", "'true'"],
}


def group(family: str) -> str:
    """Return the name under which a family of types stands in the tables above."""
    return "number" if family in _NUMBERS else family


@st.composite
def functions(draw: st.DrawFn, family: str, literals: st.SearchStrategy[str]) -> str:
    """Draw a template of one or two functions applied to a column of this family."""
    template, result = IDENTITY, group(family)
    if draw(st.integers(0, 3)) == 3:
        template = draw(st.sampled_from(_KEEPING)).replace("{l}", draw(literals))
    for _ in range(draw(st.integers(1 if template == IDENTITY else 0, 2))):
        outer = draw(st.sampled_from(sorted(_TEMPLATES[result])))
        template, result = outer.replace("{x}", template), _TEMPLATES[result][outer]
    return template
