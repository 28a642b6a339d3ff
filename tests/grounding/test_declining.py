"""Classes of words and the patterns of classes that decline to answer, in each language."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from ragauge.grounding.declining import plain, unsaid, words

DECLINES = {
    "pt": ["O texto não menciona o ano de construção.", "Não sei.", "Nenhuma informação foi encontrada."],
    "it": ["Il testo non menziona l'anno di costruzione.", "Non lo so.", "Non è stata trovata alcuna informazione."],
    "nl": ["De tekst vermeldt het bouwjaar niet.", "Dat weet ik niet.", "Er is geen informatie gevonden."],
    "tr": ["Metinde yapım yılı belirtilmiyor.", "Bilmiyorum.", "Sonuç bulunamadı."],
    "vi": ["Văn bản không nêu năm xây dựng.", "Tôi không biết.", "Không tìm thấy thông tin."],
    "id": ["Teks tidak menyebutkan tahun pembangunannya.", "Saya tidak tahu.", "Tidak ada informasi."],
    "pl": ["Tekst nie podaje roku budowy.", "Nie wiem.", "Nie znaleziono informacji."],
}
CLAIMS = {
    "pt": ["O contrato não menciona o preço.", "O texto não menciona o ano, mas a casa é de 1990."],
    "it": ["Il contratto non menziona il prezzo.", "Il testo non menziona l'anno, ma la casa è del 1990."],
    "nl": ["Het verdrag vermeldt geen prijs.", "De tekst vermeldt het jaar niet, maar het huis is uit 1990."],
    "tr": ["Irmak derin değil.", "Metin yılı belirtmiyor, ama ev 1990'da yapıldı."],
    "vi": ["Hiệp ước không nêu giá.", "Văn bản không nêu năm, nhưng ngôi nhà được xây năm 1990."],
    "id": [
        "Perjanjian damai itu tidak menyebutkan harga.",
        "Teks tidak menyebutkan tahun, tetapi rumahnya dari 1990.",
    ],
    "pl": ["Traktat nie podaje ceny.", "Tekst nie podaje roku, ale dom jest z 1990 roku."],
}


@pytest.mark.parametrize("language", DECLINES)
def test_sentences_that_decline_and_claims_that_look_alike(language: str) -> None:
    for texts, declines in ((DECLINES[language], True), (CLAIMS[language], False)):
        found = unsaid(texts).tolist()
        assert [text for text, one in zip(texts, found, strict=True) if one != declines] == []


def test_a_text_alone_declines_as_among_those_of_all_languages() -> None:
    texts = [text for lists in (DECLINES, CLAIMS) for some in lists.values() for text in some]
    texts += [
        "资料里没有提到。",
        "文書には記載がありません。",
        "문서에 없습니다.",
        "Не знаю.",
        "لا أعرف.",
        "मुझे नहीं पता।",
        "ไม่ทราบ",
    ]
    assert [bool(unsaid([text])[0]) for text in texts] == unsaid(texts).tolist()


def test_18_languages_have_the_same_classes() -> None:
    languages = [lists for lists in words().values() if "sources" in lists]
    assert len(languages) == 18
    assert {tuple(name for name in lists if name not in ("being", "foreign")) for lists in languages} == {
        tuple(name for name in languages[0] if name != "being")
    }


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("資料裡沒有說明年份。", "资料里没有说明年份。"),
        ("В приведённом тексте это не указано.", "В приведенном тексте это не указано."),
        ("दस्तावेज़ों में उल्लेख नहीं है।", "दस्तावेजों में उल्लेख नहीं है।"),
        ("الإجابة غير موجودة في النصّ.", "الاجابة غير موجودة في النص."),
        ("I don’t know.", "I don't know."),
    ],
)
def test_spellings_count_as_one(text: str, other: str) -> None:
    assert plain(text) == plain(other)
    assert unsaid([text])[0]
    assert unsaid([other])[0]


@pytest.mark.parametrize(
    ("text", "declines"),
    [
        ("The documents make no reference to a minimum age.", True),
        ("The passages state that the house was not built before 1800.", False),
        ("The database stores no personal data of customers.", False),
        ("Der Artikel geht auf die Bedingungen der Fusion nicht ein.", True),
        ("Den Passagen zufolge wurde das Haus nicht vor 1800 gebaut.", False),
        ("El artículo no entra en las condiciones de la fusión.", True),
        ("Los pasajes indican que la casa no se construyó antes de 1800.", False),
        ("No halló pruebas de vida en la Luna, según la NASA y sus expertos de la época.", False),
        ("检索到的内容与问题无关。", True),
        ("资料显示这座房子不是1800年以前建的。", False),
        ("該部委的報告沒有點名這家公司。", False),
        ("Dokumenty nie odnoszą się do minimalnego wieku.", True),
    ],
)
def test_what_passages_lack_and_what_they_state(text: str, declines: bool) -> None:
    assert unsaid([text])[0] == declines


@pytest.mark.parametrize(
    ("text", "declines"),
    [
        ("The lease doesn't say whether pets are allowed.", True),
        ("The contract does not mention a price.", False),
        ("Whether this applies to part-time staff is not stated.", True),
        ("Keines der beiden Dokumente nennt den Schmelzpunkt der Legierung.", True),
        ("菜谱没说要烤多久。", True),
        ("合同没有规定承租人的最后期限。", False),
        ("契約書にはペットについての記載がありませんでした。", True),
        ("계약서에 반려동물에 관한 내용이 없습니다.", True),
        ("Im Mietvertrag steht nicht, ob Haustiere erlaubt sind.", True),
        ("Der Vertrag nennt keine Frist für den Mieter.", False),
        ("La receta no dice cuánto tiempo hay que hornearlo.", True),
        ("Il n'a pas dit quand la maison fut construite.", False),
        ("В рецепте не написано, сколько его печь.", True),
        ("لا تقول الوصفة كم من الوقت يخبز.", True),
        ("रेसिपी में नहीं लिखा है कि कितनी देर बेक करना है।", True),
        ("สูตรไม่ได้บอกว่าต้องอบนานเท่าไร", True),
    ],
)
def test_a_paper_of_every_day_does_not_say_whether(text: str, declines: bool) -> None:
    assert unsaid([text])[0] == declines


@pytest.mark.parametrize(
    "claim",
    [
        "O texto no documento pode ser impresso em cores.",
        "No menu do relatório você encontra as informações sobre o texto.",
        "Если этот текст изменить, по умолчанию документ станет открытым.",
        "La impresora únicamente dibuja el texto en color.",
        "तालिका में सिर्फ एक स्तंभ का पाठ दिखता है।",
        "Le texte du document est animé mot par mot.",
    ],
)
def test_words_that_deny_in_another_use_or_language_are_in_claims(claim: str) -> None:
    assert not unsaid([claim])[0]


@pytest.mark.parametrize(
    "text",
    [
        "No information on parking fees was found.",
        "Unfortunately, no details about the refund could be found.",
        "未找到与停车费相关的信息。",
        "抱歉，没有检索到有关退款的内容。",
        "駐車料金に関する情報は見つかりませんでした。",
        "날짜는 문서에 없습니다.",
        "Leider wurden keine Informationen zu den Parkgebühren gefunden.",
        "No se encontró información sobre las tarifas.",
        "Aucune information sur le parking n'a été trouvée.",
        "Não foram encontradas informações sobre as taxas.",
        "Non sono state trovate informazioni sulle tariffe.",
        "Er is geen informatie gevonden over parkeerkosten.",
        "Информация о стоимости парковки не найдена.",
        "لم يتم العثور على معلومات حول رسوم الوقوف.",
        "पार्किंग शुल्क के बारे में कोई जानकारी नहीं मिली।",
        "ไม่พบข้อมูลเกี่ยวกับค่าจอดรถ",
        "Otopark ücreti hakkında bilgi bulunamadı.",
        "Không tìm thấy thông tin về phí đỗ xe.",
        "Tidak ditemukan informasi tentang biaya parkir.",
        "Nie znaleziono informacji o opłatach za parking.",
        "目前没有关于该型号电池的信息。",
        "所给段落均未涉及合并的完成时间。",
        "文中并未给出合并的日期。",
        "提供されたコンテキストだけでは判断できかねます。",
        "著者の年齢を特定できる情報がありません。",
        "보증 기간에 대한 정보가 없습니다.",
        "Il n'est fait nulle part mention de l'âge de l'auteur.",
        "Релевантной информации не найдено.",
        "This falls outside my area of knowledge.",
        "Cela dépasse mes connaissances.",
        "私の知識の範囲外です。",
    ],
)
def test_what_was_not_found_needs_no_passages(text: str) -> None:
    assert unsaid([text])[0]


@pytest.mark.parametrize(
    "claim",
    [
        "The committee said that no information on the losses was given to the owners.",
        "警方没有找到凶器。",
        "Die Behörde gab an, dass keine Daten verkauft wurden.",
        "Le club n'a trouvé aucun entraîneur.",
    ],
)
def test_who_finds_nothing_in_the_world_claims_it(claim: str) -> None:
    assert not unsaid([claim])[0]


@pytest.mark.parametrize(
    ("name", "bounds"),
    [
        ("three", {"passages": (0.95, 1.0), "speaker": (0.92, 1.0), "claim": (0.0, 0.06)}),
        ("four", {"passages": (0.84, 1.0), "speaker": (0.92, 1.0), "claim": (0.0, 0.06)}),
        ("five", {"passages": (0.9, 1.0), "speaker": (0.86, 1.0), "other": (0.86, 1.0), "claim": (0.0, 0.07)}),
        ("nine", {"passages": (0.95, 1.0), "speaker": (0.95, 1.0), "other": (0.86, 1.0), "claim": (0.0, 0.01)}),
    ],
)
def test_lists_of_refusals_are_recognised(name: str, bounds: dict[str, tuple[float, float]]) -> None:
    path = Path(__file__).parents[2] / f"corpora/refusals/{name}.jsonl"
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    found = unsaid([row["text"] for row in rows])
    for kind, (least, most) in bounds.items():
        share = found[[row["kind"] == kind for row in rows]].mean()
        assert least <= share <= most


@pytest.mark.parametrize(
    ("text", "declines"),
    [
        ("The lab report doesn't list a vitamin D value.", False),
        ("Your lab report doesn't list a vitamin D value.", True),
        ("The policy says nothing about refunds.", False),
        ("Der Bericht geht auf die finanziellen Bedingungen nicht näher ein.", False),
        ("В вакансии зарплата не обозначена.", False),
        ("化验单上没有维生素D的数值。", False),
        ("검사 결과지에 비타민 D 수치가 없습니다.", False),
        ("メールには会議の開始時刻が書いてありませんでした。", False),
        ("لا يفصل التقرير الشروط المالية.", False),
        ("लैब रिपोर्ट में विटामिन डी का मान नहीं है।", False),
        ("ผลตรวจไม่มีค่าวิตามินดี", False),
    ],
)
def test_a_paper_by_its_name_alone_that_lacks_a_thing_is_described(text: str, declines: bool) -> None:
    assert unsaid([text])[0] == declines


def test_few_texts_and_many_are_read_alike() -> None:
    texts = [text for lists in (DECLINES, CLAIMS) for some in lists.values() for text in some]
    many = unsaid([*texts, *(f"{number}" for number in range(100))])
    # The first calls with few texts take one library for patterns, later ones another.
    alone = [[bool(unsaid([text])[0]) for text in texts] for _ in range(2)]
    assert alone == [many[: len(texts)].tolist()] * 2


@pytest.mark.parametrize("unit", ["not ", "documents not ", "没有", "文档", "no sé ", "nicht gut ", "ا لا ", "मैं "])
def test_each_text_takes_bounded_time(unit: str) -> None:
    texts = [unit * (600 // len(unit) - place) for place in range(20)]
    unsaid(texts)
    begun = time.process_time()
    unsaid(texts)
    assert time.process_time() - begun < 1
