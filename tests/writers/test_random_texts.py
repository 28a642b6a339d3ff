"""Random texts of all scripts and signs: in Markdown and LaTeX they stay texts, whatever they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import ragauge
from ragauge.gates.gate import Gate
from ragauge.results.result import Result
from ragauge.writers.comment import comment_of
from ragauge.writers.latex import escaped
from ragauge.writers.writer import FinishedRun, finished
from tests.writers.runs import some_result

# Signs that Markdown, HTML, LaTeX and the services read, with letters of many scripts.
SIGNS = st.sampled_from(
    [*"`|\\<>@#/&$%_^~{}[]()!*\n\r\t \"'=+-:;0", "``", "```", "\n```\n", "</details>", "<!--", "-->", "\n/close\n",
     "\n- ", "\n# ", "|\n|", "\u202e", "\u2028", "\x00", "林", "か", "한", "я", "ق", "हि", "ก็", "🍵"]
)  # fmt: skip
TEXTS = st.lists(SIGNS, min_size=1, max_size=30).map("".join)


@pytest.fixture(scope="module")
def run() -> FinishedRun:
    result = some_result(resamples=0)
    return finished(result, "run", gate=ragauge.gate(result, min={"chrf": 0.999}, min_coverage=0.5))


def renamed(run: FinishedRun, text: str) -> FinishedRun:
    """Return the run with ``text`` in all places that data and users fill."""
    assert isinstance(run.gate, Gate)
    checks = tuple(replace(one, rule=text, why=text) for one in run.gate.checks)
    gate = replace(run.gate, run=text, checks=checks, notes=(text,))
    names = {name: f"{text}{place}" for place, name in enumerate(run.result.metrics)}
    table = tuple(replace(one, metric=names[one.metric], signature=text, notes=(text,)) for one in run.result.table)
    kept = {"metrics": run.result.metrics, "columns": run.result.columns}
    mapped: dict[str, Any] = {key: {names[name]: one for name, one in of.items()} for key, of in kept.items()}
    result = Result(table, ids=run.result.ids, data=run.result.data, options=run.result.options, **mapped)
    return FinishedRun(text, result, {"tag": text, "commit": text}, None, gate)


def plain(tokens: Any) -> Iterator[tuple[str, str]]:
    """Yield type and content of all that is not code."""
    for token in tokens:
        if token.children:
            yield from plain(token.children)
        elif token.content and token.type not in ("code_inline", "fence"):
            yield token.type, token.content


def shape(text: str) -> list[tuple[str, str]]:
    """Return what a reader of Markdown sees of ``text`` beside code."""
    return list(plain(MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)))


@settings(max_examples=50, deadline=None)
@given(text=TEXTS)
def test_markdown_has_the_same_shape_whatever_the_names_are(run: FinishedRun, text: str) -> None:
    wanted, seen = (shape(comment_of(renamed(run, name), 60_000).text) for name in ("name", text))
    summaries = [[re.sub(r"<code>.*?</code>", "", content) for _, content in one] for one in (wanted, seen)]
    assert summaries[0] == summaries[1]
    assert [kind for kind, _ in wanted] == [kind for kind, _ in seen]


@settings(max_examples=50, deadline=None)
@given(text=TEXTS)
def test_markdown_has_the_same_shape_whatever_the_samples_hold(text: str) -> None:
    def of(content: str) -> list[tuple[str, str]]:
        row = {"id": f"i{content}", "question": content, "answer": content, "references": ["?" * 99, content + "?"]}
        result = ragauge.evaluate([row], "exact-match", resamples=0)
        return shape(comment_of(finished(result, "run"), 60_000).text)

    assert [kind for kind, _ in of(text + "x")] == [kind for kind, _ in of("name")]


@settings(max_examples=100, deadline=None)
@given(text=TEXTS)
def test_latex_reads_no_command_in_a_text(text: str) -> None:
    written = escaped(text)
    # All that is left when what stands for a sign is taken away are plain letters and signs.
    rest = re.sub(r"\\text[a-z]+\{\}|\\[{}$&#%_]|\{\[\}|\{\*\}", "", written)
    assert re.search(r"[\\{}$&#%_^~<>|`\"\[*\n\r]", rest) is None
