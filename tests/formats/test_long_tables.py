"""Tables with one document a row."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge import languages
from ragauge.errors import ColumnError, DataError
from ragauge.formats import read
from ragauge.formats.column_names import folded
from ragauge.formats.long_tables import one_document_a_row

ROWS = [
    {"question": "谁？", "Doc ID": "d2", "score": 0.1},
    {"question": "谁？", "Doc ID": "d1", "score": 0.9},
]


def _codes(said: str) -> list[str]:
    """Return the lines of code in a message, in order."""
    return re.findall(r"[iI]n pandas: (.*?); then score samples.jsonl", said)


def _scored_after(said: str, frame: Any, metric: str, monkeypatch: pytest.MonkeyPatch, folder: Path) -> float | None:
    """Return the score of the samples that the code in a note or an error makes of ``frame``."""
    monkeypatch.chdir(folder)
    [first, *_] = _codes(said)
    exec(first, {"frame": frame})  # noqa: S102 - what the user would type
    return ragauge.evaluate("samples.jsonl", metric, resamples=0)[metric].value


def test_headers_of_documents_are_written_as_they_are_compared() -> None:
    names = " ".join(languages.table("columns")["documents"].values()).split()
    assert names == [folded(name) for name in names]


def test_the_error_says_what_to_type() -> None:
    with pytest.raises(ColumnError, match=r"frame.sort_values\('score', ascending=False, kind='stable'\)"):
        ragauge.evaluate(ROWS, "mrr")
    other = [{"qid": row["question"], "retrieved_doc_id": row["Doc ID"], "is_relevant": 1} for row in ROWS]
    with pytest.raises(DataError, match=r"retrieved=\('retrieved_doc_id', list\), relevance=\('is_relevant', list\)"):
        ragauge.evaluate(other, "mrr")
    with pytest.raises(DataError, match=r"a row is one document \(Doc ID\).*groupby\(\['qid', 'question'\]"):
        ragauge.evaluate([{"qid": row["question"], **row} for row in ROWS], "mrr")


def test_passages_of_one_answer_in_several_rows_have_a_note_with_code_that_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"question": "谁？", "answer": "林婉", "chunk text": "林婉种茶。", "reference": "林婉"},
        {"question": "谁？", "answer": "林婉", "chunk text": "树是绿的。", "reference": "林婉"},
        {"question": "何时？", "answer": "1990", "chunk text": "1990年。", "reference": "1991"},
    ]
    mapping = {"contexts": "chunk text"}

    def noted(rows: list[dict[str, str]]) -> list[str]:
        pandas.DataFrame(rows).to_csv(tmp_path / "rows.csv", index=False)
        notes = read(tmp_path / "rows.csv", mapping=mapping).notes
        return [note for note in notes if "each row counts as a sample" in note]

    [note] = noted(rows)
    assert note.startswith("1 answer is in several rows, with one passage each")
    assert _scored_after(note, pandas.DataFrame(rows), "exact-match", monkeypatch, tmp_path) == 0.5
    for same in (rows[1:], [rows[0], rows[0]], [{**row, "chunk text": "茶"} for row in rows]):
        assert noted(same) == []


def test_other_tables_have_no_such_advice() -> None:
    assert one_document_a_row({"question": ["a", "b"], "doc_id": ["d1", "d2"]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "doc_id": [["d1"], ["d2"]]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "id": ["d1", "d2"]}, "question") is None
    assert one_document_a_row({"question": ["a", "a"], "passage": ["c", "d"]}, "question") is None
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate([{"question": "a", "doc_id": "d1"}, {"question": "b", "doc_id": "d1"}], "mrr")
    assert "In pandas" not in str(caught.value)


def test_rows_that_repeat_an_answer_have_a_note() -> None:
    rows = [{"question": "谁？", "answer": "林婉", "rank": rank} for rank in (1, 2)]
    [note] = read(rows).notes
    assert note.startswith("1 row repeats the question and the answer of another one, and each row counts as a sample")
    assert read([{**row, "id": str(row["rank"])} for row in rows]).notes == ()
    assert read([{**row, "repeat": row["rank"]} for row in rows]).notes == ()
    assert read([rows[0], {"question": "何时？", "answer": "林婉"}]).notes == ()


@pytest.mark.parametrize(
    "table",
    [
        "question_id,doc_id,score,label\n1,d2,.5,0\n1,d1,.9,1\n2,д3,.9,0\n2,д4,.8,1\n",
        "user_query,passage,is_relevant\n谁？,茶。,1\n谁？,树。,0\nКто?,Лес.,0\nКто?,Чай.,1\n",
        "คำถาม,doc_id,ลำดับ,เกี่ยวข้อง\nก,d2,2,0\nก,d1,1,1\nข,d3,1,0\nข,d4,2,1\n",
        "вопрос,doc_id,позиция,релевантность\nЧто?,d2,2,0\nЧто?,d1,1,1\nКто?,д3,1,0\nКто?,д4,2,1\n",
        "質問,doc_id,検索順位,関連\n何？,d2,2,0\n何？,d1,1,1\n誰？,д3,1,0\n誰？,д4,2,1\n",
        "السؤال,doc_id,الرتبة,ذو صلة\nما؟,d2,2,0\nما؟,d1,1,1\nمن؟,д3,1,0\nمن؟,д4,2,1\n",
        "question_id,doc_id,점수,gold_doc\n1,d2,.5,d1\n1,d1,.9,d1\n2,д3,.9,д4\n2,д4,.8,д4\n",
    ],
)
def test_a_table_of_ids_or_of_passages_is_answered_with_code_that_works(
    table: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text(table, encoding="utf-8")
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate(path, "mrr", resamples=0)
    assert _scored_after(str(caught.value), pandas.read_csv(path), "mrr", monkeypatch, tmp_path) == 0.75


@pytest.mark.parametrize(
    ("table", "mapping"),
    [
        (
            "id,question,context,answer,reference\n1,谁？,茶。,a,a\n1,谁？,树。,a,a\n2,Кто?,Чай.,b,\n",
            {"contexts": "context"},
        ),
        ("question,chunk,rank,answer,reference\n谁？,树。,2,a,a\n谁？,茶。,1,a,a\nКто?,Чай.,1,b,\n", {}),
        ("질문,문서,순위,점수,답변,정답\n谁？,树。,2,.1,a,a\n谁？,茶。,1,.2,a,a\nКто?,Чай.,1,.3,b,\n", {}),
        ("question,chunk,スコア,answer,reference\n谁？,树。,.2,a,a\n谁？,茶。,.9,a,a\nКто?,Чай.,.1,b,\n", {}),
        ("question,document,answer,reference\n谁？,茶。,a,a\n谁？,树。,a,a\nКто?,Чай.,b,\n", {}),
    ],
)
def test_an_id_or_an_answer_repeated_for_each_passage(
    table: str, mapping: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text(table, encoding="utf-8")
    try:
        [said] = [note for note in read(path, mapping=mapping).notes if "each row counts" in note]
    except DataError as error:
        said = str(error)
    assert "1 answer is in several rows" in said
    frame = pandas.read_csv(path)
    assert _scored_after(said, frame, "exact-match", monkeypatch, tmp_path) == 1.0
    batches = list(read("samples.jsonl").batches())
    assert [row for batch in batches for row in batch.column("contexts").to_pylist()] == [["茶。", "树。"], ["Чай."]]


@pytest.mark.parametrize("documents", [("retrieved_ids", "relevant_ids"), ("contexts", "reference_contexts")])
@pytest.mark.parametrize("question", ["question", "질문", "вопрос"])
def test_a_question_in_a_row_for_each_document_has_a_note_with_code_that_works(
    documents: tuple[str, str], question: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    found, right = documents
    rows = [("a", "tea one", "tea two", 2), ("a", "tea two", "tea two", 1), ("b", "tea six", "tea six", 1)]
    frame = pandas.DataFrame(rows, columns=[question, found, right, "rank"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    [note] = [one for one in read(tmp_path / "rows.csv").notes if "in several rows, with one document each" in one]
    assert note.startswith(f"1 question is in several rows, with one document each ({found}), and each row counts as")
    monkeypatch.chdir(tmp_path)
    eval(note.partition("in pandas: ")[2].partition("; then score")[0], {"frame": frame})  # noqa: S307 - our own code
    ranked = ragauge.evaluate("samples.jsonl", "mrr")
    assert (ranked["mrr"].value, ranked["mrr"].total) == (1.0, 2)


def test_questions_that_are_asked_again_and_found_alike_have_no_such_note() -> None:
    rows = [{"question": "a", "retrieved": ["d1"], "relevance": {"d1": 1}}] * 2
    assert not [one for one in read(rows).notes if "one document each" in one]


_LONG = [("q1", "?", "d1", 1), ("q1", "?", "d2", 0), ("q2", "?", "d3", 0), ("q2", "?", "d4", 1)]
"""Two questions in the same words: the id of a question, the question, a document, and its grade."""


@pytest.mark.parametrize(
    ("asked", "document", "grade"),
    [
        ("问题编号", "文档编号", "相关性"),
        ("質問ID", "文書ID", "関連度"),
        ("질문 ID", "문서 ID", "관련도"),
        ("معرف السؤال", "معرف المستند", "الصلة"),
        ("प्रश्न आईडी", "दस्तावेज़ आईडी", "प्रासंगिकता"),
        ("รหัสคำถาม", "รหัสเอกสาร", "ความเกี่ยวข้อง"),
        ("ID вопроса", "ID документа", "Релевантность"),
        ("Frage-ID", "Dokument-ID", "Relevanz"),
        ("ID de la question", "ID du document", "Pertinence"),
        ("ID de la pregunta", "ID del documento", "Relevancia"),
        ("question_id", "doc_id", "grade"),
    ],
)
def test_questions_of_the_same_words_stay_apart_by_their_id(
    asked: str, document: str, grade: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(_LONG, columns=[asked, "question", document, grade])
    with pytest.raises((ColumnError, DataError), match="a row is one document") as error:
        ragauge.evaluate(frame, "mrr")
    assert _scored_after(str(error.value), frame, "mrr", monkeypatch, tmp_path) == 0.75


@pytest.mark.parametrize(
    ("name", "best"), [("distance", 0), ("距離", 0), ("Distanz", 0), ("Ähnlichkeit", 9), ("score", 9)]
)
def test_documents_are_ordered_by_distance_or_likeness(
    name: str, best: float, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [
        {"question": "谁？", "doc_id": one, name: far, "relevant": int(far == best)}
        for one, far in (("d1", 5), ("d2", best))
    ]
    frame = pandas.DataFrame(rows)
    with pytest.raises(ColumnError, match="a row is one document") as error:
        ragauge.evaluate(frame, "mrr")
    assert _scored_after(str(error.value), frame, "mrr", monkeypatch, tmp_path) == 1


def test_an_id_of_the_question_hides_no_passages_in_several_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    names = ["question_id", "question", "chunk", "score", "answer", "reference"]
    rows = [
        (1, "?", "red tea", 0.2, "A", "A"),
        (1, "?", "green tea", 0.9, "A", "A"),
        (2, "?", "blue tea", 0.5, "A", "B"),
    ]
    frame = pandas.DataFrame(rows, columns=names)
    [note] = [one for one in read(frame).notes if "each row counts as a sample" in one]
    assert _scored_after(note, frame, "exact-match", monkeypatch, tmp_path) == 0.5
    # Answers that were given several times have the id too, and no passages.
    again = frame.drop(columns=["chunk", "score"])
    assert not [one for one in read(again).notes if "repeat" in one]


def test_grades_of_passages_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("茶?", "Passage of many words one", 0, "A"), ("茶?", "Passage of many words two", 2, "A")]
    frame = pandas.DataFrame(rows, columns=["question", "document", "relevance", "answer"])
    frame.to_csv(tmp_path / "rows.csv", index=False)
    [note] = [one for one in read(tmp_path / "rows.csv").notes if "in several rows" in one]
    assert _scored_after(note, frame, "mrr", monkeypatch, tmp_path) == 0.5


def test_answers_of_several_systems_do_not_repeat() -> None:
    rows = [
        {"question": question, "model": model, "answer": "a", "reference": "a"} for question in "qr" for model in "AB"
    ]
    assert not [one for one in read(rows).notes if "repeat" in one]
    assert [one for one in read([row | {"model": "A"} for row in rows]).notes if "rows repeat" in one]


@pytest.mark.parametrize("name", ["qid", "id", "问题ID"])
def test_an_id_that_repeats_with_other_passages_is_one_answer(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    names = [name, "question", "chunk", "score", "answer", "reference"]
    rows = [
        (1, "?", "red tea", 0.2, "A", "A"),
        (1, "?", "green tea", 0.9, "A", "A"),
        (2, "?", "blue tea", 0.5, "A", "B"),
    ]
    frame = pandas.DataFrame(rows, columns=names)
    with pytest.raises(DataError, match="is already that of row 1") as error:
        read(frame)
    assert "drop_duplicates" not in str(error.value)
    assert _scored_after(str(error.value), frame, "exact-match", monkeypatch, tmp_path) == 0.5


@pytest.mark.parametrize(
    ("header", "fields", "listed"),
    [
        ("相关度", "2 0 1", "relevance=('相关度', list)"),
        ("相关度", "20 0 10", "相关度=('相关度', list)"),
        ("相关性", ".92 .81 .7", "相关性=('相关性', list)"),
        ("相关性", "2 0 1", "relevance=('相关性', list)"),
        ("relevance_score", ".9 .8 .7", "relevance_score=('relevance_score', list)"),
        ("관련도", "1 0 1", "relevance=('관련도', list)"),
        ("релевантность", "0.9 0.8 0.7", "релевантность=('релевантность', list)"),
    ],
)
def test_how_well_a_document_fits_is_a_list_and_a_grade_only_without_fractions(
    header: str, fields: str, listed: str
) -> None:
    rows = [
        {"question": question, "doc_id": name, "rank": rank, header: field}
        for (question, name, rank), field in zip(
            [("a", "d1", "1"), ("a", "d2", "2"), ("b", "d3", "1")], fields.split(), strict=True
        )
    ]
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate(rows, "mrr")
    assert f"agg(retrieved=('doc_id', list), {listed})" in str(caught.value)


def test_topics_are_questions_where_they_are_ids() -> None:
    for name in ("topic", "主题", "тема", "الموضوع", "หัวข้อ"):
        ids = {name: ["301", "301", "302"], "doc_id": ["d1", "d2", "d1"]}
        assert one_document_a_row(ids, None) == (name, "doc_id")
        assert one_document_a_row({**ids, name: ["tea", "tea", "jam"]}, None) is None


def test_an_id_of_each_row_is_no_key_of_an_answer() -> None:
    rows = [{"qid": row, "question": "a", "answer": "b", "contexts": [text]} for row, text in enumerate("xyz", 1)]
    [note] = read(rows).notes
    assert "groupby(['question', 'answer']" in note


TEXTS = [
    *[
        ("9%", "85%"),
        ("9 %", "85 %"),
        ("0,1", "0,95"),
        ("9,5", "10,5"),
        ("0.5 pts", "10 pts"),
        ("٠٫١", "٠٫٩"),
        ("９", "１０"),
    ],
    *[("−0.9", "−0.1"), ("999", "1,234"), ("1e-3", "2e-1"), ("9点", "10点")],
]
"""The worse and the better of two scores, whose order as texts is the other or that of no number."""


@pytest.mark.parametrize(("worse", "better"), TEXTS)
@pytest.mark.parametrize("header", ["score", "スコア", "similarity"])
def test_scores_that_are_texts_are_ordered_as_numbers(
    header: str, worse: str, better: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("a", "d1", worse, 0), ("a", "d2", better, 1)]
    names = ["question", "doc_id", header, "relevant"]
    pandas.DataFrame(rows, columns=names).to_csv(tmp_path / "rows.csv", index=False)
    for source in (tmp_path / "rows.csv", pandas.DataFrame(rows, columns=names)):
        with pytest.raises(ColumnError) as error:
            ragauge.evaluate(source, "mrr")
        frame = pandas.read_csv(source) if isinstance(source, Path) else source
        assert _scored_after(str(error.value), frame, "mrr", monkeypatch, tmp_path) == 1
        assert len(_codes(str(error.value))) == 1


@pytest.mark.parametrize(
    ("header", "first", "second"),
    [
        *[
            ("rank", "#2", "#10"),
            ("순위", "2위", "10위"),
            ("место", "2-е", "10-е"),
            ("distance", "9,5", "10,5"),
            ("順位", "2位", "10位"),
        ],
        *[
            ("名次", "第2名", "第10名"),
            ("الرتبة", "٢", "١٠"),
            ("रैंक", "2.", "10."),
            ("อันดับ", "ที่ 2", "ที่ 10"),
            ("Rang", "2.", "10."),
        ],
    ],
)
def test_ranks_and_distances_that_are_texts_are_ordered_as_numbers(
    header: str, first: str, second: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    names = ["question", "doc_id", header, "relevant"]
    pandas.DataFrame([("a", "d1", second, 0), ("a", "d2", first, 1)], columns=names).to_csv(
        tmp_path / "a.csv", index=False
    )
    with pytest.raises(ColumnError) as error:
        ragauge.evaluate(tmp_path / "a.csv", "mrr")
    frame = pandas.read_csv(tmp_path / "a.csv")
    assert _scored_after(str(error.value), frame, "mrr", monkeypatch, tmp_path) == 1


@pytest.mark.parametrize(("worse", "better"), [("low", "high"), ("5", "85%"), ("3/10", "4/10"), ("B", "A")])
def test_scores_that_are_no_numbers_are_named(
    worse: str, better: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        [("a", "d1", worse, 0), ("a", "d2", better, 1)], columns=["question", "doc_id", "score", "relevant"]
    )
    with pytest.raises(
        ColumnError, match=r"score is not read as numbers, as in '.*'; if it ranks the documents, sort"
    ) as error:
        ragauge.evaluate(frame, "mrr")
    assert "sort_values" not in str(error.value)
    assert _scored_after(str(error.value), frame, "mrr", monkeypatch, tmp_path) == 0.5


POINTS = [
    "оценка",
    "评分",
    "評価",
    "점수",
    "التقييم",
    "मूल्यांकन",
    "คะแนน",
    "Bewertung",
    "score",
    "スコア",
    "得分",
    "puntuación",
    "रेटिंग",
]
RANKS = ["место", "排名", "順位", "순위", "الرتبة", "रैंक", "อันดับ", "Rang", "rank", "ランク", "名次", "posición", "क्रम"]


@pytest.mark.parametrize(("points", "rank"), list(zip(POINTS, RANKS, strict=True)))
def test_points_are_grades_beside_a_rank_scores_with_fractions_and_else_a_question(
    points: str, rank: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")

    def said(columns: dict[str, list[Any]]) -> tuple[str, Any]:
        frame = pandas.DataFrame({"question": ["a", "a", "a"], "doc_id": ["d1", "d2", "d3"], **columns})
        with pytest.raises(ColumnError) as error:
            ragauge.evaluate(frame, "mrr")
        return str(error.value), frame

    # Whole numbers to 4 beside a rank: grades, ordered by the rank.
    asked, frame = said({points: [0, 3, 0], rank: [3, 2, 1]})
    assert len(_codes(asked)) == 1
    assert _scored_after(asked, frame, "mrr", monkeypatch, tmp_path) == 0.5
    # Fractions, or another column with the grade: scores.
    asked, frame = said({points: [0.1, 0.5, 0.9], "relevant": [1, 0, 0]})
    assert _scored_after(asked, frame, "mrr", monkeypatch, tmp_path) == 1 / 3
    asked, frame = said({points: [1, 2, 3], "relevant": [1, 0, 0]})
    assert (_scored_after(asked, frame, "mrr", monkeypatch, tmp_path), len(_codes(asked))) == (1 / 3, 1)
    # Else either; both lines work.
    asked, frame = said({points: [0, 0, 3]})
    assert f"{points} was taken for a score, which orders the documents; if it is the relevance grade" in asked
    as_score, as_grade = _codes(asked)
    assert f"sort_values('{points}', ascending=False" in as_score
    monkeypatch.chdir(tmp_path)
    exec(as_grade, {"frame": frame})  # noqa: S102 - what the user would type
    assert ragauge.evaluate("samples.jsonl", "mrr", resamples=0)["mrr"].value == 1 / 3
    exec(as_score, {"frame": frame})  # noqa: S102 - what the user would type
    # Two columns of whole numbers above 4: the first orders, and is said to be unclear.
    asked, _ = said({points: [9, 12, 30]})
    assert len(_codes(asked)) == 2


def test_points_of_passages_are_asked_for_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"question": ["茶?", "茶?"], "chunk": ["red tea here", "green tea there"], "评分": [0, 3], "answer": ["A", "A"]}
    )
    [note] = [one for one in read(frame).notes if "in several rows" in one]
    as_score, as_grade = _codes(note)
    monkeypatch.chdir(tmp_path)
    for code, context in (
        (as_score, ["green tea there", "red tea here"]),
        (as_grade, ["red tea here", "green tea there"]),
    ):
        exec(code, {"frame": frame})  # noqa: S102 - what the user would type
        [row] = next(iter(read("samples.jsonl").batches())).table().to_pylist()
        assert row["contexts"] == context
    assert "'grade': 3.0" in str(row["relevance"])


@pytest.mark.parametrize(
    ("header", "no", "yes"),
    [
        ("question,doc_id,rank,relevant", "no", "yes"),
        ("question,doc_id,rank,gold", "irrelevant", "relevant"),
        ("question,doc_id,rank,correct", "0", "1"),
        ("question,doc_id,rank,label", "low", "high"),
        ("Frage,doc_id,Rang,Relevanz", "nein", "Ja"),
        ("问题,文档编号,排名,相关", "否", "是"),
        ("问题,文档编号,排名,相关度", "0", "2"),
        ("问题,文档编号,排名,相关度", "低", "高"),
        ("質問,文書ID,順位,正解", "いいえ", "はい"),
        ("質問,文書ID,順位,関連度", "低", "高"),
        ("질문,문서 ID,순위,정답", "아니오", "예"),
        ("вопрос,id документа,ранг,релевантный", "нет", "да"),
        ("السؤال,معرف المستند,الترتيب,صحيح", "لا", "نعم"),
        ("प्रश्न,दस्तावेज़ आईडी,क्रम,सही", "नहीं", "हाँ"),
        ("คำถาม,รหัสเอกสาร,ลำดับ,ถูกต้อง", "ไม่ใช่", "ใช่"),
        ("question,passage,rank,gold", "no", "yes"),
        ("질문,문단,순위,정답", "0", "1"),
    ],
)
@pytest.mark.parametrize("is_merged", [False, True])
def test_labels_are_grades_and_merged_questions_are_filled(
    header: str, no: str, yes: str, is_merged: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pandas = pytest.importorskip("pandas")
    rows = [("a", "d2", 2, no), ("a", "d1", 1, yes), ("b", "d3", 1, no), ("b", "d4", 2, yes)]
    fields = [("" if is_merged and place % 2 else question, *rest) for place, (question, *rest) in enumerate(rows)]
    path = tmp_path / "table.csv"
    path.write_text("\n".join([header, *(",".join(map(str, one)) for one in fields)]), encoding="utf-8")
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate(path, "mrr", resamples=0)
    said = str(caught.value)
    assert (".ffill()" in said) == is_merged
    assert ("its words are read as these grades" in said) == (not yes.isdigit())
    assert _scored_after(said, pandas.read_csv(path), "mrr", monkeypatch, tmp_path) == 0.75


def test_merged_answers_are_filled_within_their_question(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text(
        "질문,답변,문단\n가?,차,녹차는 차의 한 종류이다\n,,물은 차다\n나?,,산은 높고 물은 깊다\n,,차\n",
        encoding="utf-8",
    )
    [note] = [one for one in read(path, mapping={"contexts": "문단"}).notes if "each row counts" in one]
    assert note.startswith("1 answer is in several rows")
    path.write_text(
        "질문,답변,문단\n가?,차,녹차는 차의 한 종류이다\n,,물은 차다\n나?,물,산은 높고 물은 깊다\n,,차\n",
        encoding="utf-8",
    )
    [note] = [one for one in read(path, mapping={"contexts": "문단"}).notes if "each row counts" in one]
    assert note.startswith("2 answers are in several rows")
    assert _scored_after(note, pandas.read_csv(path), "groundedness", monkeypatch, tmp_path) is not None
    rows = next(iter(read("samples.jsonl").batches()))
    assert rows.column("answer").to_pylist() == ["차", "물"]
    assert rows.column("contexts").to_pylist() == [
        ["녹차는 차의 한 종류이다", "물은 차다"],
        ["산은 높고 물은 깊다", "차"],
    ]


def test_an_id_in_its_first_row_alone_is_filled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text("qid,doc_id,label\n1,d2,no\n,d1,yes\n2,d3,yes\n,d4,no\n", encoding="utf-8")
    with pytest.raises(DataError, match="has no id, but other rows have one") as caught:
        read(path)
    assert _scored_after(str(caught.value), pandas.read_csv(path), "mrr", monkeypatch, tmp_path) == 0.75


@pytest.mark.parametrize("mark", ["x", "yes", "TRUE", "1", "2"])
def test_an_empty_grade_beside_others_is_none(mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text(f"question,doc_id,relevant\na,d2,\n,d1,{mark}\nb,d3,{mark}\n,d4,\n", encoding="utf-8")
    with pytest.raises(ColumnError) as caught:
        ragauge.evaluate(path, "mrr", resamples=0)
    assert _scored_after(str(caught.value), pandas.read_csv(path), "mrr", monkeypatch, tmp_path) == 0.75


def test_words_that_are_not_known_are_mapped_by_the_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "table.csv"
    path.write_text("question,doc_id,label\na,d2,B\na,d1,A\nb,d3,A\nb,d4,B\n", encoding="utf-8")
    with pytest.raises(ColumnError, match="label: write a number for each word in place of GRADE") as caught:
        ragauge.evaluate(path, "mrr", resamples=0)
    said = str(caught.value).replace("'b': GRADE", "'b': 0").replace("'a': GRADE", "'a': 1")
    assert _scored_after(said, pandas.read_csv(path), "mrr", monkeypatch, tmp_path) == 0.75
