"""Random text, bytes, days and times, the odd ones often."""

from __future__ import annotations

from datetime import date, datetime

from hypothesis import strategies as st

LETTERS = st.text("abAz0%_\\' \n\xe9\xdf\u0130\uffee\U0001f600", max_size=4)
STRINGS = st.one_of(
    st.sampled_from(["", "12", " 7", "1e3", "2020-01-02", "true", "NaN", "\xe9", "Alpine"]),
    LETTERS,
    LETTERS.map("Alpine ".__add__),
    LETTERS.map(("x" * 70).__add__),  # longer than the bounds in a column index
    LETTERS.map(("y" * 4100).__add__),  # longer than what statistics may hold
)
BYTES = st.one_of(
    st.sampled_from([b"", b"\0", b"\x7f", b"\x80", b"\xff", b"\xff" * 70, b"a" * 4100]),
    st.binary(max_size=4),
)
DAYS = st.one_of(
    st.dates(date(2019, 12, 28), date(2020, 3, 5)),
    st.sampled_from([date(2, 1, 1), date(1582, 10, 15), date(1969, 12, 31), date(9999, 12, 30)]),
)
TIMES = st.one_of(
    st.datetimes(datetime(2019, 12, 31, 20), datetime(2020, 1, 2, 4)),
    st.datetimes(datetime(2020, 1, 1), datetime(2020, 4, 1)).map(
        lambda time: time.replace(minute=0, second=0, microsecond=0)
    ),
    st.sampled_from(  # before 1970; around the change to summer time, and back
        [
            datetime(1900, 1, 1),
            datetime(1969, 12, 31, 23, 59, 59, 999999),
            datetime(2021, 3, 28, 1, 30),
            datetime(2021, 10, 31, 0, 30),
            datetime(2021, 10, 31, 1, 30),
        ]
    ),
)
