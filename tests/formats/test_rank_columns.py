"""Which columns of a row's document rank it, and which grade it."""

from __future__ import annotations

import pytest

from ragauge.core.messages import Message
from ragauge.formats.rank_columns import remarks_on, roles_of, with_remarks


@pytest.mark.parametrize(
    ("columns", "order", "grade", "unclear"),
    [
        ({"rank": [1], "score": [0.5]}, "rank", None, None),
        ({"similarity": [0.5], "score": [3]}, "similarity", "score", None),
        ({"similarity": [0.5], "score": [30]}, "similarity", None, None),
        ({"score": [0.5], "rating": [3]}, "score", "rating", None),
        ({"score": [2], "rating": [3]}, "score", None, "score"),
        ({"distance": [0.5], "оценка": [3]}, "distance", "оценка", None),
        ({"distance": [0.5], "оценка": [0.3]}, "оценка", None, None),
        ({"relevance": [1], "score": [3]}, "score", "relevance", None),
        ({"score": [-1, 2]}, "score", None, None),
        ({"score": [None, ""]}, "score", None, None),
        ({"score": ["90%", "100%"]}, "score", None, None),
        ({"score": [True, False], "rank": [1, 2]}, "rank", "score", None),
        ({"topic": [1]}, None, None, None),
    ],
)
def test_roles(columns: dict[str, list[object]], order: str | None, grade: str | None, unclear: str | None) -> None:
    roles = roles_of(columns)
    assert (roles.order, roles.grade, roles.unclear) == (order, grade, unclear)


def test_what_is_certain_has_no_remark() -> None:
    message = Message("as it is")
    certain = roles_of({"rank": [1]})
    assert remarks_on(certain, lambda roles: roles.code) == ""
    assert with_remarks(message, "") is message
    unclear = roles_of({"score": [1]})
    said = with_remarks(message, remarks_on(unclear, lambda roles: f"<{roles.grade}>"))
    assert "if it is the relevance grade, in pandas: <score>; then" in said


def test_texts_are_made_numbers_only_where_they_are_used() -> None:
    roles = roles_of({"rank": ["#1", "#2"], "score": ["10%", "9%"]})
    assert roles.numbers.keys() == {"rank", "score"}
    assert "frame['rank']" in roles.code
    assert "frame['score']" not in roles.code
