"""A run as Markdown for a pull request: what stands where, what data cannot do, and how long it may be."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UsageError
from ragauge.gates.gate import Gate
from ragauge.results.result import Result
from ragauge.writers.comment import comment_of
from ragauge.writers.writer import finished
from tests.writers.runs import LABELS, TEXTS, some_result

LONGEST = 65_536


@pytest.fixture(scope="module")
def result() -> Result:
    return some_result()


@pytest.fixture(scope="module")
def gate(result: Result) -> Gate:
    return ragauge.gate(result, min={"chrf": 0.5, "exact-match": 0.9}, max={"latency": 9.0}, min_coverage=0.5)


def rows_of(text: str, head: str) -> list[list[str]]:
    """Return the cells of the table whose first heading is ``head``."""
    lines = text[text.index(f"| {head} |") :].split("\n\n", maxsplit=1)[0].splitlines()[2:]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines]


def test_the_gate_comes_first_in_words(result: Result, gate: Gate) -> None:
    text = comment_of(finished(result, gate=gate), LONGEST).text
    assert text.splitlines()[0] == "## Gate failed: 1 of 3 checks"
    assert text.index("| outcome |") < text.index("| metric |") < text.index("<details>")
    outcomes = [(row[0], row[1]) for row in rows_of(text, "outcome")]
    assert outcomes == [
        ("**FAIL**", "`exact-match at least 0.9`"),
        ("pass", "`chrf at least 0.5`"),
        ("pass", "`latency at most 9`"),
    ]


def test_the_verdict_stands_above_the_tables_by_the_rules_of_the_gate(result: Result) -> None:
    alone = comment_of(finished(result, "today", baseline=result), LONGEST).text
    assert "`Cannot tell yet (today): no score in this run for 3 of the 11 samples of the base; the scores " in alone
    ruled = ragauge.gate(result, min={"exact-match": 0.9}, min_coverage=0.1)
    text = comment_of(finished(result, "today", baseline=result, gate=ruled), LONGEST).text
    assert text.index(
        "`Do not ship (today): 1 of 1 rules of [gate] do not hold: exact-match at least 0.9"
    ) < text.index("| outcome |")


def test_each_metric_has_its_interval_and_its_coverage(result: Result) -> None:
    rows = {row[0]: row[1:] for row in rows_of(comment_of(finished(result), LONGEST).text, "metric")}
    assert list(rows) == ["`exact-match`", "`chrf`", "`latency` ↓", f"`{LABELS[0]}`"]
    assert rows["`exact-match`"] == [
        "0.88",
        "[0.53, 0.98]",
        "8/11",
        "`1 failed, 1 missing, 1 undefined, bounds 0.7778–0.8889`",
    ]


def test_differences_from_the_baseline(tmp_path: Path) -> None:
    runs = [
        ragauge.evaluate(
            [{"id": f"q{i}", "answer": "茶" if i < right else "酒", "references": ["茶"]} for i in range(40)],
            ["正确=exact-match"],
        )
        for right in (10, 35)
    ]
    for place, words in ((0, ["0.25", "+0.62", "▲ better"]), (1, ["0.88", "-0.62", "▼ worse"])):
        text = comment_of(finished(runs[1 - place], "今天", baseline=runs[place]), LONGEST).text
        [row] = rows_of(text, "metric")
        assert [row[4], row[5], row[7]] == words
        assert "- differences from the baseline: paired randomisation" in text


def test_a_baseline_that_cannot_be_compared(result: Result) -> None:
    other = ragauge.evaluate([{"answer": "a", "references": ["a"]}], "exact-match")
    text = comment_of(finished(result, baseline=other), LONGEST).text
    assert "- `not compared with the baseline: " in text
    assert "difference" not in text.split("\n- ")[0]


def test_the_worst_samples_are_folded_with_their_texts(result: Result, gate: Gate) -> None:
    text = comment_of(finished(result, gate=gate), LONGEST).text
    folded = text[text.index("<summary>Worst samples by <code>exact-match</code></summary>") :]
    first, second = folded.index(f"`{21:032x}`: failed: `超时：\\x0a<b>`"), folded.index(f"`{20:032x}`: 0.0000")
    assert first < second < folded.index("</details>")
    assert "answer:\n  不对\nreferences:\n  林婉" in folded
    assert comment_of(finished(result), LONGEST, samples=0).text.count("<details>") == 1


@pytest.mark.parametrize("text", [*TEXTS.values(), *LABELS])
def test_texts_and_names_of_many_scripts(text: str) -> None:
    rows = [{"id": text, "question": text, "answer": text, "references": ["?"]}]
    made = comment_of(finished(ragauge.evaluate(rows, f"{text.replace('_', '')}=exact-match"), text), LONGEST).text
    assert f"`{text}`, 1 sample" in made
    assert f"| `{text.replace('_', '')}` |" in made
    assert f"`{text}`: 0.0000\n\n```text\nquestion:\n  {text}\n" in made


# A mention, a command of GitLab, HTML, a link, an end of the code, cells, a bidirectional override.
HOSTILE = (
    "@everyone\n/close\n</details><img src=x onerror=alert(1)> [x](http://e.vil) `` ``` | \\| #1 ![a](b) \u202egnp"
)


def outside_code(text: str) -> str:
    """Return Markdown without its code, as GitHub and GitLab read it: fences first, then spans of equal backticks."""
    text = re.sub(r"^(`{3,})text\n.*?\n\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    text = re.sub(r"<code>.*?</code>", "", text)
    return re.sub(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", "", text)


@pytest.mark.parametrize("place", ["id", "question", "answer", "failure", "label", "name", "tag"])
def test_data_are_no_markup_and_notify_nobody(place: str, tmp_path: Path) -> None:
    row: dict[str, Any] = {"id": "1", "question": "q", "answer": "a", "references": ["b"], HOSTILE: 0.5}
    row |= {place: HOSTILE} if place in row else {"failure": HOSTILE} if place == "failure" else {}
    metric = ragauge.metrics.Column(name=HOSTILE) if place == "label" else "exact-match"
    ragauge.evaluate([row], metric).save(tmp_path / "run", tag=HOSTILE if place == "tag" else "t")
    made = comment_of(finished(tmp_path / "run", HOSTILE if place == "name" else "run"), LONGEST).text
    assert "onerror" in made
    rest = outside_code(made)
    for part in ("@every", "/close", "<img", "e.vil", "![", "\u202e"):
        assert part not in rest
    assert rest.count("<details>") == rest.count("</details>") == 1 + ("Worst" in rest)
    # Below a code fence lines are indented, so none begins with a command of GitLab.
    assert re.search(r"^/", made, re.MULTILINE) is None


@pytest.mark.parametrize("longest", [2_000, 5_000, 20_000])
def test_it_is_never_longer_than_it_may_be(longest: int) -> None:
    rows = [
        {"id": f"{place}" * 20, "answer": "不" * 700, "question": "问" * 700, "references": ["是" * 700]}
        for place in range(40)
    ]
    metrics = [f"{'指标' * 20}{place}=token-f1" for place in range(2)] + [f"ndcg@{k}" for k in range(1, 30)]
    result = ragauge.evaluate([row | {"retrieved": ["b"], "relevance": {"a": 1}} for row in rows], metrics)
    gate = ragauge.gate(result, min={f"ndcg@{k}": 0.1 for k in range(1, 30)})
    made = comment_of(finished(result, "长" * 500, gate=gate), longest, samples=40)
    assert len(made.text) <= longest
    assert made.left_out[0].startswith(f"left out, so that it has at most {longest:,} characters: ")
    assert "left out: this text may not be longer." in made.text
    assert rows_of(made.text, "outcome")[0][0] == "**FAIL**"
    kept = made.text.count("```text")
    assert f"{40 - kept} worst sample" in made.left_out[0]


def test_whole_where_it_fits(result: Result, gate: Gate) -> None:
    whole = comment_of(finished(result, gate=gate), LONGEST)
    assert whole.left_out == ()
    assert comment_of(finished(result, gate=gate), len(whole.text)) == whole
    assert comment_of(finished(result, gate=gate), len(whole.text) - 1).left_out != ()


def test_in_a_file(result: Result, gate: Gate, tmp_path: Path) -> None:
    written = ragauge.export(result, f"markdown[path={tmp_path / 'new' / '今.md'}]", gate=gate, name="茶")
    wanted = comment_of(finished(result, "茶", gate=gate), LONGEST).text
    assert (tmp_path / "new" / "今.md").read_text(encoding="utf-8") == wanted
    assert str(written) == str(tmp_path / "new" / "今.md")
    with pytest.raises(UsageError, match=r"already exists\. Name another file, or pass force=true to replace it\."):
        ragauge.export(result, "markdown", path=written.where)
    ragauge.export(result, "markdown", path=written.where, force=True)
    with pytest.raises(UsageError, match=r"is a folder; name a file in a folder that exists"):
        ragauge.export(result, "markdown", path=str(tmp_path))
    with pytest.raises(OptionError, match="option 'path' of writer 'markdown' must be the file to write"):
        ragauge.export(result, "markdown")


def test_an_empty_name_begins_no_code_that_ends_elsewhere(result: Result, gate: Gate) -> None:
    checks = tuple(replace(check, rule="") for check in gate.checks)
    text = comment_of(finished(result, gate=replace(gate, checks=checks)), LONGEST).text
    assert "``" not in text.replace("```", "")


def test_samples_without_texts_show_what_was_retrieved_and_relevant() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "甲", "retrieved": ["文一", "文二"], "relevance": {"文三": 2, "文四": 0}},
        {"id": "乙", "retrieved": ["b"], "relevance": {"b": 1}},
        {"id": "丙", "retrieved": [], "relevance": None},
    ]
    text = comment_of(finished(ragauge.evaluate(rows, "ndcg@5")), LONGEST).text
    assert "`甲`: 0.0000\n\n```text\nretrieved:\n  文一\n  文二\nrelevance:\n  文三: 2\n  文四: 0\n```" in text
    assert "`乙`" not in text
    assert "`丙`" not in text


def test_a_run_in_which_nothing_is_scored() -> None:
    result = ragauge.evaluate([{"id": "a", "answer": "x", "references": []}], "exact-match")
    text = comment_of(finished(result, gate=ragauge.gate(result, min={"exact-match": 0.5})), LONGEST).text
    assert "no sample was scored: 0 failed, 0 missing, 1 undefined" in text
    assert rows_of(text, "metric")[0][1:4] == ["–", "", "0/1"]
    assert "Worst samples" not in text


def test_the_verdict_gate_and_tables_are_in_chinese_where_that_is_wanted(result: Result) -> None:
    gate = ragauge.gate(result, min={"exact-match": 0.9})
    run = finished(result, "today", baseline=result, gate=gate)
    text = comment_of(run, 65_536, 0, "zh").text
    assert text.startswith("## 门禁未通过")
    assert rows_of(text, "结论")[0][:2] == ["**未通过**", "`exact-match 至少 0.9`"]
    assert "`不要上线（today）：" in text
    assert "| 指标 | 值 | 95% 区间 |" in text
    assert comment_of(run, 65_536, 0).text.startswith("## Gate failed")
