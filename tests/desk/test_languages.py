"""Headers of questions, answers, passages and ids in eleven languages: read, and proposed by ``ragauge init``."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.formats import peek, read

HEADERS = {
    "en": (
        "question",
        "bot answer",
        "expected answer",
        "found passages",
        "retrieved documents",
        "expected context",
        "gold documents",
    ),
    "zh": ("问题", "回答", "标准答案", "检索到的段落", "检索到的文档", "正确文档", "正确文档"),
    "ja": ("質問", "回答", "正解", "検索された文書", "検索された文書", "正解文書", "正解文書"),
    "ko": ("질문", "답변", "정답", "검색된 문단", "검색된 문서", "정답 문단", "정답 문서"),
    "ru": (
        "вопрос",
        "ответ",
        "правильный ответ",
        "найденные фрагменты",
        "найденные документы",
        "эталонный документ",
        "правильные документы",
    ),
    "ar": (
        "السؤال",
        "الإجابة",
        "الإجابة الصحيحة",
        "المقاطع المسترجعة",
        "المستندات المسترجعة",
        "المقاطع الصحيحة",
        "المستندات الصحيحة",
    ),
    "hi": ("प्रश्न", "उत्तर", "सही उत्तर", "प्राप्त दस्तावेज़", "प्राप्त दस्तावेज़", "सही दस्तावेज़", "सही दस्तावेज़"),
    "th": ("คำถาม", "คำตอบ", "คำตอบที่ถูกต้อง", "เอกสารที่ดึงมา", "เอกสารที่ดึงมา", "เอกสารที่ถูกต้อง", "เอกสารที่ถูกต้อง"),
    "de": (
        "Frage",
        "Antwort",
        "Musterlösung",
        "gefundene Dokumente",
        "gefundene Dokumente",
        "richtige Textstellen",
        "richtige Dokumente",
    ),
    "fr": (
        "question",
        "réponse",
        "réponse attendue",
        "documents trouvés",
        "documents trouvés",
        "contexte attendu",
        "documents attendus",
    ),
    "es": (
        "pregunta",
        "respuesta",
        "respuesta esperada",
        "documentos recuperados",
        "documentos recuperados",
        "contexto esperado",
        "documentos correctos",
    ),
}
PASSAGES = {
    "en": ("Tea is grown in the hills of Yunnan.", "The ferry leaves at nine each day."),
    "zh": ("茶叶种植在云南的山里。", "渡船每天九点出发。"),
    "ja": ("お茶は雲南の山で育てられます。", "船は毎日九時に出ます。"),
    "ko": ("차는 윈난 산지에서 재배됩니다.", "배는 매일 아홉 시에 떠납니다."),
    "ru": ("Чай растёт в горах Юньнани.", "Паром уходит каждый день в девять."),
    "ar": ("يزرع الشاي في جبال يونان.", "تغادر العبارة كل يوم في التاسعة."),
    "hi": ("चाय युन्नान की पहाड़ियों में उगती है।", "नौका रोज़ नौ बजे निकलती है।"),
    "th": ("ชาปลูกบนภูเขาในยูนนาน", "เรือออกทุกวันเวลาเก้าโมง"),
    "de": ("Tee wächst in den Bergen von Yunnan.", "Die Fähre fährt jeden Tag um neun."),
    "fr": ("Le thé pousse dans les montagnes du Yunnan.", "Le bac part chaque jour à neuf heures."),
    "es": ("El té crece en las montañas de Yunnan.", "El barco sale cada día a las nueve."),
}

Rows = list[dict[str, Any]]


def _tables(language: str) -> dict[tuple[str, ...], list[Rows]]:
    """Return known columns -> tables with those alone."""
    question, answer, reference, found, retrieved, right, relevant = HEADERS[language]
    texts = PASSAGES[language]
    ids = [[f"d{row}", "d9"] for row in (0, 1)]
    return {
        ("question", "retrieved", "relevance"): [
            [{question: f"{texts[row]}?", retrieved: ids[row], relevant: [f"d{row}"]} for row in (0, 1)],
            [{question: f"{texts[row]}?", retrieved: f"d{row}, d9", relevant: f"d{row}"} for row in (0, 1)],
            [{question: f"{texts[row]}?", retrieved: [row + 3, 9], relevant: [row + 3]} for row in (0, 1)],
        ],
        ("question", "answer", "references", "contexts"): [
            [{question: f"{one}?", answer: one, found: list(texts), reference: [one]} for one in texts]
        ],
        ("question", "contexts", "reference_contexts"): [
            [{question: f"{one}?", found: list(texts), right: [one]} for one in texts],
            [{question: f"{one}?", found: list(texts), right: one} for one in texts],
        ],
    }


def _written(path: Path, rows: Rows) -> str:
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    else:
        with path.open("w", encoding="utf-8", newline="") as file:
            table = csv.DictWriter(file, list(rows[0]))
            table.writeheader()
            for row in rows:
                lists = {
                    name: json.dumps(one, ensure_ascii=False) for name, one in row.items() if isinstance(one, list)
                }
                table.writerow({**row, **lists})
    return str(path)


@pytest.mark.parametrize("ending", ["jsonl", "csv"])
@pytest.mark.parametrize("language", HEADERS)
def test_columns_are_known_or_guessed(language: str, ending: str, tmp_path: Path) -> None:
    for wanted, tables in _tables(language).items():
        for place, rows in enumerate(tables):
            path = _written(tmp_path / f"{place}.{ending}", rows)
            proposal = peek(path)
            assert {*proposal.known, *proposal.guessed} == {*wanted}, rows
            assert proposal.unused == []
            if "retrieved" in wanted:
                assert {*wanted} <= {*read(path).columns}, "ids need no guess"


@pytest.mark.parametrize("language", HEADERS)
def test_right_passages_are_scored_or_said_to_be_such(language: str, tmp_path: Path) -> None:
    rows = _tables(language)["question", "contexts", "reference_contexts"][1]
    right = HEADERS[language][5]
    result = ragauge.evaluate(_written(tmp_path / "a.csv", rows), resamples=0)
    said = f"{right} (looks like reference_contexts: map={{'reference_contexts': '{right}'}})"
    scored = "hit-rate" in result.metrics and result["hit-rate"].value == 1.0
    assert scored or any(said in note for note in result.data.notes), result.data.notes
