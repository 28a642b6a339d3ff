"""Sentences that say only that the passages do not say, in eleven languages, and others that look alike."""

from __future__ import annotations

import pytest

from ragauge.grounding.declining import unsaid
from ragauge.grounding.evasion import are_evasive, stances

UNSAID = {
    "en": [
        "The passages do not say when the house was built.",
        "The provided context doesn't mention his birthplace.",
        "There is no information about its price in the given documents.",
        "Based on the provided passages, it is not possible to determine the year.",
        "The exact date is not specified in the text.",
        "None of the passages mentions a garden.",
        "I don't know who founded it.",
        "I’m sorry, I cannot answer this question.",
    ],
    "zh": [
        "文中没有提到年份。",
        "所提供的资料并未说明建造时间。",
        "根据给出的文章，无法确定他的出生地。",
        "上下文中没有相关信息。",
        "從這些段落無法得知答案。",
        "抱歉，我不知道。",
    ],
    "ja": [
        "本文には記載がありません。",
        "提供された文書には、建設年に関する情報が含まれていません。",
        "この文章からは分かりません。",
        "資料では価格について言及されていない。",
        "申し訳ありませんが、お答えできません。",
    ],
    "ko": [
        "제공된 문서에는 건축 연도가 언급되어 있지 않습니다.",
        "지문에 그의 출생지에 대한 정보가 없습니다.",
        "주어진 자료만으로는 알 수 없습니다.",
        "본문에서는 가격을 다루지 않는다.",
        "죄송하지만 모르겠습니다.",
    ],
    "ru": [
        "В тексте не указано, когда построили дом.",
        "Предоставленные документы не содержат информации о цене.",
        "В приведённом отрывке ничего не сказано о саде.",
        "На основании данного текста невозможно определить год.",
        "К сожалению, я не знаю.",
    ],
    "ar": [
        "لا يذكر النص تاريخ البناء.",
        "لا توجد معلومات عن السعر في الوثائق المقدمة.",
        "السياق لا يحدد مكان ولادته.",
        "لا يمكن تحديد السنة من النص المعطى.",
        "عذرا، لا أعرف.",
    ],
    "hi": [
        "दिए गए पाठ में निर्माण का वर्ष नहीं बताया गया है, इसका उल्लेख नहीं है।",
        "संदर्भ में इसका उल्लेख नहीं है।",
        "उपलब्ध दस्तावेज़ों में कीमत की जानकारी नहीं है।",
        "इस लेख से वर्ष का पता नहीं चलता।",
        "क्षमा करें, मुझे इसका उत्तर नहीं पता।",
    ],
    "th": [
        "บทความไม่ได้ระบุปีที่สร้าง",
        "ไม่มีข้อมูลเกี่ยวกับราคาในเอกสารที่ให้มา",
        "จากข้อความข้างต้นไม่สามารถระบุปีได้",
        "ขออภัย ฉันไม่ทราบ",
        "ไม่พบข้อมูลนี้ในเอกสาร",
        "ไม่มีข้อมูลในเอกสาร",
    ],
    "de": [
        "Der Text erwähnt das Baujahr nicht.",
        "In den vorliegenden Dokumenten gibt es keine Angaben zum Preis.",
        "Anhand der bereitgestellten Passagen lässt sich das Jahr nicht bestimmen.",
        "Wann das Haus gebaut wurde, wird im Text nicht erwähnt.",
        "Das weiß ich leider nicht.",
    ],
    "es": [
        "El texto no menciona el año de construcción.",
        "No hay información sobre el precio en los documentos proporcionados.",
        "Según el contexto dado, no es posible determinar el año.",
        "Su lugar de nacimiento no se menciona en el pasaje.",
        "Lo siento, no lo sé.",
    ],
    "fr": [
        "Le texte ne mentionne pas l'année de construction.",
        "Il n'y a aucune information sur le prix dans les documents fournis.",
        "D'après les passages donnés, il n'est pas possible de déterminer l'année.",
        "Son lieu de naissance n'est pas précisé dans le texte.",
        "Désolé, je ne sais pas.",
    ],
}

CLAIMS = {
    "en": [
        "The passages do not say when, but the house was built in 1990.",
        "He did not say when the house was built.",
        "The contract does not mention a price.",
        "The text of the law does not mention slavery.",
        "The passage between the islands is not deep.",
        "There is no information desk in the station.",
        "I do not like tea, she said.",
        "The source of the river is not in Peru.",
        "Based on the provided data, the house does not offer rooms.",
        "The seeds open during a fire (Passage 2).",
    ],
    "zh": [
        "文中没有提到年份，但资料显示是1990年。",
        "合同没有提到价格。",
        "他没有说明原因。",
        "宪法文本没有提到奴隶制。",
        "中文不包含字母。",
        "这座房子不是1990年建的。",
    ],
    "ja": [
        "文書には記載がありませんが、1990年に建てられました。",
        "彼は理由を述べていません。",
        "契約書には価格の記載がありません。",
        "この川は深くない。",
        "個人情報は含まれていません。",
    ],
    "ko": [
        "문서에는 언급이 없지만 1990년에 지어졌다.",
        "그는 이유를 설명하지 않았다.",
        "계약서에 가격이 언급되어 있지 않다.",
        "한글은 어렵지 않다.",
    ],
    "ru": [
        "В тексте не указан год, но дом построили в 1990 году.",
        "Он не сказал, когда построили дом.",
        "Договор не содержит цены.",
        "В контракте не указана цена.",
        "Это не так.",
    ],
    "ar": [
        "لا يذكر النص السنة لكن البيت بني عام 1990.",
        "لم يذكر الرجل السبب.",
        "لا يذكر العقد السعر.",
        "ليس النهر عميقا.",
    ],
    "hi": [
        "पाठ में वर्ष का उल्लेख नहीं है, लेकिन घर 1990 में बना था।",
        "उसने कारण नहीं बताया।",
        "अनुबंध में कीमत का उल्लेख नहीं है।",
        "यह नदी गहरी नहीं है।",
    ],
    "th": [
        "บทความไม่ได้ระบุปี แต่บ้านสร้างในปี 1990",
        "เขาไม่ได้บอกเหตุผล",
        "สัญญาไม่ได้ระบุราคา",
        "แม่น้ำไม่ลึก",
    ],
    "de": [
        "Der Text nennt das Jahr nicht, aber das Haus wurde 1990 gebaut.",
        "Er sagte nicht, wann das Haus gebaut wurde.",
        "Der Vertrag erwähnt keinen Preis.",
        "Die Passage ist nicht tief.",
    ],
    "es": [
        "El texto no menciona el año, pero la casa se construyó en 1990.",
        "Él no dijo cuándo se construyó la casa.",
        "El contrato no menciona ningún precio.",
        "El pasaje no es profundo.",
    ],
    "fr": [
        "Le texte ne mentionne pas l'année, mais la maison date de 1990.",
        "Il n'a pas dit quand la maison fut construite.",
        "Le contrat ne mentionne pas de prix.",
        "Le passage n'est pas profond.",
    ],
}


@pytest.mark.parametrize("language", UNSAID)
def test_statements_about_the_passages(language: str) -> None:
    texts = UNSAID[language]
    assert [text for text, holds in zip(texts, unsaid(texts), strict=True) if not holds] == []


@pytest.mark.parametrize("language", CLAIMS)
def test_claims_that_look_alike(language: str) -> None:
    texts = CLAIMS[language]
    assert [text for text, holds in zip(texts, unsaid(texts), strict=True) if holds] == []


def test_equal_texts_and_none() -> None:
    assert unsaid(["A.", "文中没有提到。", "A.", "文中没有提到。"]).tolist() == [False, True, False, True]
    assert unsaid([]).tolist() == []
    assert unsaid(["", " "]).tolist() == [False, False]


EVASIVE = [
    "لا أعرف.",
    "لا توجد معلومات.",
    "मुझे नहीं पता।",
    "जानकारी उपलब्ध नहीं है।",
    "ไม่ทราบ",
    "ไม่มีข้อมูล",
    "Das weiß ich nicht.",
    "Es ist unbekannt.",
    "No lo sé.",
    "Se desconoce.",
    "Je ne sais pas.",
    "On ne sait pas.",
]


@pytest.mark.parametrize("answer", EVASIVE)
def test_evasive_answers(answer: str) -> None:
    assert are_evasive([answer])[0]
    assert not are_evasive([f"{answer} 1990: {'Lin Wan opened the tea house by the river. ' * 4}"])[0]


YES = [
    "Yes", "Yes, twice.", "是的，两次。", "对。", "はい、そうです。", "네, 맞습니다.", "Да, дважды.", "نعم، مرتين.",
    "हाँ, दो बार।", "ใช่",
    "Ja, zweimal.", "Sí, dos veces.", "Oui !",
]  # fmt: skip
NO = [
    "No.", "No, never.", "不是。", "否", "いいえ、違います。", "아니요.", "Нет, никогда.", "لا، أبدا.", "नहीं।", "ไม่ใช่",
    "Nein!", "No, nunca.", "Non, jamais.",
]  # fmt: skip
NEITHER = [
    "No one came.", "Yesterday.", "不是两次，而是三次是对的", "Нет данных о нём", "Ja wohl er kam", "Si viene, bien",
    "", "네 사람", "In no case.",
]  # fmt: skip


def test_stances() -> None:
    for texts, stance in ((YES, 1), (NO, -1), (NEITHER, 0)):
        assert [text for text, found in zip(texts, stances(texts), strict=True) if found != stance] == []


@pytest.mark.parametrize("unit", ["not ", "the passages do not ", "不", "文中没有", "ا لا ", "no information in the "])
def test_long_texts_take_linear_time(unit: str) -> None:
    assert unsaid([unit * 20_000]).shape == (1,)


def test_yes_and_no_stand_in_the_first_40_characters() -> None:
    assert stances([f"{'“' * 37}yes", f"{'“' * 38}yes", f"{' ' * 39}不", f"{' ' * 40}不"]).tolist() == [
        1,
        0,
        -1,
        0,
    ]


@pytest.mark.parametrize(
    ("said", "passed_over"),
    [("the passages do not say {}when", "x"), ("文中没有提到{}年份", "某"), ("в тексте не сказано, {}когда", "г")],
)
def test_a_sentence_of_more_than_600_characters_says_more_than_that_something_is_not_said(
    said: str, passed_over: str
) -> None:
    room = 600 - len(said.format(""))
    assert unsaid([said.format(passed_over * room), said.format(passed_over * (room + 1))]).tolist() == [True, False]


@pytest.mark.parametrize("phrase", ["i do not know", "我不知道"])
def test_an_evasive_answer_has_three_times_the_characters_of_sentences_that_decline_at_most(phrase: str) -> None:
    for said in (phrase, "\n".join([phrase] * 4)):
        room = max(48, 3 * (len(phrase) * (said.count("\n") + 1))) - len(said) - 1
        assert are_evasive([f"{said}\n{'x' * room}"])[0]
        assert not are_evasive([f"{said}\n{'x' * (room + 1)}"])[0]
        assert are_evasive([f"  {said}\n{'x' * room}\n"])[0]
