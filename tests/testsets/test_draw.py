"""Drawn sheets: what is left out and counted, and options that are refused."""

from __future__ import annotations

from typing import Any

import pytest

from ragauge.errors import OptionError
from ragauge.testsets import draw

from .corpora import ROWS, TEXTS


def test_what_is_left_out_is_counted() -> None:
    rows = [{"text": TEXTS["zh"].passage}, {"text": TEXTS["zh"].passage}, {"text": "茶。"}, {"text": None}]
    sheet = draw(rows, 10)
    assert len(sheet.rows) == 1
    assert (
        "1 passage of 3 documents; left out: of the same text as another: 1, narrower than 40 columns: 1" in sheet.notes
    )
    assert any(note.endswith("10 were wanted, and there are no more") for note in sheet.notes)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rows": 0}, "'rows' of questions must be a whole number from 1 to 100000; got 0"),
        ({"width": 10}, "'width' of questions must be a whole number from 100 to 8000; got 10"),
        ({"seed": -1}, "'seed' of questions must be a whole number from 0"),
        ({"language": ""}, "'language' of questions must be a language tag"),
    ],
)
def test_options(options: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        draw(ROWS, **options)
