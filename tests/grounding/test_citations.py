"""Markers of citations: their forms, what they point at, and the sentence that they stand with."""

from __future__ import annotations

import pyarrow as pa
import pytest

from ragauge.grounding.citations import Citations
from ragauge.sentences import split

IDS = ["hours.md", "doc_17", "x"]


def places(text: str, ids: list[str] = IDS) -> list[int]:
    return [place for _, found in Citations(text, ids, 3).markers for place in found]


@pytest.mark.parametrize(("text", "cited"), [
    ("It opens at nine [1].", [0]), ("It opens at nine[1, 3].", [0, 2]), ("It opens at nine [1-3].", [0, 1, 2]),
    ("It opens at nine [1][2].", [0, 1]), ("It opens at nine [^1].", [0]), ("它九点开门【1】。", [0]),
    ("它九点开门［2］。", [1]),
    ("It opens at nine (2).", [1]), ("It opens at nine [citation:1].", [0]), ("It opens.<sup>1,2</sup>", [0, 1]),
    ("It opens at nine.¹", [0]), ("It opens at nine².", [1]), ("Nine【2†source】", [1]), ("Nine [1](#ref1).", [0]),
    ("It opens at nine [doc_17].", [1]), ("It opens (Source: hours.md).", [0]), ("它开门（来源：hours.md）。", [0]),
    ("It opens [hours.md, doc_17].", [0, 1]), ("It opens (Source: hours.md, page 3).", [0]),
    ("根据文档1，它九点开门。", [0]), ("文档2", [1]), ("문서 2에 따르면 연다.", [1]),
    ("Laut Dokument 2 ist es offen.", [1]),
    ("Согласно документу 2, он открыт.", [1]), ("وفقًا للمستند 2", [1]),
    ("According to passages 1 and 3, it opens.", [0, 2]),
    ("يفتح [٢].", [1]), ("यह खुलता है [२]।", [1]), ("เปิด [๒]", [1]), ("資料3によると", [2]), ("दस्तावेज़ 2 के अनुसार", [1]),
    ("Nine [1, p. 4].", [0]), ("Nine [Document 1, page 4].", [0]), ("Neun [Quelle 2, S. 14].", [1]),
    ("九点【1，第4页】。", [0]),
    ("Nine <cite>1</cite>.", [0]), ("Nine <ref>[2]</ref>.", [1]), ("Nine [1, s].", []),
    ("Nine [4].", [-1]), ("Nine [1, 9].", [0, -1]), ("Nine [3], [0].", [2, -1]), ("Nine [0, 1].", [-1, 0]),
    ("Nine [other.md].", [-1]), ("(Source: Bob)", [-1]),
    ("यह खुला¹।", [0]), ("يفتح صباحًا².", [1]), ("It opened in 1990¹.", [0]), ("50 كم²", []), ("50 किमी²।", []),
    ("It is 20 m² large.", []), ("It opened in (1990) again.", []), ("f(2) is 4", []), ("A note [sic].", []),
    ("它开门（来源：文档2）。", [1]), ("Nine (Source: Document 1).", [0]), ("Nine [^1^].", [0]), (r"Nine \[2\].", [1]),
    ("Nine [#1].", [0]), ("Nine [S2].", [1]), ("Nine [1.]", [0]), ("Nine [2:p.3].", [1]),
    ("It opened in 1905 (1).", [0]),
    ("Bug [#17].", []), ("Disk [S9].", []), ("x = 1905 (1).", []), ("It has 31905 (1).", []), ("a[1:0]", []),
    (r"\[y\]", []), ("ボタン「1」", []), ("In 1905 (1) it", []), ("Volume 12 (3), p. 4", []),
    ("Nine <co>1</co>.", [0]), ("<co: 0,2>It opens</co: 0,2> at nine.", [0, 2]), ("Nine ².", [1]), ("In 1890 ¹.", [0]),
    ("九点 ²。", [1]), ("เก้าโมง ¹", [0]), ("A field of 3 km ².", []), ("alpha ² + beta ²", [1]), ("3 किमी ² में", []),
    ("เปิด [อ้างอิง 1]", [0]), ("открыт [источник 2]", [1]), ("открыт [сноска 1]", [0]), ("연다 [참고문헌 2]", [1]),
    ("यह खुला [संदर्भ 1]।", [0]), ("يفتح [المرجع 2].", [1]), ("九時【参考文献 1】", [0]), ("九点【参考资料2】", [1]),
    ("Neun [Referenz 1].", [0]), ("Neuf [référence 2].", [1]), ("Abre [referencia 1].", [0]),
    ("It opens (1)(2).", [0, 1]), ("It opens (1) (2).", [0, 1]), ("It opens ([1], [2]).", [0, 1]),
    ("开（见[1]）。", [0]), ("यह खुला (1)।", [0]), ("สะพานเปิดในปี 1932 (1) จอดรถฟรี", [0]), ("It opens (see [2]).", [1]),
    ("(1) One. (2) Two.", []), ("It (opened in 1932 [1]) is Olsen's [2].", [0, 1]),
    ("Nine [Document 2, Document 3].", [1, 2]), ("Nine (Doc 2; Doc 3).", [1, 2]), ("Nine [2, Document 3].", [1, 2]),
    ("Nine [Source 2; Source 3].", [1, 2]), ("Nine [Passage 2 and Passage 3].", [1, 2]),
    ("九点[文档2、文档3]。", [1, 2]),
    ("九点[文档2，文档3]。", [1, 2]), ("九点（见文档2）。", [1]), ("Neun (siehe Dokument 2, Dokument 3).", [1, 2]),
    ("Nine (Doc. 2).", [1]), ("Neuf (voir doc. 2).", [1]), ("открыт (см. документ 2, документ 3)", [1, 2]),
    ("It opens at nine. (2)", [1]), ("它九点开门。（2）", [1]), ("One is so. (1) (2)\nTwo.", [0, 1]), ("One.\n(2)", []),
    ("Nine (Document [2]).", [1]), ("Neun (Dokument [2]).", [1]), ("Nine (Refs. [2], [3]).", [1, 2]),
    ("Nine (Documents [2] and [3]).", [1, 2]), ("Nine (Documents [2 and 3]).", [1, 2]),
    ("开（文档[2]和[3]）。", [1, 2]),
    ("Nine [2] [p. 4].", [1]), ("Neun [2][S. 4].", [1]), ("Nine [2] [S1].", [1, 0]),
    ("I read the documents. 2 of them", []), ("(Section 2, Article 3 of the law)", []), ("(chapter 2)", []),
    ("in 1990 (2) it", []),
    ("It opens (see below).", []), ("It opens at nine.", []), ("", []),
    ("Room (12).", []), ("[^1]: hours.md", []),
])  # fmt: skip
def test_each_form(text: str, cited: list[int]) -> None:
    assert places(text) == cited


def test_a_number_beyond_the_ranks_is_an_id() -> None:
    assert places("a [17] b [2]", ["17", "2", "5"]) == [0, 1]


@pytest.mark.parametrize("marker", [
    "(Document [2])", "(Passage [2])", "(Context [2])", "(Ref. [2])", "[2] [p. 4]", "[2][p.4]", "(voir doc. 2)",
    "（文档[2]）", "(Document 2, Document 3)",
])  # fmt: skip
def test_no_word_of_a_marker_stays_in_the_claim(marker: str) -> None:
    assert Citations(f"It opens at nine {marker}.", [], 3).plain.split() == ["It", "opens", "at", "nine", "."]


@pytest.mark.parametrize(("text", "cited"), [
    ("One is so. [1] Two is so. [2][3]", [[0], [1, 2]]),
    ("[1] One is so. [2] Two is so.", [[0], [1]]),
    ("One is so.[1] Two is so [2].", [[0], [1]]),
    ("One is so.<sup>1</sup> Two is so.²", [[0], [1]]),
    ("一是这样。[1]二是这样[2]。", [[0], [1]]),
    ("One is so. Two is so [1][1].", [[], [0]]),
    ("One is so [9]. Two is so.", [[-1], []]),
])  # fmt: skip
def test_the_sentence_of_a_marker(text: str, cited: list[list[int]]) -> None:
    found = Citations(text, [], 3)
    starts, ends = split(pa.array([found.plain], pa.large_string()))
    assert found.of_sentences(starts.values.tolist(), ends.values.tolist()) == cited
    assert len(found.plain) == len(text)


@pytest.mark.parametrize(("text", "cited"), [
    ("ห้องสมุดเปิดในปี 1905 [1]  มาเรียออกแบบห้องสมุด [2]", [[0], [1]]),
    ("ห้องสมุดเปิดในปี 1905 [1][2] มาเรียออกแบบห้องสมุด [3]", [[0, 1], [2]]),
    ("ห้องสมุดเปิดในปี 1905[[1]] มาเรียออกแบบห้องสมุด[[2]](#b)", [[0], [1]]),
    ("ຫໍສະໝຸດເປີດໃນປີ 1905 [1] ມາເຣຍອອກແບບຫໍສະໝຸດ [2]", [[0], [1]]),
    ("បណ្ណាល័យបើកនៅឆ្នាំ ១៩០៥ [1] ម៉ារីយ៉ារចនាបណ្ណាល័យ [2]", [[0], [1]]),
    ("စာကြည့်တိုက်ကို ၁၉၀၅ တွင်ဖွင့်သည် [1] မာရီယာကဒီဇိုင်းဆွဲသည် [2]", [[0], [1]]),
    ("បណ្ណាល័យបើកនៅឆ្នាំ ១៩០៥ [1] ក្នុងក្រុង។ ម៉ារីយ៉ារចនាបណ្ណាល័យ [2]។", [[0], [1]]),
    ("ตาม [1] ห้องสมุดเปิดในปี1905", [[0]]),
    ("The library opened [1] in 1905.", [[0]]),
])  # fmt: skip
def test_a_marker_ends_a_sentence_where_the_script_has_no_mark(text: str, cited: list[list[int]]) -> None:
    found = Citations(text, [], 3)
    starts, ends = split(pa.array([found.parted], pa.large_string()))
    assert found.of_sentences(starts.values.tolist(), ends.values.tolist()) == cited
    assert len(found.parted) == len(text)


def test_an_id_goes_before_a_number_of_the_same_form() -> None:
    assert places("Nine [S1] (Source: doc 1).", ["x", "S1", "doc 1"]) == [1, 2]


def test_items_of_a_list_are_no_numbers_of_passages() -> None:
    """As answers of RAGTruth have it: the name ends the line, and the numbers of a list begin the next ones."""
    text = "These are the steps based on the provided passages:\n\n1. Open it.\n2. Close it."
    assert Citations(text, [], 3).markers == []
    assert [places for _, places in Citations("根据文档：\n1、开门。", [], 3).markers] == []
    assert [places for _, places in Citations("By passages: 1 and 3 it is so.", [], 3).markers] == [[0, 2]]


ANSWERS = {
    "zh": "它九点开门{0}。入场免费{1}。", "ja": "九時に開きます{0}。入場は無料です{1}。",
    "ko": "아홉 시에 연다{0}. 무료이다{1}.",
    "ar": "يفتح في التاسعة{0}. الدخول مجاني{1}.", "de": "Es öffnet um neun{0}. Der Eintritt ist frei{1}.",
    "en": "It opens at nine{0}. It is free{1}.", "th": "พิพิธภัณฑ์เปิดเก้าโมง{0} เข้าชมฟรี{1}",
}  # fmt: skip


@pytest.mark.parametrize("language", ANSWERS)
@pytest.mark.parametrize(
    ("first", "second", "cited"),
    [
        (" [0]", " [2]", [[0], [2]]),
        ("①", "②③", [[0], [1, 2]]),
        ("❶", "❷", [[0], [1]]),
        (" [ID:1]", " [ID:0][ID:x]", [[1], [0, 2]]),
        (" ##1$$", " ##0$$ ##7$$", [[1], [0, -1]]),
        (" {1}", " {2, 3}", [[0], [1, 2]]),
        (" {9}", "⑨", [[], []]),
    ],
)
def test_forms_of_other_frameworks(language: str, first: str, second: str, cited: list[list[int]]) -> None:
    text = ANSWERS[language].format(first, second)
    found = Citations(text, IDS, 3)
    starts, ends = split(pa.array([found.plain], pa.large_string()))
    if language == "th" and not found.markers:
        cited = [[]] * len(starts.values)
    assert found.of_sentences(starts.values.tolist(), ends.values.tolist()) == cited
    assert found.from_zero == ("[0]" in text)


@pytest.mark.parametrize(
    "text", ["x{1} ${1} \\d{1} {{1}}", "'{1}'", '"{2}"', "①开门②关门", "① red ② blue", "选项：①甲；②乙", "①\n甲"]
)
def test_code_templates_and_lists_are_no_markers(text: str) -> None:
    assert places(text) == []
