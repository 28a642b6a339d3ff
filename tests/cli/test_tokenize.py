"""``ragauge tokenize`` through a real process."""

from __future__ import annotations

import json
import subprocess
import sys


def run(*arguments: str, given: bytes) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "ragauge", "tokenize", *arguments]
    return subprocess.run(command, input=given, capture_output=True, check=False)


def test_a_line_in_is_a_line_out() -> None:
    ran = run("--tokenizer", "zh", given="我爱北京天安门。\n\n小明走了".encode())
    assert ran.returncode == 0
    assert ran.stdout.decode().split("\n") == ["我 爱 北京 天安门 。", "", "小明 走 了", ""]
    assert b"zh" in ran.stderr


def test_json_and_forms() -> None:
    ran = run("--output-format", "json", "--normalize", given="The CAT 猫".encode())
    assert json.loads(ran.stdout) == ["the", "cat", "猫"]


def test_unknown_tokenizer() -> None:
    ran = run("--tokenizer", "zz", given=b"")
    assert ran.returncode == 2
    assert b"unknown tokenizer 'zz'" in ran.stderr


def test_bytes_that_are_not_text() -> None:
    ran = run(given="caf\xe9\n".encode("latin-1"))
    assert ran.returncode == 3
    assert b"not UTF-8" in ran.stderr
    assert b"Traceback" not in ran.stderr
