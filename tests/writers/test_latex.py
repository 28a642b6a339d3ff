"""Scores as a LaTeX table: it has the numbers of the run, and no text of the data is a command."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import ragauge
from ragauge.errors import OptionError
from ragauge.results.result import Result
from ragauge.writers.latex import escaped
from tests.writers.runs import LABELS, some_result


def written(path: Path, result: Result, **options: object) -> str:
    ragauge.export(result, "latex", path=str(path / "t.tex"), force=True, **options)  # type: ignore[arg-type]
    text = (path / "t.tex").read_text(encoding="utf-8")
    without = re.sub(r"\\[\\{}$&#%_]", "", text)
    # Braces are in pairs, and so are dollars, in each line but the comment.
    for line in without.splitlines()[1:]:
        assert line.count("{") == line.count("}")
        assert line.count("$") % 2 == 0
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
    assert begun == ended[::-1] == ["table", "tabular"]
    return text


def cells(text: str) -> list[list[str]]:
    """Return the cells of each row, the heading among them."""
    rows = [line for line in text.splitlines() if line.endswith(r"\\")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)&", row.removesuffix(r"\\"))] for row in rows]


def test_values_intervals_and_coverage(tmp_path: Path) -> None:
    text = written(tmp_path, some_result(), name="茶_1")
    assert r"\usepackage{booktabs}" in text.splitlines()[0]
    assert r"\caption{茶\_1: 11 samples.}" in text
    head, first, *_ = cells(text)
    assert head == ["Metric", "Score", r"95 \% interval", "Scored"]
    assert first == ["exact-match", "$0.875$", "{[}$0.529$, $0.978$]", "8/11"]
    assert {len(row) for row in cells(text)} == {4}
    assert f"exact-match, chrf, {LABELS[0]}: 1 failed, 1 missing, 1 undefined." in text
    assert r"latency $\downarrow$ & $0.688$" in text


def runs(*right: int) -> list[Result]:
    return [
        ragauge.evaluate(
            [
                {"id": f"q{i}", "answer": "茶" if i < count else "酒", "references": ["茶"], "x": -i / 7}
                for i in range(40)
            ],
            ["正确=exact-match", "column:name=x"],
        )
        for count in right
    ]


@pytest.mark.parametrize(("after", "cell"), [(35, r"$+0.625$\textsuperscript{***}"), (10, "$0.000$"), (12, "$+0.050$")])
def test_marks_where_the_test_decides(after: int, cell: str, tmp_path: Path) -> None:
    before, candidate = runs(10, after)
    text = written(tmp_path, candidate, baseline=before)
    head, first, second = cells(text)
    assert head[4:] == ["Baseline", "Difference", r"95 \% interval"]
    assert first[4:6] == ["$0.250$", cell]
    assert second[1] == "$-2.786$"
    assert r"\textsuperscript{*} $p \le 0.05$" in text


def test_samples_that_were_left_out_are_named(tmp_path: Path) -> None:
    rows = [{"id": name, "answer": name, "references": ["茶"]} for name in ("茶", "酒", "水")]
    ragauge.evaluate(rows, "exact-match", resamples=0).save(tmp_path / "run")
    without = ragauge.exclude(tmp_path / "run", "酒", why="of another customer", who="Ann")
    text = written(tmp_path, without)
    assert "酒: of another customer, by Ann" in text.partition(r"\end{tabular}")[2]


def test_digits_caption_and_label(tmp_path: Path) -> None:
    text = written(tmp_path, some_result(), digits=1, caption="50% {of} all", label="tab:a-b_1")
    assert cells(text)[1][1] == "$0.9$"
    assert r"\caption{50\% \{of\} all}" in text
    assert r"\label{tab:a-b_1}" in text
    for options in ({"label": "a}b"}, {"digits": 0}):
        with pytest.raises(OptionError):
            ragauge.export(some_result(), "latex", path="x.tex", **options)


@pytest.mark.parametrize("label", [*LABELS, r"\input{x}", "a&b%c#d", "$x$", "[1]", "*", '~^`|<>"', "}{", "\n\\\\"])
def test_no_name_is_a_command(label: str, tmp_path: Path) -> None:
    result = ragauge.evaluate([{label: 0.5}], ragauge.metrics.Column(name=label))
    text = written(tmp_path, result, name=label)
    assert len(cells(text)) == 2
    assert {len(row) for row in cells(text)} == {4}
    assert text.count("\\input") == 0
    assert f"\\caption{{{escaped(label)}: 1 sample" in text
