"""``ragauge init``: a file to start from, and which column is which."""

from __future__ import annotations

import csv
import json
import re
import shlex
import tomllib
from collections.abc import Sequence
from pathlib import Path

import pytest

import ragauge
from ragauge.cli.settings import KEYS
from ragauge.formats.proposals import guessed

from .running import here

Captured = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def table(path: Path, header: Sequence[str], cells: Sequence[str]) -> Path:
    with path.open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file, delimiter=";").writerows([header, cells, cells])
    return path


def test_every_setting_is_there_and_commented_out(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "init")
    assert (done.code, done.out) == (0, "")
    text = (folder / "ragauge.toml").read_text(encoding="utf-8")
    assert tomllib.loads(text) == {"score": {}, "map": {}, "split": {}, "gate": {}, "report": {}}
    lines = [line for line in text.splitlines() if line.startswith("# ") and " = " in line]
    assert {line[2:].partition(" = ")[0] for line in lines} >= {key.name for key in KEYS}
    for line in lines:
        tomllib.loads(line[2:])


def test_a_file_that_is_there_stays(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text("mine", encoding="utf-8")
    done = here(capsys, "init")
    assert (done.code, "ragauge.toml already exists" in done.err) == (2, True)
    assert (folder / "ragauge.toml").read_text(encoding="utf-8") == "mine"
    assert here(capsys, "init", "--force").code == 0


@pytest.mark.parametrize(
    ("header", "mapped"),
    [
        (("Prompt", "Bot says: answer", "Gold", "Docs"), {"question": 0, "answer": 1, "contexts": 3}),
        (("客户提问内容", "机器人回复内容", "标答内容", "资料"),
         {"question": 0, "answer": 1, "references": 2, "contexts": 3}),
        (("Customer asked", "Bot said", "Should say", "Found text"),
         {"question": 0, "answer": 1, "references": 2, "contexts": 3}),
        (("用户问题", "模型回答", "答案", "上下文"), {"references": 2, "contexts": 3}),
        (("вопрос клиента", "ответ нашего бота", "правильный вариант", "контекст"),
         {"question": 0, "answer": 1, "references": 2, "contexts": 3}),
        (("question", "answer", "ground_truth", "contexts"), {}),
    ],
)  # fmt: skip
def test_columns_are_proposed_and_the_proposal_scores(
    header: Sequence[str], mapped: dict[str, int], folder: Path, capsys: Captured
) -> None:
    table(folder / "data.csv", header, ("谁?", "黛西。", "黛西", json.dumps(["黛西主持。"], ensure_ascii=False)))
    assert here(capsys, "init", "data.csv").code == 0
    settings = tomllib.loads((folder / "ragauge.toml").read_text(encoding="utf-8"))
    assert settings["map"] == {known: header[place] for known, place in mapped.items()}
    done = here(capsys, "score", "data.csv", "-m", "token-f1", "-m", "groundedness", "--output-format", "json")
    assert done.code == 0, done.err
    assert [row["scored"] for row in done.json["metrics"]] == [2, 2]


def test_the_next_command_can_be_typed_whatever_the_name_of_the_file(folder: Path, capsys: Captured) -> None:
    path = table(folder / "导出 (3).csv", ["Frage", "Antwort", "Referenz"], ["Wer?", "Lin", "Lin"])
    done = here(capsys, "init", path.name)
    [line] = [line for line in done.err.splitlines() if "next: " in line]
    assert here(capsys, *shlex.split(line.partition("next: ragauge ")[2])).code == 0


def test_a_column_is_proposed_by_the_kind_of_its_values_too(folder: Path, capsys: Captured) -> None:
    rows = [{"asked at": 9, "customer asked": "谁?", "bot said": "黛西。"}, {"asked at": 7, "bot said": "茶。"}]
    (folder / "data.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    here(capsys, "init", "data.jsonl")
    settings = tomllib.loads((folder / "ragauge.toml").read_text(encoding="utf-8"))
    assert settings["map"] == {"question": "customer asked", "answer": "bot said"}


def test_what_stands_between_passages_is_proposed(folder: Path, capsys: Captured) -> None:
    table(folder / "data.csv", ("question", "answer", "contexts"), ("谁?", "黛西。", "黛西主持。 ||| 茶。"))
    here(capsys, "init", "data.csv")
    assert tomllib.loads((folder / "ragauge.toml").read_text(encoding="utf-8"))["split"] == {"contexts": "|||"}


def test_names_that_toml_must_escape(folder: Path, capsys: Captured) -> None:
    header = ('the "question"\\', "the answer's\x7f", "gold = x #")
    table(folder / "data.csv", header, ("谁?", "黛西。", "黛西"))
    here(capsys, "init", "data.csv")
    settings = tomllib.loads((folder / "ragauge.toml").read_text(encoding="utf-8"))
    assert settings["map"] == {"question": header[0], "answer": header[1], "references": header[2]}


def test_a_file_that_cannot_be_read_writes_nothing(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "init", "none.csv")
    assert (done.code, "file not found" in done.err) == (3, True)
    assert not (folder / "ragauge.toml").exists()


def test_the_schema_is_printed(folder: Path, capsys: Captured) -> None:
    done = here(capsys, "init", "--schema")
    assert done.json["title"] == "ragauge.toml"
    assert not (folder / "ragauge.toml").exists()


@pytest.mark.parametrize(
    "name", ["error", "Error Message", "错误", "エラー", "오류", "ошибка", "خطأ", "त्रुटि", "ข้อผิดพลาด"]
)
def test_a_column_of_errors_looks_like_failures(name: str) -> None:
    columns = {name: ["", "timeout"], "error_rate": ["0.1", "0.2"]}
    assert guessed(columns, {}) == {"failure": name}
    assert guessed({**columns, "failure": ["", ""]}, {}) == {}


def test_the_encoding_is_kept_so_that_the_next_command_reads_the_file(folder: Path, capsys: Captured) -> None:
    text = "Frage;Antwort;Referenz\nWär?;Grün;Grün\n"
    (folder / "alt (1).csv").write_text(text, encoding="cp1252")
    done = here(capsys, "init", "alt (1).csv", "--encoding", "cp1252")
    [line] = re.findall(r"next: ragauge (.*)", done.err)
    scored = here(capsys, *shlex.split(line), "--output-format", "json")
    assert (scored.code, scored.json["metrics"][-1]["metric"]) == (0, "exact-match"), scored.err
    kept = ragauge.load(folder / "runs/first")
    assert kept.column("answer").to_pylist() == ["Grün"]
    assert "read as cp1252 and not as UTF-8" in kept.data.notes


def test_the_encoding_of_the_settings_is_not_that_of_a_file_in_utf8(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text('[score]\nencoding = "cp1252"\n', encoding="utf-8")
    (folder / "neu.csv").write_text("answer,reference\nGrün,Grün\n", encoding="utf-8")
    assert here(capsys, "score", "neu.csv", "-m", "exact-match", "-o", "run").code == 0
    assert ragauge.load(folder / "run").column("answer").to_pylist() == ["Grün"]


SAID = {
    "ar": ("رقم", "ما سأله العميل", "ما قاله البوت", "ما كان يجب أن يقال", "النص الذي وجد"),
    "hi": ("संख्या", "ग्राहक ने पूछा", "बॉट ने कहा", "क्या कहना चाहिए था", "मिला हुआ पाठ"),
    "ja": ("番号", "お客様が聞いたこと", "ボットが言ったこと", "言うべきだったこと", "見つかった文章"),
    "ko": ("순번", "고객이 물은 것", "봇이 한 말", "했어야 할 말", "찾은 글"),
    "ru": ("№", "клиент спросил", "бот сказал", "надо было сказать", "найденный текст"),
    "th": ("หมายเลข", "ลูกค้าถาม", "บอตตอบ", "ตามที่ควรพูด", "ข้อความที่พบ"),
    "zh": ("序号", "客户问了什么", "机器人说了什么", "應該怎么说", "找到的文本"),
}


@pytest.mark.parametrize("language", SAID)
def test_what_was_asked_said_and_should_have_been_said(language: str, folder: Path, capsys: Captured) -> None:
    header = SAID[language]
    table(folder / "data.csv", header, ("1", "谁开门", "九点", "九点开门", "茶馆早上九点开门，晚上十点关门。"))
    done = here(capsys, "init", "data.csv")
    settings = tomllib.loads((folder / "ragauge.toml").read_text(encoding="utf-8"))
    known = ("question", "answer", "references", "contexts")
    assert settings["map"] == dict(zip(known, header[1:], strict=True))
    assert "next: ragauge score data.csv -o runs/first" in done.err


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("ما قاله العميل", {"question"}), ("お客様が言ったこと", {"question"}), ("고객이 한 말", {"question"}),
        ("клиент сказал", {"question"}), ("ग्राहक ने कहा", {"question"}), ("ลูกค้าพูด", {"question"}),
        ("бот сказал клиенту", set()), ("المقال", set()), ("कहानी", set()), ("ग्राहक को क्या चाहिए", set()),
        ("客服说了什么", set()),
    ],
)  # fmt: skip
def test_what_a_customer_said_is_the_question(name: str, known: set[str]) -> None:
    assert set(guessed({name: ["甲", "乙"]}, {})) == known


@pytest.mark.parametrize("language", SAID)
def test_the_next_line_of_answers_alone_names_metrics_that_score(language: str, folder: Path, capsys: Captured) -> None:
    header = SAID[language][:3]
    with (folder / "data.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([header, ("1", "谁开门", "九点"), ("2", "谁关门", "林婉关门")])
    [line] = re.findall(r"next: ragauge (.*)", here(capsys, "init", "data.csv").err)
    assert line == (
        "score data.csv -m abstention -m answer-language -m answer-relevancy -m distinct-1 -m distinct-2 -o runs/first"
    )
    if language == "ar":
        assert here(capsys, *shlex.split(line)).code == 0


@pytest.mark.parametrize(
    ("header", "cells", "line"),
    [
        (("№", "вопрос", "ответ", "разное"), ("1", "кто?", "Анна", "Анна"), 'references = "разное"'),
        (("№", "пусто", "разное", "контекст"), ("1", "кто", "Анна", "Анна ведёт."), 'answer = "разное"'),
        (("質問", "検索結果", "その他"), ("誰", "d1", "d2"), 'relevance = "その他"'),
        (("質問", "検索結果", "正解"), ("誰", "d1", "d2"), 'relevance = "正解"'),
        (("หมายเลข", "foo", "bar"), ("1", "ใคร", "แอน"), 'answer = "bar"'),
        (("foo", "foo 2"), ("1", "2"), 'answer = "foo 2"'),
    ],
)
def test_the_column_that_scores_still_need_is_named_and_with_it_the_data_score(
    header: Sequence[str], cells: Sequence[str], line: str, folder: Path, capsys: Captured
) -> None:
    table(folder / "data.csv", header, cells)
    said = here(capsys, "init", "data.csv").err
    assert f"was not recognised: write it under [map], as in {line}\n" in said
    assert "next:" not in said
    if "foo" not in header:
        mapped = line.replace(" = ", "=").replace('"', "")
        assert here(capsys, "score", "data.csv", "--map", mapped).code == 0


@pytest.mark.parametrize(
    "row",
    [
        {"سؤال": "من؟", "إجابة": "آنا", "مستندات": ["الشاي يزرع في الجبال هناك كل عام."]},
        {"messages": [{"role": "user", "content": "谁"}, {"role": "assistant", "content": "安"}], "reference": "安"},
    ],
)
def test_columns_that_are_known_by_their_fields_need_no_line(
    row: dict[str, object], folder: Path, capsys: Captured
) -> None:
    (folder / "data.jsonl").write_text(json.dumps(row), encoding="utf-8")
    assert "next: ragauge score data.jsonl -o runs/first" in here(capsys, "init", "data.jsonl").err
    assert here(capsys, "score", "data.jsonl").code == 0


def test_points_that_may_be_grades_are_said_to_be_unclear(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("rows.csv").write_text("question,doc_id,оценка\na,d1,0\na,d2,3\n", encoding="utf-8")
    said = " ".join(here(capsys, "init", "rows.csv").err.split())
    assert "оценка was taken for a score, which orders the documents; if it is the relevance grade, in pandas: " in said


def test_the_settings_have_another_name(folder: Path, capsys: Captured) -> None:
    data = folder / "answers.jsonl"
    data.write_text(json.dumps({"question": "谁？", "what it said": "她", "gold": "她"}) + "\n", encoding="utf-8")
    done = here(capsys, "init", data, "-o", folder / "my rules.toml")
    config = shlex.quote(str(folder / "my rules.toml"))
    assert f"ragauge score {data} --config {config} -o runs/first" in done.err
    assert not (folder / "ragauge.toml").exists()
    found = here(capsys, "score", data, "--config", folder / "my rules.toml", "-m", "exact-match")
    assert "answer <- what it said" in found.err
    done = here(capsys, "init", "-o", folder / "my rules.toml")
    assert (done.code, "Name another file, or pass --force" in done.err) == (2, True)
