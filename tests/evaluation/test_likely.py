"""Columns that are guessed where no metric could be computed, and columns of samples that all failed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import openpyxl
import pytest

import ragauge
from ragauge.errors import ColumnError, DataError, UsageError
from tests.cli.running import here, write_rows
from tests.frameworks.reading import framework

BOT = [
    {
        "Customer asked": "Who?",
        "Bot said": "Anna grows tea.",
        "Should say": "Anna.",
        "Found text": "Anna grows tea here.",
    },
    {"Customer asked": "谁？", "Bot said": "林婉种茶。", "Should say": "林婉。", "Found text": "林婉在云南种茶。"},
]
FOUND = {"question": "Customer asked", "answer": "Bot said", "references": "Should say", "contexts": "Found text"}


def test_columns_are_guessed_with_a_note_where_no_metric_could_be_computed(tmp_path: Path) -> None:
    path = tmp_path / "bot.csv"
    lines = [",".join(row.values()) for row in BOT]
    path.write_text("\n".join([",".join(BOT[0]), *lines]), encoding="utf-8")
    result = ragauge.evaluate(path, ["token-f1", "groundedness"], resamples=0)
    assert dict(result.data.mapping) == FOUND
    for note, (known, source) in zip(result.data.notes, FOUND.items(), strict=False):
        assert f"column {source} was read as {known}, a guess by its name; if it is something else, pass" in note
        assert f"map={{'{source}': '{source}'}}; strict=True guesses nothing" in note
    with pytest.raises(ColumnError, match="token-f1 needs the columns answer and references"):
        ragauge.evaluate(path, "token-f1", strict=True)


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_tables_of_libraries_are_guessed_too(library: str) -> None:
    table = framework(library, library).DataFrame({"the bot said": ["Anna did"], "gold answer here": ["Anna did"]})
    assert ragauge.evaluate(table, "exact-match", resamples=0)["exact-match"].value == 1
    with pytest.raises(ColumnError, match="exact-match needs the columns answer and references"):
        ragauge.evaluate(
            table.rename(columns={"gold answer here": "x"}) if library == "pandas" else table[["the bot said"]],
            "exact-match",
        )


def test_what_the_customer_said_is_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "talks.csv"
    path.write_text(
        "customer said,bot said,ideal\nWho planted it?,Anna,Anna\nWhere is it?,Rome,Rome\n", encoding="utf-8"
    )
    result = ragauge.evaluate(path, "exact-match", resamples=0)
    assert dict(result.data.mapping) == {"question": "customer said", "answer": "bot said", "references": "ideal"}


def test_the_sheet_that_was_not_read_is_named_where_no_metric_can_be_computed(tmp_path: Path) -> None:
    book = openpyxl.Workbook()
    book.active.append(["Stand", "Autor"])
    book.active.append(["2026", "Lin"])
    book.create_sheet("Daten").append(["answer", "reference"])
    book["Daten"].append(["Anna", "Anna"])
    book.save(tmp_path / "qa.xlsx")
    with pytest.raises(ColumnError, match="to read another: format='xlsx:Daten'"):
        ragauge.evaluate(tmp_path / "qa.xlsx")
    assert ragauge.evaluate(tmp_path / "qa.xlsx", "exact-match", format="xlsx:Daten")["exact-match"].value == 1


def test_columns_are_guessed_where_no_metric_is_named_and_the_flag_undoes_it() -> None:
    rows = [{"answer": "a", "references": ["a"], "found text": "Anna grows tea here."}]
    result = ragauge.evaluate(rows, resamples=0)
    assert (dict(result.data.mapping), "groundedness" in result.metrics) == ({"contexts": "found text"}, True)
    undone: list[dict[str, Any]] = [
        {"metrics": "token-f1"},
        {"map": {"found text": "found text"}},
        {"strict": True},
        {"by": "found text"},
    ]
    for options in undone:
        assert "contexts" not in ragauge.evaluate(rows, resamples=0, **options).data.mapping


@pytest.mark.parametrize(
    ("fields", "guess"),
    [
        ({"gold note": "b", "expected note": "c"}, {}),
        ({"gold note": "b", "gold note score": "0.5"}, {"references": "gold note"}),
        ({"답변 시간": "1.2", "올바른 응답": "차"}, {"references": "올바른 응답"}),
        ({"бот": "чай", "чанк 1": "Чай растёт в горах.", "чанк 2": "Паром уходит в девять."}, {}),
        ({"should say": "b", "found text 1": "Tea is grown here.", "found text 2": "It is green."},
         {"references": "should say", "contexts": "found text 1, found text 2"}),
        ({"应命中文档": "d1", "命中文档编号": "d1, d2"}, {"retrieved": "命中文档编号", "relevance": "应命中文档"}),
        ({"retrieved source": "a.md"}, {}),
    ],
)  # fmt: skip
def test_only_a_clear_guess_is_used(fields: dict[str, str], guess: dict[str, str]) -> None:
    rows = [{"answer": "a", "references": "a", **fields}]
    if "references" in guess:
        del rows[0]["references"]
    assert dict(ragauge.evaluate(rows, resamples=0).data.mapping) == guess


def test_columns_that_compete_are_both_named() -> None:
    rows = [{"answer": "a", "references": "a", "found text": "Anna grows tea here.", "本文文档": "安娜在云南种茶。"}]
    note = "\n".join(ragauge.evaluate(rows, resamples=0).data.notes)
    assert "found text (looks like contexts: map={'contexts': 'found text'})" in note
    assert "本文文档 (looks like contexts: map={'contexts': '本文文档'})" in note


def test_fields_that_cannot_be_read_as_the_guess_has_it_are_no_guess() -> None:
    rows = [{"answer": "a", "references": "a", "found": "[1] Tea."}, {"answer": "a", "references": "a", "found": "['a"}]
    assert dict(ragauge.evaluate(rows, resamples=0).data.mapping) == {}


@pytest.mark.parametrize("name", ["context", "上下文", "文脈", "문맥", "контекст", "السياق", "संदर्भ", "บริบท", "Kontext"])
def test_a_context_alone_is_what_was_retrieved(name: str) -> None:
    rows = [{"question": "Who?", "answer": "Anna.", name: ["Anna grows tea."]}]
    result = ragauge.evaluate(rows, resamples=0)
    assert dict(result.data.mapping) == {"contexts": name}
    said = f"column {name} was read as the passages that the system retrieved; if they are those that it should have"
    assert any(said in note and f"map={{'reference_contexts': '{name}'}}" in note for note in result.data.notes)
    for options in ({"strict": True}, {"metrics": "groundedness", "strict": True}):
        with pytest.raises(ColumnError, match="is ambiguous"):
            ragauge.evaluate(rows, **options)
    with pytest.raises(ColumnError, match="is ambiguous"):
        ragauge.evaluate(iter(rows))


@pytest.mark.parametrize(
    "rows",
    [
        [{"answer": "a", "quality label": label} for label in ("good", "bad", "good", "bad")],
        [{"answer": "a", "gold note": "b", "expected note": "c"}],
        [{"answer": "a", "gold score": 0.5}],
        [{"answer": "a", "gold_doc": "doc_12"}, {"answer": "b", "gold_doc": "doc_3"}],
        [{"answer": "a", "expected_source": "faq.md"}, {"answer": "b", "expected_source": "https://example.org/a b"}],
        [{"answer": "a", "label": "good"}, {"answer": "b", "label": "bad"}],
        [{"answer": "a", "正确标签": "正确"}, {"answer": "b", "正确标签": "错误"}],
    ],
)
def test_labels_numbers_and_two_candidates_are_no_references(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(ColumnError):
        ragauge.evaluate(rows, "token-f1")


def test_names_of_files_are_no_contexts() -> None:
    with pytest.raises(ColumnError):
        ragauge.evaluate([{"answer": "a", "found in document": "a.md"}], "groundedness")


def test_what_can_be_read_once_is_not_guessed() -> None:
    with pytest.raises(ColumnError):
        ragauge.evaluate(iter([{"Bot said": "a", "Should say": "b"}]), "token-f1")


@pytest.mark.parametrize(
    ("encoding", "texts"),
    [
        ("cp1252", ("Wann öffnet der Laden?", "Er öffnet um neun.", "Geschlossen wird für alle um zehn.")),
        ("cp932", ("店は何時に開きますか。", "九時に開きます。", "店は九時に開き十時に閉まります。")),
        ("cp1251", ("Когда открывается магазин?", "Он открывается в девять.", "Магазин закрывается в десять.")),
        ("cp1256", ("متى يفتح المتجر؟", "يفتح في التاسعة.", "يغلق المتجر في العاشرة.")),
        ("cp874", ("ร้านเปิดกี่โมง", "ร้านเปิดเก้าโมง", "ร้านเปิดเก้าโมงและปิดสิบโมง")),
    ],
)
def test_files_in_one_clear_encoding_are_read_in_it(encoding: str, texts: tuple[str, ...], tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    text = "question;answer;reference\n" + f"{texts[0]};{texts[1]};{texts[2]}\n{texts[2]};{texts[0]};{texts[1]}\n"
    path.write_text(text, encoding=encoding)
    result = ragauge.evaluate(path, "exact-match", resamples=0)
    assert f"read as {encoding} and not as UTF-8" in result.data.notes
    assert next(iter(result.data.batches())).column("question").to_pylist() == [texts[0], texts[2]]
    with pytest.raises(DataError, match=f"in {encoding} "):
        ragauge.evaluate(path, "exact-match", strict=True)
    path.write_bytes(path.read_bytes() + "茶;茶;茶\n".encode())
    with pytest.raises(DataError, match="not UTF-8"):
        ragauge.evaluate(path, "exact-match")


@pytest.mark.parametrize("name", ["failure", "error"])
def test_samples_that_all_failed_are_a_run_that_says_why(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"question": "Who?", "references": ["Anna"], name: "timeout after 30 s"}] * 2
    path = write_rows(tmp_path / "a.jsonl", rows)
    done = here(capsys, "score", path, "-m", "token-f1", "-m", "groundedness", "-o", tmp_path / "run")
    assert done.err.startswith("2 failed: timeout after 30 s\n")
    assert done.err.endswith("error: nothing could be scored: every sample failed: timeout after 30 s\n")
    assert done.code == 4
    assert ragauge.load(tmp_path / "run")["token-f1"].failed == 2


def test_a_document_retrieved_twice_counts_once_where_asked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"retrieved": ["d1", "d2", "d1"], "relevance": ["d2"]}]
    path = write_rows(tmp_path / "a.jsonl", rows)
    assert "or pass --duplicates first to count" in here(capsys, "score", path, "-m", "mrr").err
    assert here(capsys, "score", path, "-m", "mrr", "--duplicates", "first", "--output-format", "csv").code == 0
    assert ragauge.evaluate(rows, "mrr", duplicates="first", resamples=0)["mrr"].value == 0.5
    with pytest.raises(UsageError, match="no metric here has the option duplicates"):
        ragauge.evaluate([{"answer": "a", "references": ["a"]}], "bleu", duplicates="first")
    with pytest.raises(UsageError, match="'duplicates' of evaluate must be error or first"):
        ragauge.evaluate(rows, "mrr", duplicates="last")  # type: ignore[arg-type]


def test_names_of_right_documents_are_relevant_ids(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("question,retrieved_ids,gold_doc\na,d1 d2,d2\nb,d3 d4,d4\n", encoding="utf-8")
    result = ragauge.evaluate(path, "mrr", resamples=0)
    assert (result["mrr"].value, result.data.mapping["relevance"]) == (0.5, "gold_doc")
    # Header and fields say so, so it is no guess.
    assert "guessed" not in " ".join(result.data.notes)


def test_columns_that_are_not_needed_are_not_said_to_be() -> None:
    with pytest.raises(ColumnError, match="groundedness needs the columns answer and contexts; contexts not found"):
        ragauge.evaluate([{"answer": "tea"}], "groundedness")


def test_what_was_actual_is_read_by_the_column_beside_it_with_a_note() -> None:
    pairs = {"prediction": ("references", "answer"), "predicted": ("references", "answer")}
    for other, (known, theirs) in {**pairs, "expected": ("answer", "references")}.items():
        rows = [
            {"question": "Who?", "actual": "Anna", other: "Anna"},
            {"question": "谁？", "actual": "林婉", other: "她"},
        ]
        result = ragauge.evaluate(rows, "exact-match", resamples=0)
        assert result["exact-match"].value == 0.5
        assert {result.data.mapping[known], result.data.mapping[theirs]} == {"actual", other}
        [note] = [one for one in result.data.notes if one.startswith("column actual was read")]
        assert note.startswith(f"column actual was read as {known}: beside a prediction, what was actual is the right")
        with pytest.raises(ColumnError, match="exact-match needs"):
            ragauge.evaluate(rows, "exact-match", strict=True)
