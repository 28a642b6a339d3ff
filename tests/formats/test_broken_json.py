"""Texts that are not JSON: what is wrong and what to write."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragauge.errors import DataError
from ragauge.formats import read
from ragauge.formats.broken_json import fault_of

FAULTS = {
    "{'answer': 'tea'}": ("single quotes around a text, as Python writes them,", "json.dumps(row)"),
    "{\"answer\": 'tea'}": ("single quotes", "json.dumps(ast.literal_eval(text))"),
    '{"answer": None}': ("None, as Python writes it,", "json.dumps(row)"),
    '{"answer": True}': ("True, as Python writes it,", "json.dumps(row)"),
    '{"answer": "tea",}': ("a comma before }", "remove it"),
    '{"answer": {"text": "tea", }}': ("a comma before }", "remove it"),
    '{"answer": [1, nil]}': ("nil, which is not a value of JSON,", "write null"),
    '{"answer": }': ("no value", "write null where there is none"),
    '{"answer": ,}': ("no value", "write null where there is none"),
    '{"answer": , "question": "a"}': ("no value", "write null where there is none"),
    '{"answer": undefined}': ("undefined, which is not a value of JSON,", "write null, or a text in double quotes"),
    '{answer: "tea"}': ("a key without quotes", 'write "answer"'),
    '{答案: "茶"}': ("a key without quotes", 'write "答案"'),
    '{"answer": “茶”}': ("a typographic quote", 'write " in its place'),
    '{"answer": "say "tea" now"}': ("a quote within a text", 'write \\" in its place'),
    '{"answer": "tea\tand jam"}': ("a line break or a tab within a text", "write \\n or \\t"),
    '{"answer": "C:\\docs"}': ("a single backslash within a text", "write it twice"),
    '{"answer": "tea': ("a text without its closing quote", "check that the file is whole"),
    '{"answer": /* no */ "tea"}': ("a comment", "remove it"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_the_error_says_what_is_wrong_and_what_to_write(text: str, tmp_path: Path) -> None:
    what, advice = FAULTS[text]
    row = '{"question": "a", "answer": "b"}'
    for name, whole in (("a.jsonl", f"{row}\n{text}\n"), ("a.json", f"[{row},\n{text}]"), ("b.json", text)):
        (tmp_path / name).write_text(whole, encoding="utf-8")
        with pytest.raises(DataError) as caught:
            read(tmp_path / name)
        said = str(caught.value)
        assert f"not JSON: {what}" in said
        assert advice in said


@pytest.mark.parametrize("text", ['{"a" 1}', '{"a": 1 "b": 2}', '{"a": 1} {}', "{"])
def test_other_faults_are_in_the_words_of_the_decoder(text: str) -> None:
    with pytest.raises(json.JSONDecodeError) as caught:
        json.loads(text)
    assert fault_of(caught.value) is None
