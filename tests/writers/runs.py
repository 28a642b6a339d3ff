"""Runs that are written: texts and names of many scripts, samples of each status, groups, labels."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import ragauge
from ragauge.results.result import Result

TEXTS = {
    "zh": "林婉在云南种茶。",
    "ja": "京都のお茶です。",
    "ko": "차를 재배합니다.",
    "ru": "Она выращивает чай.",
    "ar": "هي تزرع الشاي.",
    "hi": "वह चाय उगाती है।",
    "th": "เธอปลูกชา",
}
# Labels as people may give them: of each script, with signs that targets refuse, and a word that looks like an escape.
LABELS = ("正确 率", "正しさ", "정확도/일", "точность", "دقة", "शुद्धता", "ถูกต้อง", "a_at_b")


def some_result(**options: Any) -> Result:
    """Return a run of eleven samples, of which one failed, one is undefined and one is missing."""
    rows: list[dict[str, Any]] = [
        {"id": f"{number:032x}", "lang": lang, "question": text, "answer": text, "references": [text], "time": 0.5}
        for number, (lang, text) in enumerate(TEXTS.items(), 1)
    ]
    rows.append(
        {"id": f"{20:032x}", "lang": "zh", "question": "问", "answer": "不对", "references": ["林婉"], "time": 2}
    )
    rows.append({"id": f"{21:032x}", "lang": "zh", "question": "问", "failure": "超时：\n<b>", "references": ["林婉"]})
    rows.append({"id": f"{22:032x}", "lang": "ru", "question": "q", "answer": "да", "references": []})
    rows.append({"id": f"{23:032x}", "lang": "ru", "question": "q", "references": ["да"]})
    metrics = ["exact-match", "chrf", "latency=column:name=time,direction=lower", f"{LABELS[0]}=rouge-l"]
    return ragauge.evaluate(rows, metrics, **{"by": "lang", **options})


def library(module: str, package: str = "") -> Any:
    """Import a target's library, or skip the test where it is not installed."""
    try:
        return import_module(module)
    except ImportError:
        pytest.skip(f"pip install {package or module}, as the environment 'writers' does", allow_module_level=True)
