"""The table "Why not ..." of the README and the start pages says what the libraries do that are installed here."""

from __future__ import annotations

import importlib
import json
import sys
from typing import Any
from urllib.request import Request, urlopen

import pytest

from tests.docs.blocks import ROOT


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module


@pytest.mark.parametrize("peer", ["ragauge", "sacrebleu", "pytrec_eval", "ragas"])
@pytest.mark.costly
def test_a_row_is_what_the_library_does(peer: str, benchmark: Any) -> None:
    pytest.importorskip(peer)
    check_row(peer, benchmark("why_not"))


@pytest.mark.long
def test_the_row_of_rouge_score_is_what_it_does(benchmark: Any) -> None:
    check_row("rouge-score", benchmark("why_not"))


def check_row(peer: str, why_not: Any) -> None:
    """Check all fields but the size, of which nothing here can be sure."""
    found = why_not.asked_of(peer, sys.executable, name=peer, packages=0, megabytes=0.0)
    for page, language in why_not.PAGES.items():
        lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
        [row] = [line for line in lines if line.startswith(f"| {peer} ") and line.count("|") == 9]
        assert row.strip("| ").split(" | ")[2:] == found.cells(why_not.WORDS[language])[2:], page


def test_the_table_has_a_row_for_each_library(benchmark: Any) -> None:
    why_not = benchmark("why_not")
    tables: dict[str, list[str]] = {}
    for page, language in why_not.PAGES.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        table = text.partition("<!-- why not -->\n")[2].partition("\n<!-- /why not -->")[0].splitlines()
        assert table[0] == why_not.WORDS[language]["head"]
        assert [row.split(" ")[1] for row in table[2:]] == list(why_not.PEERS)
        assert tables.setdefault(language, table) == table, f"{page} has another table than the README"


@pytest.mark.parametrize(
    "form",
    [
        {"response_format": {"type": "json_schema", "json_schema": {"name": "v", "schema": "SCHEMA"}}},
        {"tools": [{"type": "function", "function": {"name": "v", "parameters": "SCHEMA"}}]},
        {},
    ],
)
def test_the_judge_answers_in_the_form_that_was_asked_for(form: dict[str, Any], benchmark: Any) -> None:
    schema = {
        "type": "object",
        "properties": {"verdicts": {"type": "array", "items": {"$ref": "#/$defs/one"}}, "score": {"type": "integer"}},
        "$defs": {"one": {"enum": ["yes", "no"]}},
    }
    canned_judge = benchmark("canned_judge")
    asked = json.loads(json.dumps(form).replace('"SCHEMA"', json.dumps(schema)))
    text = "Is it true?" if form else f"Is it true? Follow this JSON Schema: {json.dumps(schema)} and nothing else."
    with canned_judge.judge() as notes:
        for words, expected in ((text, {"verdicts": ["yes"], "score": 1}), (f"{text} {canned_judge.UNREADABLE}", None)):
            body = json.dumps({**asked, "messages": [{"role": "user", "content": words}], "temperature": 0.5}).encode()
            with urlopen(Request(f"{notes.url}/chat/completions", body)) as reply:  # noqa: S310 - a server of this test
                message = json.loads(reply.read())["choices"][0]["message"]
            called = message.get("tool_calls")
            assert bool(called) == bool(expected and "tools" in form)
            content = called[0]["function"]["arguments"] if called else message["content"]
            assert (json.loads(content) if expected else content) == (expected or "I cannot say.")
    assert [one.temperature for one in notes.requests] == [0.5, 0.5]
