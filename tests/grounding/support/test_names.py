"""Names: which units look like one, and a claim with a name that the passage has not."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ragauge.grounding.support.units import read
from ragauge.metrics.rag.groundedness import Groundedness
from tests.metrics.rag.given import batch_of

# Language: passage, the claim with its name, and the claim with another one.
CAPITALS = {
    "en": (
        "Canberra is the capital of Australia.",
        "The capital of Australia is Canberra.",
        "The capital of Australia is Sydney.",
    ),
    "zh": ("堪培拉是澳大利亚的首都。", "澳大利亚的首都是堪培拉。", "澳大利亚的首都是悉尼。"),
    "ja": (
        "キャンベラはオーストラリアの首都である。",
        "オーストラリアの首都はキャンベラです。",
        "オーストラリアの首都はシドニーです。",
    ),
    "ko": ("캔버라는 호주의 수도이다.", "호주의 수도는 캔버라입니다.", "호주의 수도는 시드니입니다."),
    "ru": ("Канберра — столица Австралии.", "Столица Австралии — Канберра.", "Столица Австралии — Сидней."),
    "ar": ("كانبيرا هي عاصمة أستراليا.", "عاصمة أستراليا هي كانبيرا.", "عاصمة أستراليا هي سيدني."),
    "hi": ("पुल विक्टर लान ने बनाया।", "विक्टर लान ने पुल बनाया।", "येन्स डाल ने पुल बनाया।"),
    "th": (
        "แคนเบอร์ราเป็นเมืองหลวงของออสเตรเลีย",
        "เมืองหลวงของออสเตรเลียคือแคนเบอร์รา",
        "เมืองหลวงของออสเตรเลียคือซิดนีย์",
    ),
    "de": (
        "Canberra ist die Hauptstadt von Australien.",
        "Die Hauptstadt von Australien ist Canberra.",
        "Die Hauptstadt von Australien ist Sydney.",
    ),
    "es": (
        "Canberra es la capital de Australia.",
        "La capital de Australia es Canberra.",
        "La capital de Australia es Sídney.",
    ),
    "fr": (
        "Canberra est la capitale de l'Australie.",
        "La capitale de l'Australie est Canberra.",
        "La capitale de l'Australie est Sydney.",
    ),
}


def explained(claim: str, passage: str) -> tuple[float, str | None]:
    table = Groundedness(unsaid="count").explain(batch_of({"answer": claim, "contexts": [passage]}))
    (degree,), (reason,) = table["similarity"].to_pylist(), table["why"].to_pylist()
    return degree, reason


@pytest.mark.parametrize("language", CAPITALS)
def test_another_name_is_not_supported(language: str) -> None:
    passage, right, wrong = CAPITALS[language]
    assert explained(right, passage)[0] > 0.7
    degree, reason = explained(wrong, passage)
    assert degree < 0.45
    assert reason is not None
    assert reason.startswith("name not matching: ")


@pytest.mark.parametrize(
    ("claim", "passage", "name"),
    [
        ("Sydney is the capital of Australia.", CAPITALS["en"][0], "Sydney"),
        ("澳大利亚的首都是悉尼。", CAPITALS["zh"][0], "悉尼"),
        ("中国的首都是上海。", "北京是中国的首都。", "上海"),
        ("日本の首都は大阪です。", "東京は日本の首都です。", "大阪"),
        (CAPITALS["th"][2], CAPITALS["th"][0], "ซิดนีย์"),
        (
            "The firm was founded in 1975 by Steve Ballmer.",
            "The firm was founded in 1975 by Paul Allen.",
            "Steve Ballmer",
        ),
    ],
)
def test_the_name_is_said(claim: str, passage: str, name: str) -> None:
    reason = explained(claim, passage)[1]
    assert reason is not None
    assert reason.endswith(name)


def test_a_name_in_other_letters_is_not_missed() -> None:
    passage = CAPITALS["zh"][0]
    assert "name" not in (explained("The capital of Australia is Canberra.", passage)[1] or "")


def names(text: str) -> list[str]:
    units = read([text])
    return [text[a:b] for a, b, name in zip(units.start, units.end, units.name, strict=True) if name]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The visit to Paris was long.", ["Paris"]),
        ("Repairs are made by Reparo.", ["Reparo"]),
        ("Viktor Lann came.", ["Viktor", "Lann"]),
        ("It is from the 19th or XX century.", []),
        ("Die Firma Kemler baut in Perlac eine lange Brücke.", ["Kemler", "Perlac"]),
        ("Das Haus der Familie hat 3 Zimmer.", []),
        ("風は強い。", []),
        ("ロンドンは大きい。", ["ロンドン"]),
        ("价格是合理的。", []),
        ("这只恐龙是在湖边发现的。", []),
        ("길이는 8미터이다.", []),
        ("창립자는 김민수입니다.", ["김민수입니다"]),
        ("회사는 신발을 만들었다.", []),
        ("المدينة هي سيدني", ["سيدني"]),
        ("उसने घर बनाया।", []),
    ],
)
def test_what_looks_like_a_name(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_names_do_not_depend_on_other_texts() -> None:
    texts = [claim for one in CAPITALS.values() for claim in one]
    together = read(texts)
    apart = [read([text]).name.tolist() for text in texts]
    begins = together.offsets.tolist()
    assert [together.name[a:b].tolist() for a, b in pairwise(begins)] == apart
