"""A small corpus in eleven languages: a passage, a question, its answer, and words that point at the passage."""

from __future__ import annotations

from typing import NamedTuple


class Rated(NamedTuple):
    """What a test knows of a language."""

    passage: str
    question: str
    answer: str
    pointing: str


TEXTS: dict[str, Rated] = {
    "zh": Rated(
        "云山茶馆于1990年在寺庙后面的小巷里开业。林婉创办了它，她来自云南。茶馆只供应绿茶和白茶。",
        "云山茶馆的创办人是谁？",
        "林婉",
        "根据这段文字，云山茶馆的创办人是谁？",
    ),
    "ja": Rated(
        "雲山茶館は1990年に寺の裏の路地で開業した。創業者は雲南出身の林婉である。店では緑茶と白茶だけを出す。",
        "雲山茶館を創業したのは誰ですか。",
        "林婉",
        "本文によると、雲山茶館を創業したのは誰ですか。",
    ),
    "ko": Rated(
        "운산 찻집은 1990년 절 뒤 골목에서 문을 열었다. 창업자는 윈난 출신의 린완이다. 가게에서는 녹차와 백차만 판다.",
        "운산 찻집을 세운 사람은 누구입니까?",
        "린완",
        "이 글에 따르면 운산 찻집을 세운 사람은 누구입니까?",
    ),
    "ru": Rated(
        "Чайная «Юньшань» открылась в 1990 году в переулке за храмом. Её основала Линь Вань из Юньнани. "
        "Там подают только зелёный и белый чай.",
        "Кто создал чайную «Юньшань»?",
        "Линь Вань",
        "Кто, согласно тексту, создал чайную «Юньшань»?",
    ),
    "ar": Rated(
        "افتتح بيت شاي يونشان عام 1990 في زقاق خلف المعبد. أسسته لين وان القادمة من يونان. "
        "يقدم الشاي الأخضر والأبيض فقط.",
        "من صاحبة فكرة بيت شاي يونشان؟",
        "لين وان",
        "من أسس بيت شاي يونشان وفقا للنص؟",
    ),
    "hi": Rated(
        "युनशान चाय घर 1990 में मंदिर के पीछे की गली में खुला। इसकी स्थापना युन्नान की लिन वान ने की। "
        "यहाँ केवल हरी और सफेद चाय मिलती है।",
        "युनशान चाय घर किसने शुरू किया?",
        "लिन वान",
        "गद्यांश के अनुसार युनशान चाय घर किसने शुरू किया?",
    ),
    "th": Rated(
        "ร้านน้ำชาหยุนซานเปิดในปี 1990 ในตรอกหลังวัด หลินหว่านจากยูนนานเป็นผู้ก่อตั้ง ร้านขายเฉพาะชาเขียวและชาขาว",
        "ใครตั้งร้านน้ำชาหยุนซานขึ้นมา",
        "หลินหว่าน",
        "ตามบทความนี้ ใครตั้งร้านน้ำชาหยุนซานขึ้นมา",
    ),
    "en": Rated(
        "The Yunshan tea house opened in 1990 in a lane behind the temple. Lin Wan from Yunnan founded it. "
        "It serves only green and white tea.",
        "Who was the founder of the Yunshan tea house?",
        "Lin Wan",
        "According to the passage, who founded the Yunshan tea house?",
    ),
    "de": Rated(
        "Das Teehaus Yunshan öffnete 1990 in einer Gasse hinter dem Tempel. Gegründet hat es Lin Wan aus Yunnan. "
        "Es schenkt nur grünen und weißen Tee aus.",
        "Wer war die Gründerin des Teehauses Yunshan?",
        "Lin Wan",
        "Wer war laut dem Text die Gründerin des Teehauses Yunshan?",
    ),
    "fr": Rated(
        "La maison de thé Yunshan a ouvert en 1990 dans une ruelle derrière le temple. Lin Wan, du Yunnan, l'a fondée. "
        "Elle ne sert que du thé vert et du thé blanc.",
        "Qui est la fondatrice de la maison de thé Yunshan ?",
        "Lin Wan",
        "Qui est, selon le texte, la fondatrice de la maison de thé Yunshan ?",
    ),
    "es": Rated(
        "La casa de té Yunshan abrió en 1990 en un callejón detrás del templo. La fundó Lin Wan, de Yunnan. "
        "Solo sirve té verde y té blanco.",
        "¿Quién es la fundadora de la casa de té Yunshan?",
        "Lin Wan",
        "Según el texto, ¿quién es la fundadora de la casa de té Yunshan?",
    ),
}
LANGUAGES = tuple(TEXTS)
ROWS = [{"id": f"d-{tag}", "text": told.passage, "language": tag} for tag, told in TEXTS.items()]
