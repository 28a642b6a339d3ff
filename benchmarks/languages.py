"""What identical and unrelated texts score, by language, beside three common ways of cutting text.

Run: python benchmarks/languages.py (needs the extra `test`). Prints the table of docs/languages.md.
"""

from __future__ import annotations

import re

from rouge_score.rouge_scorer import RougeScorer

import ragauge

TEXTS = {
    "en": ("The tea house is closed on Mondays.", "Snow fell early in the northern hills."),
    "zh": ("茶馆每周一休息。", "北方山区很早就下雪了。"),
    "zh-Hant": ("茶館每週一休息。", "北方山區很早就下雪了。"),
    "ja": ("茶館は月曜日に休みます。", "北の山では早くも雪が降った。"),
    "ko": ("찻집은 월요일에 쉽니다.", "북쪽 산에는 일찍 눈이 내렸다."),
    "ru": ("Чайная закрыта по понедельникам.", "Снег рано выпал на северных холмах."),
    "ar": ("بيت الشاي مغلق يوم الاثنين.", "تساقط الثلج باكرًا على التلال الشمالية."),
    "hi": ("चायघर सोमवार को बंद रहता है।", "उत्तरी पहाड़ों में जल्दी बर्फ़ गिरी।"),
    "th": ("โรงน้ำชาหยุดทุกวันจันทร์", "หิมะตกเร็วบนภูเขาทางเหนือ"),
    "el": ("Το τεϊοποτείο κλείνει τη Δευτέρα.", "Χιόνισε νωρίς στους βόρειους λόφους."),
    "vi": ("Quán trà nghỉ vào thứ hai.", "Tuyết rơi sớm trên vùng đồi phía bắc."),
}
OURS = ("bleu", "rouge-1", "rouge-l", "chrf", "token-f1", "meteor", "edit-similarity", "exact-match")


def f1(left: list[str], right: list[str]) -> float:
    """F of the tokens that two texts share."""
    shared = sum(min(left.count(token), right.count(token)) for token in set(left))
    return 2 * shared / (len(left) + len(right)) if left and right else 0.0


def ascii_words(text: str) -> list[str]:
    """Cut as torchmetrics 1.9 does: everything but a-z and 0-9 is a space."""
    return re.sub(r"[^a-z0-9]+", " ", text.lower()).split()


def main() -> None:
    scorer = RougeScorer(["rouge1"])
    print(
        "| language | rouge-score | torchmetrics' rule | `split()` | " + " | ".join(f"`{name}`" for name in OURS) + " |"
    )
    print("|---" * (4 + len(OURS)) + "|")
    for language, pair in TEXTS.items():
        cells = []
        for answer in pair:
            reference = pair[0]
            peers = [
                scorer.score(reference, answer)["rouge1"].fmeasure,
                f1(ascii_words(answer), ascii_words(reference)),
                f1(answer.split(), reference.split()),
            ]
            ours = [ragauge.score(name, answer=answer, references=[reference]) for name in OURS]
            cells.append([*peers, *ours])
        print(
            f"| {language} | "
            + " | ".join(f"{same:.2f} / {other:.2f}" for same, other in zip(*cells, strict=True))
            + " |"
        )


if __name__ == "__main__":
    main()
