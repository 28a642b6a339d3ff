"""Two dates of one passage: each is said of its own event, or of the other's."""

from __future__ import annotations

import numpy as np
import pytest

import ragauge
from tests.grounding.support.events import EVENTS


@pytest.mark.parametrize("language", EVENTS)
def test_a_date_is_of_its_own_event(language: str) -> None:
    pairs = [(one.passage, claim, own, other) for one in EVENTS[language] for claim, own, other in one.claims]
    samples = [
        {"answer": claim.format(date), "contexts": [passage]} for passage, claim, *dates in pairs for date in dates
    ]
    degrees = np.array(ragauge.evaluate(samples, ["groundedness"], resamples=0).scores("groundedness")).reshape(-1, 2)
    right, wrong = degrees.T
    assert np.mean(right > wrong) >= 0.8
    assert np.median(right - wrong) > 0.03


# Passage, claim, and whether the passage says so.
DATES = [
    # A comma within a date parts nothing, and a date before a comma is of what follows.
    ("On May 7, 2018, he died in Calgary. On June 9, 2016, he moved there.", "He died in Calgary in 2018.", True),
    ("On May 7, 2018, he died in Calgary. On June 9, 2016, he moved there.", "He died in Calgary in 2016.", False),
    ("2001年，她描述了这种恐龙。自2004年起，它在博物馆展出。", "她描述这种恐龙是在2001年。", True),
    ("2001年，她描述了这种恐龙。自2004年起，它在博物馆展出。", "她描述这种恐龙是在2004年。", False),
    # Of several dates of a claim each may be of its own event.
    ("They met in December 2019 and January 2020.", "They met in December 2019 and January 2020.", True),
    # Numbers are no years.
    (
        "The school opened in autumn 2016. About 400 students came.",
        "The school opened in 2016 with 400 students.",
        True,
    ),
    # "A firm" is no name.
    ("卢纳拉号自2005年起是一家旅馆。", "卢纳拉号是一家旅馆。", True),
    # Marks of a name part no clause.
    ("Паром «Лунара» построили в 1968 году, а в 1989 году продали.", "«Лунара» построена в 1968 году.", True),
    ("Паром «Лунара» построили в 1968 году, а в 1989 году продали.", "«Лунара» построена в 1989 году.", False),
    # The end of a range; and two dates that are none.
    ("รับใบสมัครตั้งแต่วันที่ 15 มกราคมถึงวันที่ 28 กุมภาพันธ์", "รับใบสมัครจนถึงวันที่ 28 กุมภาพันธ์", True),
    ("รับใบสมัครตั้งแต่วันที่ 15 มกราคมถึงวันที่ 28 กุมภาพันธ์", "รับใบสมัครจนถึงวันที่ 15 มกราคม", False),
    ("ขายให้เจ้าของในปี 1989 ตั้งแต่ปี 2005 ใช้เป็นโรงแรม", "ใช้เป็นโรงแรมตั้งแต่ปี 2005", True),
]


@pytest.mark.parametrize(("passage", "claim", "holds"), DATES)
def test_dates_of_events(passage: str, claim: str, holds: bool) -> None:
    degree = ragauge.score("groundedness", answer=claim, contexts=[passage])
    assert degree > 0.85 if holds else degree < 0.85
