"""Every metric of texts scores its best for a right text and less for a broken one, also in languages without data."""

from __future__ import annotations

import math
import re
from functools import cache
from typing import Any

import pytest

from ragauge.core.batch import Batch
from ragauge.core.registry import entries
from ragauge.errors import OptionError
from ragauge.evaluation.partial import measure_cells
from ragauge.metrics.parse import parse
from tests.metrics.rag.given import batch_of

TEXTS = {
    "en": "The tea house by the river opened in 1990. Lin Wan founded it with her sister.",
    "zh": "河边的茶馆于1990年开业。林婉和她的妹妹一起创办了它。",
    "ja": "川沿いの茶館は1990年に開業しました。林婉が妹と一緒に創業しました。",
    "ko": "강가의 찻집은 1990년에 문을 열었습니다. 린완이 여동생과 함께 세웠습니다.",
    "ru": "Чайный дом у реки открылся в 1990 году. Его основала Линь Вань вместе с сестрой.",
    "ar": "افتُتح بيت الشاي قرب النهر سنة 1990. أسسته لين وان مع أختها.",
    "hi": "नदी के किनारे का चायघर 1990 में खुला। लिन वान ने इसे अपनी बहन के साथ बनाया।",
    "th": "ร้านน้ำชาริมแม่น้ำเปิดในปี 1990 หลินหว่านก่อตั้งร้านกับน้องสาวของเธอ",
    "de": "Das Teehaus am Fluss wurde 1990 eröffnet. Lin Wan gründete es mit ihrer Schwester.",
    "es": "La casa de té junto al río abrió en 1990. Lin Wan la fundó con su hermana.",
    "fr": "La maison de thé au bord du fleuve a ouvert en 1990. Lin Wan l'a fondée avec sa sœur.",
    # No list, rule or model of ours knows these.
    "sw": "Nyumba ya chai kando ya mto ilifunguliwa mwaka 1990. Lin Wan aliianzisha pamoja na dada yake.",
    "ta": "ஆற்றங்கரை தேநீர் இல்லம் 1990 இல் திறக்கப்பட்டது. லின் வான் தன் சகோதரியுடன் அதை நிறுவினார்.",
    "am": "በወንዙ አጠገብ ያለው የሻይ ቤት በ1990 ተከፈተ። ሊን ዋን ከእህቷ ጋር መሠረተችው።",
}
STOP = re.compile(r"[.。።।](?=\s|$)|[。።।]|$(?<![.。።।])")
OTHERWISE = {
    "abstention": "whether an answer declines, in listed languages",
    "abstention-accuracy": "whether an answer declines, in listed languages",
    "abstention-f1": "whether an answer declines, in listed languages",
    "over-refusal": "whether an answer declines, in listed languages",
    "answer-language": "the language of an answer, where it is recognised",
    "compression-ratio": "neither end is better",
    **dict.fromkeys(("distinct-n", "distinct-1", "distinct-2"), "how little an answer repeats itself"),
    "extractive-density": "neither end is better",
    "length-ratio": "neither end is better",
}
"""Metrics without a best that a right text has, and what they are of; those of tool calls read no text."""
SHORT = {"meteor": 1e-3, "context-relevancy": 0.5}
"""How much below its best a metric may score a right text: METEOR by its definition, relevance as a probability."""


def names() -> list[str]:
    """Every metric of the rooms text and rag that asks neither a judge nor a model of the user."""
    found = []
    for name, entry in entries("metric").items():
        ours = entry.cls.__module__.startswith(("ragauge.metrics.text.", "ragauge.metrics.rag."))
        if ours and not entry.alias_of and not name.startswith("tool-call") and name not in OTHERWISE:
            try:
                parse(name)
            except OptionError:
                continue
            found.append(name)
    return found


def row(answer: str, passage: str, truth: str) -> dict[str, Any]:
    nuggets = [{"text": truth, "importance": "vital"}]
    texts = {"references": [truth], "contexts": [passage], "reference_contexts": [truth], "nuggets": nuggets}
    return {"question": truth, "answer": answer, **texts}


@cache
def right_and_wrong(kind: str) -> Batch:
    """Return the right row of each language and a wrong one after it; metrics of a kind read the same batch."""
    made = []
    for text in TEXTS.values():
        foreign = "Zorvik 7431 blems qanto."
        answer, broken = text, f"{text[: len(text) // 4]}. {foreign}"
        if kind == "citation":
            answer, broken = STOP.sub(" [1]\\g<0>", text), STOP.sub(" [1]\\g<0>", broken)
        wrong = row(text, foreign, text) if kind == "context" else row(broken, text, text)
        made += [row(answer, text, text), wrong]
    return batch_of(*made)


@pytest.mark.parametrize("name", names())
def test_a_right_text_scores_the_best_and_a_broken_one_less(name: str) -> None:
    metric = parse(name)
    lower = metric.direction == "lower"
    best = metric.range[0] if lower else metric.range[1]
    assert math.isfinite(best)
    kind = next((kind for kind in ("citation", "context") if name.startswith(kind)), "others")
    scores = measure_cells(metric, right_and_wrong(kind)).scores.reshape(-1, 2)
    found = {
        language: (right, less)
        for language, (right, less) in zip(TEXTS, scores, strict=True)
        if not (abs(right - best) <= SHORT.get(name, 0) and (less > right if lower else less < right))
    }
    assert found == {}, f"best: {best}"


def test_those_that_are_left_out_are_metrics() -> None:
    assert set(OTHERWISE) | set(SHORT) <= set(entries("metric"))
