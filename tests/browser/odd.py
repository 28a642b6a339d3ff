"""A report whose samples are as odd as a page may hold: no metric would give all of this together."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import ragauge
from ragauge.reports.room import printable
from tests.reports.reading import chunk_of, unpacked
from tests.reports.runs import make_result, rows

LONG = "A long sentence comes again and again. " * 60
# Evidence in each of its forms: what is not there, what is not in the answer, what lies in another segment.
EVIDENCE: list[dict[str, Any]] = [
    {
        "what": "answer sentence",
        "text": "灯笼很旧。",
        "best": "灯笼很旧，是红色的。",
        "similarity": 0.9,
        "supported": True,
    },
    {"what": "answer sentence", "text": "灯笼很旧。", "best": None, "similarity": None, "supported": False},
    {"what": "claim", "text": "It is red.", "best": "no passage has this", "supported": False, "why": "not in it: red"},
    {
        "what": "Statement 3",
        "text": " and blue ",
        "best": "灯笼很旧，是红色的。",
        "similarity": 0.125,
        "supported": None,
    },
    {"what": "answer sentence", "text": "red. It", "best": "x", "similarity": 1, "supported": True},
    {"what": "reference sentence", "text": "It is red.", "best": "It is red.", "similarity": 1, "supported": True},
    {"text": "nobody says what this is", "supported": True},
    {"what": "response", "text": "not in the answer", "supported": True},
    {"what": "response"},
    {"what": "answer", "text": "  "},
    {"what": "answer", "text": "It is", "best": "again", "similarity": 0.5},
]
CONTEXTS: list[dict[str, Any]] = [
    {"passage": 0, "id": "d0", "score": 12.3456789, "grade": 2, "relevant": True},
    {"passage": 1, "id": 7, "score": "high", "grade": 0, "relevant": False},
    {"id": "of an id alone", "relevant": None},
    {"passage": 2, "score": -0.00001234},
]
DETAILS: dict[str, Any] = {
    "passages": ["灯笼很旧，是红色的。", "Nothing is said here.", LONG],
    "references": ["It is red.", LONG],
    "reference_contexts": [0],
    "relevance": [
        {"id": "d0", "grade": 2},
        {"id": "d9", "grade": 1},
        {"id": "d8", "grade": 0},
        {"id": "d7", "grade": -1},
    ],
    "by_run": [
        {
            "contexts": CONTEXTS,
            "evidence": {"a": EVIDENCE, "b": EVIDENCE[:1], "constructor": [EVIDENCE[6]]},
            "parts": {"a": {"precision": 0.25, "recall": 1, "claims": 12, "f": None}, "b": {}},
            "reasons": {"b": "the judge gave no number"},
        },
        {"contexts": [{"passage": 3, "id": "d9"}], "evidence": {"b": EVIDENCE[2:4]}, "parts": {"b": {"f": -3.5}}},
    ],
}


def _fields(samples: int) -> dict[str, Any]:
    """Return the index of a page of two runs whose values are as odd as a page may hold."""
    languages = ["zh", "en", "TH", "not a language", None, "zh-Hant-", "ar", "en-a"]
    return {
        "runs": ["old", "new run"],
        "metrics": [
            {"name": "a", "stage": "generation", "direction": "higher", "range": [0, 1]},
            {"name": "b", "stage": "generation", "direction": "lower", "range": [-2, 2]},
            {"name": "constructor", "stage": "generation", "direction": "higher", "range": [None, 1]},
            {"name": "d", "stage": "generation", "direction": "lower"},
        ],
        "by": "b",
        "ids": [f"q{place}" for place in range(samples)],
        "questions": ["灯笼是什么样的？", None, "", "ไฟ", "ما هو", "Why?", "=1+1", LONG],
        "languages": languages,
        "columns": {
            "kind": ["x", None, "", "x", None, "y", "y", "x"],
            "many": [10, 9, 8.5, -7, 6, 5, 4, None],
            "words": ["q10", "q2", "é", "z", "Z", "ä", "a", "中"],
            "same": ["only"] * samples,
            "list": [True, 0, 1, False, 2, "0", None, "true"],
        },
        "by_run": [
            {
                "answers": ["灯笼很旧。 It is red. and blue 旧", None, " ", "", LONG, "same", "a b c", "+1"],
                "scores": {
                    "a": [0.5, 0.5, 0.25, 1, 0, None, 0.3, 0.7004],
                    "b": [-2, 2, 0, 1.5, None, 0.5, -0.004, 3],
                    "constructor": [0.5, -12.345, 0, 1, 0.25, None, None, 1],
                },
                "status": {
                    "a": [0, 0, 0, 0, 0, 1, 0, 0],
                    "b": [0, 0, 0, 0, 3, 0, 0, 0],
                    "constructor": [0, 0, 0, 0, 0, 1, 2, 0],
                },
                "failure": [None, "timeout", None, None, None, None, None, None],
            },
            {
                "answers": [
                    "灯笼很新。 It was red. and blue",
                    "new",
                    "two",
                    "a",
                    f"{LONG}!",
                    "same",
                    "a x y c",
                    '-1,"\n2',
                ],
                "scores": {
                    "a": [0.5, 0.75, 0, 1, 0.5, 0.5, None, 0.7],
                    "b": [2, -2, 0, 1.504, 1, 0.5, 0.004, 2],
                    "constructor": [1, -12, 0.001, 0.5, 0, 1, 1, 1],
                    "d": [100, 0.001, 12345.678, 0, None, 1, 2, 3],
                },
                "status": {
                    "a": [0, 0, 0, 0, 0, 0, 2, 0],
                    "b": [0] * 8,
                    "constructor": [0] * 8,
                    "d": [0, 0, 0, 0, 1, 0, 0, 0],
                },
                "failure": [None, None, "failed <b>", None, None, None, None, None],
            },
        ],
    }


def odd_samples(folder: Path) -> Path:
    """Write a report of two runs, and put samples into it that no metric would give together."""
    samples = rows(8, ("en", "zh"))
    report = ragauge.report(
        [make_result(samples, ("mrr",)), make_result(samples, ("mrr",))], folder / "odd.html", force=True
    )
    html = report.read_text(encoding="utf-8")
    (held,) = re.findall(r'id="payload">([^<]*)', html)
    index = unpacked(held.strip().split("\n")[0]) | _fields(8)
    other = {"passages": ["d9 is here"], "by_run": [{}, {"contexts": [], "reasons": {"a": "no claim"}}]}
    chunks: list[list[dict[str, Any]]] = [
        [DETAILS, other],
        [{"relevance": [], "by_run": [{"evidence": {"a": []}}]}, *[{"by_run": []}] * 5],
    ]
    index.pop("order", None)
    metrics = [metric["name"] for metric in index["metrics"]]
    lines = "\n".join(_stored(part) for part in (index, *(chunk_of(rows, metrics) for rows in chunks)))
    report.write_text(html.replace(held, f"\n{lines}\n"), encoding="utf-8")
    return report


def _stored(part: Any) -> str:
    return printable(gzip.compress(json.dumps(part).encode(), mtime=0))
