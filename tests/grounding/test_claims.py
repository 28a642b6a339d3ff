"""Claims without what frames them: the same degree in each language, and nothing taken that is part of a claim."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from unicodedata import category

import pyarrow as pa
import pytest

import ragauge
from ragauge.core import compute as pc
from ragauge.grounding import framing
from ragauge.grounding.claims import _without_ends, bare
from tests.repeats import others_long

PROBES = Path(__file__).parents[2] / "corpora/probes"
SPACED = ("en", "de", "es", "fr", "ru", "ar", "hi", "ko", "th")
MARKERS = (
    *("[1]", "[^1]", "【1】", "[1][2]", "[1, 2]", "[citation:1]", "(Source: hours.md)", "<sup>1</sup>", "[doc 3]"),
    "【4†source】",
)
NAMED = {
    "en": ("According to passage 2, {}", "Based on the provided documents, {}"),
    "zh": ("根据文档1，{}", "根据提供的资料，{}"),
    "ja": ("文書1によると、{}", "提供された資料によれば、{}"),
    "ko": ("문서 1에 따르면, {}", "제공된 자료에 따르면 {}"),
    "de": ("Laut Dokument 1 {}", "Gemäß den Unterlagen: {}"),
    "es": ("Según el documento 1, {}", "De acuerdo con los textos proporcionados, {}"),
    "fr": ("Selon le document 1, {}", "D'après les extraits fournis, {}"),
    "ru": ("Согласно документу 1, {}", "По данным предоставленных источников, {}"),
    "ar": ("وفقًا للوثيقة 1، {}", "بحسب المعلومات المتاحة، {}"),
    "hi": ("दस्तावेज़ 1 के अनुसार, {}", "उपलब्ध जानकारी के आधार पर, {}"),
    "th": ("ตามเอกสาร 1 ระบุว่า {}", "จากข้อมูลที่ให้มา {}"),
}
COURTEOUS = {
    "en": "Sure! {} Let me know if you have more questions.",
    "zh": "您好！{}希望对您有帮助！",
    "ja": "ご質問ありがとうございます。{}お役に立てれば幸いです。",
    "ko": "안녕하세요! {} 도움이 되었기를 바랍니다.",
    "de": "Gerne! {} Ich hoffe, das hilft Ihnen weiter.",
    "es": "¡Claro! {} Espero que te sea útil.",
    "fr": "Bonjour ! {} N'hésitez pas à me poser d'autres questions.",
    "ru": "Здравствуйте! {} Надеюсь, это поможет!",
    "ar": "مرحبا! {} آمل أن يكون هذا مفيدًا.",
    "hi": "नमस्ते! {} आशा है कि यह आपकी मदद करेगा।",
    "th": "สวัสดีค่ะ {} หวังว่าข้อมูลนี้จะเป็นประโยชน์ค่ะ",
}
LISTED = (
    *(
        "1) x",
        "a) x",
        "2. x",
        "(3) x",
        "（b）x",
        "⑳x",
        "➓ x",
        "-\tx",
        "—  x",
        "・x",
        "4、x",
        "5．x",
        "（三）x",
        "十、x",
    ),
    "## x",
)


def supported(language: str) -> list[tuple[str, str]]:
    """Return passages and claims that they support."""
    rows = [json.loads(line) for line in (PROBES / f"{language}.jsonl").read_text(encoding="utf-8").splitlines()]
    return [(row["passage"], row[kind][0]) for row in rows for kind in ("negation", "number", "date", "entity")]


def framed(language: str, claim: str) -> list[str]:
    """Return a claim in the forms in which systems write it."""
    blank = " " if language in SPACED else ""
    mark, body = (claim[-1], claim[:-1]) if claim[-1] in ".。।" else ("", claim)
    words = body.split(" ")
    middle = len(words) // 2
    inside = [" ".join([*words[:middle], marker, *words[middle:]]) + mark for marker in MARKERS[:4]] if middle else []
    return [
        *(form.format(claim) for form in (*NAMED[language], COURTEOUS[language])),
        *(f"{body}{blank}{marker}{mark}" for marker in MARKERS),
        *(f"{claim}{marker}" for marker in ("[1]", "【1】", *("" if claim[-1].isdigit() else "¹"))),
        *(f"{marker} {claim}" for marker in ("[1]", "【2】", "1.", "-", "*", "•", "(1)", "①", ">")),
        *inside,
        f"**{claim}**" if mark else claim,
        f"| {claim} |",
    ]


@pytest.mark.parametrize("language", others_long(NAMED, 3))
def test_what_frames_a_claim_hardly_moves_its_score(language: str) -> None:
    """Each within .05 of the bare claim."""
    rows: list[dict[str, Any]] = []
    for place, (passage, claim) in enumerate(supported(language)):
        for form, answer in enumerate([claim, *framed(language, claim)]):
            rows.append({"id": f"{place}-{form}", "answer": answer, "contexts": [passage]})
    values = ragauge.evaluate(rows, "groundedness", resamples=0).scores("groundedness")
    scores = dict(zip([row["id"] for row in rows], values.tolist(), strict=True))
    answers = {row["id"]: row["answer"] for row in rows}
    wrong = {
        answers[name]: (round(float(score), 3), round(float(scores[name.split("-")[0] + "-0"]), 3))
        for name, score in scores.items()
        if not abs(score - scores[name.split("-")[0] + "-0"]) <= 0.05
    }
    # A blank between two Thai names ends a clause where no marker is in between: up to one in eighty differs.
    assert len(wrong) <= (len(rows) // 80 if language == "th" else 0), wrong


PART_OF_A_CLAIM = """
It covers 30 m² of grass.
It was 10^2 in total.
5. Mai 1990 war ein Samstag.
18. ve 19. yüzyıllar boyunca.
Section 3.5 (2012) applies.
It grew by 3-5 % a year.
有两个人在讨论这个问题
We propose M^3RL.
A. Lincoln was born in 1809.
From the garden, one sees the river.
Thank you notes were sent to 40 guests by the clinic, which also paid for the stamps.
x[10000] is the last.
Thanks to penicillin, deaths fell by half.
If you have chest pain, get medical help within 60 minutes.
If there is a fire, call 112 for help.
Tell your doctor if you take aspirin.
Ask your doctor about doses above 40 mg.
Contact us for refunds within 14 days.
Bei der Umfrage gaben 60 % an, zufrieden zu sein.
Bei Unfällen muss man Erste Hilfe leisten.
Fragmente der Handschrift liegen in Wien.
Wenn die Hilfe vor Mai beantragt wird, beträgt sie 500 Euro.
Haben Mieter Fragen, antwortet die Verwaltung binnen 3 Tagen.
Nach Abschnitt 3 steigt der Weg steil an.
Anna (34) ist Ärztin.
Per article, authors receive 200 dollars.
According to Article 5, the tenant pays.
-40 °C equals -40 °F.
–5 °C is the lowest temperature.
.5 mg is the dose.
> 50 % of patients responded.
- 5 °C was measured.
2**10 is 1024.
x lies in [0, 1].
f(2) = 4.
sin²x + cos²x = 1.
It runs in O(log^2 n) time.
P(A|B) is 0.5.
The item (ID 42) is out of stock.
The settings are in the main file (config.json).
The call is __init__.
The train leaves at [12:30].
一、二线城市房价上涨。
三、四月是旺季。
1、2号线停运。
如果有问题，须在7天内退货。
如果需要帮助，请拨打110。
如需了解余额，请拨打95588。
次の停車駅は東京です。
以下の場合は無料です。
もし必要なら薬を1日3回飲んでください。
ほかに必要な書類として住民票を提出してください。
ソースではトマトを使う。
다음은 부산역입니다.
추가 서류가 필요하면 여권을 제출하세요.
근거: 민법 제750조.
이 약은 두통에 도움이 되며 하루 두 번 먹습니다.
Aquí están enterrados los Reyes Católicos.
Dimensiones: 30 x 40 cm.
Cita: 12 de mayo a las 9:00.
Si necesita ayuda, llame al 112.
Si vous avez besoin d'aide, appelez le 15.
Merci de payer avant le 5 mai.
Если вам нужна помощь юриста, она стоит 500 рублей.
Пишите заявление до 5 мая.
إذا كنت مصابا بالسكري فاطلب مساعدة طبية خلال ساعة.
اسأل الطبيب عن جرعة 40 ملغ.
अगर गलत जानकारी दी गई तो 5000 रुपये जुर्माना लगेगा।
यहाँ पर्यटकों को जानकारी मिलती है।
หากต้องการยกเลิก ต้องแจ้งล่วงหน้า 30 วัน
ติดต่อเจ้าหน้าที่ได้ที่หมายเลข 1669
ตามเอกสารแนบ ค่าธรรมเนียมคือ 500 บาท
Sicher.
In document 3 files are listed.
Bei der Umfrage gaben 99 % an, unzufrieden zu sein.
Si quieres ayuda económica, el plazo es el 5 de mayo.
谢谢茶是一种茶
이 제도는 기업에 도움이 되지 않는다
ขอบคุณชาวบ้าน น้ำลดลง 5 เมตร
Вот данные переписи: 5 млн жителей.
Merci de ne pas dépasser 3 g.
30 metros² es el área.
"""


@pytest.mark.parametrize("text", PART_OF_A_CLAIM.strip().splitlines())
def test_what_is_part_of_a_claim_stays(text: str) -> None:
    plain, some = bare(pa.array([text], pa.large_string()))
    assert (plain.to_pylist(), some.tolist()) == ([text], [True])


@pytest.mark.parametrize(
    "text",
    [
        "Here is a summary of the news in 103 words:",
        "Sure! Here are the steps to follow:",
        "以下是三个要点：",
        "Voici les 3 points principaux :",
        "## Opening hours",
        "Source: hours.md",
        "|---|---|",
    ],
)
def test_what_announces_or_heads_an_answer_claims_nothing(text: str) -> None:
    assert bare(pa.array([text], pa.large_string()))[1].tolist() == [False]


def test_no_sentence_of_the_corpora_is_taken_for_a_courtesy() -> None:
    texts = [text for language in NAMED for pair in supported(language) for text in pair]
    plain, some = bare(pa.array(texts, pa.large_string()))
    assert some.all()
    assert plain.to_pylist() == texts


def test_a_sentence_alone_reads_as_among_those_of_all_languages() -> None:
    names = [form.format("x") for forms in NAMED.values() for form in forms]
    courtesies = [part.strip() for form in COURTEOUS.values() for part in form.split("{}")]
    sentences = [*names, *courtesies, *(f"1. **x** `y` | z {mark}." for mark in MARKERS), "# x", "x.^1", "x (1)."]
    alone_ones = ("[x](https://e.org/x)", "[^1]: x", "[1] https://e.org", "```py", "hours.pdf", "www.e.org")
    sentences += [*LISTED, *alone_ones, "Here is the table：", "12. Januar", "12. x", "x.²", "ใช่⁴"]
    plain, some = bare(pa.array(sentences, pa.large_string()))
    alone = [bare(pa.array([sentence], pa.large_string())) for sentence in sentences]
    assert [one.to_pylist()[0] for one, _ in alone] == plain.to_pylist()
    assert [bool(claims[0]) for _, claims in alone] == some.tolist()


@pytest.mark.parametrize("answer", ["Sure!", "**Paris**", "Absolutely."])
def test_a_text_of_which_nothing_is_left_claims_what_it_says(answer: str) -> None:
    rows = [{"id": "a", "answer": answer, "contexts": [f"{answer} It rains."]}]
    result = ragauge.evaluate(rows, "groundedness", resamples=0)
    assert (result.table[0].scored, result.table[0].value) == (1, 1.0)


def test_a_reference_that_is_a_courtesy_is_an_answer() -> None:
    given = {"question": "May I park here?", "references": "Sure!"}
    assert ragauge.score("answer-correctness", answer="Sure!", **given) == 1


def test_evidence_shows_the_sentence_as_it_is_written() -> None:
    rows = [{"id": "a", "answer": "1. It opens at **nine** [1].", "contexts": ["It opens at nine."]}]
    result = ragauge.evaluate(rows, "groundedness", resamples=0, evidence=True)
    assert result.evidence is not None
    (row,) = result.evidence.of(pa.array(["a"])).to_pylist()
    assert row["text"] == "1. It opens at **nine** [1]."


def test_each_mark_and_symbol_is_left_out_at_the_ends() -> None:
    # Surrogates are not characters; from 0x32000 to 0xE0000 there are none.
    chars = [chr(code) for code in (*range(0xD800), *range(0xE000, 0x32000), *range(0xE0000, 0xE0200))]
    texts = pa.array([f"{char}a{char}b{char}" for char in chars], pa.large_string())
    known = [text for text in texts.to_pylist() if category(text[0]) != "Cn"]
    for some in (known, [f"{text}\U0003ffff" for text in known[:9]], ["..", "", " a\v"], ["a"]):
        array = pa.array(some, pa.large_string())
        expected = pc.replace_substring_regex(array, f"^{framing.EDGE}|{framing.EDGE}$", "")
        assert _without_ends(array).equals(expected)
