"""Samples of texts in all scripts, as bytes: the first byte says which metric, and each line is a text.

A line begins with the letter of its column: q question, a answer, r reference, else passage.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

from hypothesis import strategies as st

import ragauge
from tests.fuzz.making import TEXTS, damaged

# Numbers, dates, names, quantifiers, negations and questions, so that changes of one part meet the same in another.
SAID = (
    "Lin Wan founded the tea house on 3 May 1990.", "It was not built in 1,234.5 km, but in 12 days.",
    "No more than half of the 2 1/2 million guests came.", "Who founded the tea house, and when?",
    "林婉于一九九〇年五月三日创办了茶馆。", "茶馆不是由王芳创办的，约有三千五百人。", "谁创办了茶馆？什么时候？",
    "ビルは1923年（大正12年）9月に崩壊しました。", "東京タワーの高さは三百三十三メートルですか。",
    "그 가게는 1990년 5월 3일에 문을 열지 않았다.", "누가 만들었습니까?",
    "Анна не приехала 3 мая 1990 г., а две тысячи гостей ушли.", "Кто построил дом?",
    "لم تُبنَ المكتبة في ٣ مايو ١٩٩٠، بل بعد ذلك.", "من بنى المكتبة؟",
    "पुस्तकालय १९९० में नहीं बना, तीन लाख लोग आए।", "किसने बनाया?",
    "หอสมุดไม่ได้สร้างในปี พ.ศ. ๒๕๓๓ มีคนสามล้านห้าแสนคน", "ใครสร้าง",
    "Yes.", "不知道。", "The passages do not say when.", "5 ft 11 in", "10:30 p.m.", "-40 °C", "50 %", "1/2",
    "²", "MCMXC", "½",
)  # fmt: skip
_TEXT = st.lists(st.one_of(st.sampled_from(SAID), TEXTS), max_size=4).map("".join)
_COLUMNS = {"q": "question", "a": "answer", "r": "references", "p": "contexts"}


def strategy(specs: Sequence[str]) -> st.SearchStrategy[bytes]:
    """Draw a sample for one of the metrics."""
    lines = st.lists(st.builds("{}{}".format, st.sampled_from(list("qaarppp")), _TEXT), max_size=8)
    whole = lines.map(lambda found: "\n".join(found).encode("utf-8", "surrogatepass"))
    return st.builds(lambda place, data: bytes([place]) + data, st.integers(0, len(specs) - 1), damaged(whole))


def score(specs: Sequence[str], data: bytes) -> None:
    """Score the sample alone and beside another: the scores are equal, and in the range of the metric."""
    spec = specs[(data or b"\0")[0] % len(specs)]
    row: dict[str, Any] = {"question": "", "answer": "", "references": [], "contexts": []}
    for line in data[1:].decode("utf-8", "ignore").split("\n"):
        column = _COLUMNS.get(line[:1], "contexts")
        if isinstance(row[column], list):
            row[column].append(line[1:])
        else:
            row[column] += line[1:]
    other = {"question": SAID[3], "answer": SAID[0], "references": [SAID[0], SAID[4]], "contexts": list(SAID[:7])}
    alone, beside = (ragauge.evaluate(rows, spec, resamples=0, evidence=True) for rows in ([row], [other, row]))
    name = next(iter(alone.metrics))
    [found], [_, again] = alone.scores(name), beside.scores(name)
    low, high = alone.metrics[name].range
    assert str(alone.statuses(name)[0]) == str(beside.statuses(name)[1])
    assert isnan(found) == isnan(again)
    assert isnan(found) or low <= found == again <= high
