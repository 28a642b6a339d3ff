"""Runs to report on, the same at every call: questions in many languages, two systems, failures, and hostile texts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import ragauge
from ragauge.results.result import Result

METRICS = (
    "ndcg@1,3,5",
    "recall@5",
    "mrr",
    "token-f1",
    "rouge-l",
    "groundedness",
    "context-precision",
    "column:name=latency,direction=lower",
)
# Of things, in each language: what is asked, what is so, what else is said of it.
FACTS: dict[str, tuple[str, str, str]] = {
    "en": ("Where is the {} kept?", "The {} is kept in room {}.", "It is cleaned every Friday."),
    "zh": ("{}放在哪里？", "{}放在{}号房间。", "每逢周五打扫一次。"),
    "ja": ("{}はどこにありますか。", "{}は{}号室にあります。", "毎週金曜日に掃除します。"),
    "ko": ("{}는 어디에 있습니까?", "{}는 {}호실에 있습니다.", "금요일마다 청소합니다."),
    "ru": ("Где хранится {}?", "{} хранится в комнате {}.", "По пятницам там убирают."),
    "ar": ("أين يُحفظ {}؟", "يُحفظ {} في الغرفة {}.", "تُنظَّف الغرفة كل يوم جمعة."),
    "hi": ("{} कहाँ रखा है?", "{} कमरा {} में रखा है।", "हर शुक्रवार सफ़ाई होती है।"),
    "th": ("{}เก็บไว้ที่ไหน", "{}เก็บไว้ที่ห้อง {}", "ทำความสะอาดทุกวันศุกร์"),
}
THINGS: dict[str, tuple[str, ...]] = {
    "en": ("lantern", "ladder", "piano", "old map", "spare key"),
    "zh": ("灯笼", "梯子", "钢琴", "旧地图", "备用钥匙"),
    "ja": ("提灯", "はしご", "ピアノ", "古い地図", "合鍵"),
    "ko": ("등불", "사다리", "피아노", "옛 지도", "여벌 열쇠"),
    "ru": ("фонарь", "лестница", "рояль", "старая карта", "запасной ключ"),
    "ar": ("الفانوس", "السلّم", "البيانو", "الخريطة", "المفتاح"),
    "hi": ("दीपक", "सीढ़ी", "पियानो", "नक्शा", "चाबी"),
    "th": ("โคมไฟ", "บันได", "เปียโน", "แผนที่", "กุญแจ"),
}
TOPICS = ("furniture", "music", 'tools "new" & old', "🗺️ maps")


def rows(
    count: int = 40,
    languages: Sequence[str] = ("en", "zh", "ar"),
    *,
    seed: int = 0,
    skill: float = 0.5,
    failures: int = 2,
) -> list[dict[str, Any]]:
    """Return ``count`` samples of a system that finds, and says, what is right with the probability ``skill``."""
    luck = np.random.default_rng([seed, 1])
    made = []
    for i in range(count):
        language = languages[i % len(languages)]
        question, said, more = FACTS[language]
        thing, room = THINGS[language][(i // len(languages)) % 5], 100 + i
        passages = [said.format(thing, room), *(said.format(thing, room + 1 + other) for other in range(4)), more]
        ids = [f"d{i}-{place}" for place in range(len(passages))]
        luckily = luck.random(2) < skill
        order = [0, 1, 2, 3, 5] if luckily[0] else [*luck.permutation([1, 2, 3, 4]).tolist(), 0]
        failed = failures and i % max(1, count // failures) == max(1, count // failures) - 1
        made.append(
            {
                "id": f"q{i}",
                "question": question.format(thing),
                "answer": said.format(thing, room if luckily[1] else room + 7) + ("" if i % 3 else " " + more),
                "references": [said.format(thing, room)],
                "contexts": [passages[place] for place in order],
                "retrieved": [ids[place] for place in order],
                "retrieved_scores": [float(9 - place) for place in range(len(order))],
                "relevance": {ids[0]: 2, ids[5]: 1, ids[4]: 0},
                "reference_contexts": [passages[0]],
                "language": language,
                "topic": TOPICS[i % len(TOPICS)],
                "difficulty": i % 3,
                "latency": round(float(luck.exponential()), 3),
                "failure": "timeout after 30 s" if failed else None,
            }
        )
    return made


def make_result(samples: Sequence[dict[str, Any]], metrics: Sequence[str] = METRICS, **options: Any) -> Result:
    """Score ``samples``, by language and topic unless something else is said, with few replicates."""
    there = samples[0]
    chosen: dict[str, Any] = {
        "by": [name for name in ("language", "topic") if name in there],
        "resamples": 200,
        "evidence": True,
    } | options
    return ragauge.evaluate(list(samples), list(metrics), **chosen)


def make_run(
    directory: Path,
    *,
    count: int = 40,
    languages: Sequence[str] = ("en", "zh", "ar"),
    seed: int = 0,
    skill: float = 0.5,
    failures: int = 2,
    metrics: Sequence[str] = METRICS,
    samples: Sequence[dict[str, Any]] | None = None,
    **options: Any,
) -> Path:
    """Score and save a run, of ``samples`` or of those of `rows`, and return where it is."""
    given = samples or rows(count, languages, seed=seed, skill=skill, failures=failures)
    make_result(given, metrics, **options).save(directory)
    return directory


def two_runs(directory: Path, **options: Any) -> tuple[Path, Path]:
    """Save ``yesterday`` and ``today``, which is better, of the same questions."""
    before = make_run(directory / "yesterday", seed=1, skill=0.4, **options)
    return before, make_run(directory / "today", seed=2, skill=0.8, **options)
