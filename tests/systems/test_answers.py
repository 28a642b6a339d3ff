"""The file of answers: whole lines, one writer, one system, and what a crash leaves."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from ragauge.errors import DataError, UsageError
from ragauge.systems.answers import SystemAnswer, answer_file

ANSWERS = [
    SystemAnswer("a", "茶馆什么时候开业？", {"answer": "一九九〇年\n\u2028", "contexts": ["p"]}, None, 0.25, 1),
    SystemAnswer("b", "?", None, "ConnectionError: down \ud800", 0.5, 3),
]


def write(
    path: Path, *answers: SystemAnswer, resume: bool = False, system: str = "app:answer"
) -> dict[str, SystemAnswer]:
    with answer_file(path, system, resume=resume) as file:
        for answer in answers:
            file.add(answer)
        return dict(file.earlier)


def test_answers_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "new folder" / "answers.jsonl"
    assert write(path, *ANSWERS) == {}
    assert write(path, resume=True) == {answer.id: answer for answer in ANSWERS}
    assert [json.loads(line).get("answers_of") for line in path.read_bytes().splitlines()] == ["app:answer", None, None]
    assert write(path, SystemAnswer("b", "?", {"answer": "x"}), resume=True)["b"].failure is not None
    assert write(path, resume=True)["b"].columns == {"answer": "x"}


@pytest.mark.parametrize("torn", [b'{"id": "c", "ques', b'{"id": "c"}', b"\x00\x00\x00", b"\xff\n", b"[1]\n"])
def test_a_torn_last_line_is_left_out_and_the_next_answer_is_whole(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "answers.jsonl"
    write(path, ANSWERS[0])
    whole = path.read_bytes()
    path.write_bytes(whole + torn)
    assert list(write(path, ANSWERS[1], resume=True)) == ["a"]
    assert list(write(path, resume=True)) == ["a", "b"]


def test_a_torn_first_line_is_a_new_file(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    path.write_bytes(b'{"answers_of": "app')
    assert write(path, ANSWERS[0], resume=True) == {}
    assert list(write(path, resume=True)) == ["a"]


def test_a_damaged_line_within_is_named(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    write(path, *ANSWERS)
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + b'{"id": "a", "que\n' + b'{"id": 1, "question": "?", "output": {}}\n' + lines[2])
    with pytest.raises(DataError, match="line 2: is not an answer") as error:
        write(path, resume=True)
    assert "line 3" in str(error.value)
    assert path.read_bytes().startswith(lines[0])


def test_what_must_not_be_mixed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    write(path, ANSWERS[0])
    with pytest.raises(UsageError, match=r"has 1 answer of an earlier run already\. Pass resume=True"):
        write(path)
    with pytest.raises(UsageError, match="has the answers of app:answer, not of app:other"):
        write(path, resume=True, system="app:other")
    data = tmp_path / "data.jsonl"
    data.write_text('{"question": "?"}\n', encoding="utf-8")
    with pytest.raises(UsageError, match="is not a file of answers"):
        write(data, resume=True)
    with pytest.raises(UsageError, match="is not a file of answers"):
        write(data)
    assert data.read_text(encoding="utf-8") == '{"question": "?"}\n'
    newer = tmp_path / "newer.jsonl"
    newer.write_text('{"answers_of": "app:answer", "format": 9, "ragauge": "9.0"}\n', encoding="utf-8")
    with pytest.raises(DataError, match=r"written by ragauge 9\.0"):
        write(newer, resume=True)


def test_one_process_writes_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with answer_file(path, "a", resume=False), pytest.raises(UsageError, match="another process is adding answers"):
        write(path, resume=True, system="a")


def test_a_closed_file_takes_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    with answer_file(path, "a", resume=False) as file:
        pass
    size = path.stat().st_size
    file.add(ANSWERS[0])
    assert path.stat().st_size == size


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(UsageError, match="cannot be written"):
        write(tmp_path / "file" / "answers.jsonl")
    with pytest.raises(UsageError, match="cannot be written"):
        write(tmp_path)


@pytest.mark.parametrize("beside", [{"latency": "x"}, {"attempts": "x"}, {"renamed": [1]}, {"failure": {}}])
def test_a_line_that_was_changed_by_hand_is_named(beside: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    write(path, ANSWERS[0])
    line = {"id": "b", "question": "?", "output": {"answer": "b"}, **beside}
    path.write_bytes(path.read_bytes() + json.dumps(line).encode() + b"\n")
    with pytest.raises(DataError, match="line 3: is not an answer"):
        write(path, resume=True)


@pytest.mark.parametrize(
    "odd",
    [{"latency": 10**400}, {"latency": True}, {"attempts": 10**400}, {"attempts": "1"}, {"question": ["?"]},
     {"output": {"answer": "x", "cost": "free"}}, {"output": {"latency": 10**400}}, {"renamed": {"answer": 5}},
     {"output": {"answer": {"a": 1}}}, {"output": {"contexts": 5}}, {"output": {"retrieved": {"x": None}}},
     {"output": {"failure": "f"}}, {"latency": -1}, {"attempts": -1}, {"attempts": 0}],
)  # fmt: skip
def test_a_line_with_a_value_that_no_answer_has_is_named(tmp_path: Path, odd: dict[str, Any]) -> None:
    path = tmp_path / "answers.jsonl"
    write(path, *ANSWERS)
    with path.open("a") as file:
        file.write(json.dumps({"id": "c", "question": "?", "output": {}, **odd}) + "\n")
    with pytest.raises(DataError, match=r"answers\.jsonl: line 4: is not an answer"):
        write(path, resume=True)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no named pipes")
def test_a_named_pipe_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    os.mkfifo(path)
    with pytest.raises(UsageError, match="cannot be written: it is a named pipe, not a file"):
        write(path, *ANSWERS)
