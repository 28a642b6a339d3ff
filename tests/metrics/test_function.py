"""A metric of a plain function, in each of its forms, and a metric in a file."""

from __future__ import annotations

import asyncio
import math
import pickle
import sys
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.sample import Sample
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.metrics import FunctionMetric
from ragauge.metrics.parse import parse

pytestmark = pytest.mark.usefixtures("registered")

ROWS = [{"id": "a", "answer": "one two", "tone": 2}, {"id": "b", "answer": None, "tone": 1}]


def test_plain_and_with_arguments_and_called_directly() -> None:
    @ragauge.metric
    def a_tone(sample: Sample) -> Any:
        return sample.tags["tone"]

    @ragauge.metric(name="words", needs=("answer",), range=(0, 9), direction="lower", stage="end-to-end", revision=2)
    def count(sample: Sample) -> float:
        return len((sample.answer or "").split())

    result = ragauge.evaluate(ROWS, [a_tone, "words"], resamples=0)
    assert (result["a-tone"].value, result["words"].value) == (1.5, 2.0)
    assert (result["words"].scored, result["words"].missing, result["words"].direction) == (1, 1, "lower")
    assert count(Sample(answer="x y z")) == 3
    assert parse("words") is count


def test_the_signature_is_the_same_in_every_process() -> None:
    made = ragauge.metric(name="m", revision=4)(lambda sample: 1.0)
    signature = ragauge.evaluate(ROWS, made, resamples=0)["m"].signature
    assert signature.startswith("m|average=samples|direction=higher|needs=|range=-inf/inf|stage=generation|revision=4|")
    assert "0x" not in signature
    assert "0x" not in repr(made)


@pytest.mark.parametrize(
    ("value", "status", "reason"),
    [
        (1, "ok", None),
        (True, "ok", None),
        (np.float32(0.5), "ok", None),
        (None, "undefined", None),
        (math.nan, "undefined", None),
        (math.inf, "failed", "ValueError: a metric must return a finite number or None; got an infinity"),
        ("high", "failed", "TypeError: a metric must return a number or None; got str"),
    ],
)
def test_what_a_function_may_return(value: Any, status: str, reason: str | None) -> None:
    made = ragauge.metric(name="m")(lambda sample: value)
    result = ragauge.evaluate(ROWS, made, resamples=0)
    assert set(result.statuses("m")) == {status}
    assert set(result.reasons("m").values()) == ({reason} if reason else set())


def test_an_exception_fails_its_sample_only() -> None:
    made = ragauge.metric(name="m")(lambda sample: len(sample.answer or 1 / 0))  # type: ignore[arg-type]
    result = ragauge.evaluate(ROWS, made, resamples=0)
    assert result.statuses("m").tolist() == ["ok", "failed"]
    assert dict(result.reasons("m")) == {1: "ZeroDivisionError: division by zero"}


@pytest.mark.parametrize(
    "error", [SystemExit(0), GeneratorExit(), asyncio.CancelledError(), BaseExceptionGroup("g", [SystemExit()])]
)
def test_an_exit_is_the_failure_of_its_sample_too(error: BaseException) -> None:
    def function(sample: Sample) -> float:
        if sample.answer is None:
            raise error
        return 1.0

    result = ragauge.evaluate(ROWS, ragauge.metric(name="m")(function), resamples=0)
    assert result.statuses("m").tolist() == ["ok", "failed"]
    assert result.reasons("m")[1].startswith(type(error).__name__)


def test_ctrl_c_ends_the_run() -> None:
    def function(_: Sample) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ragauge.evaluate(ROWS, ragauge.metric(name="m")(function), resamples=0)


def test_rows_that_lack_a_column_or_failed_are_not_passed_on() -> None:
    seen: list[str | None] = []

    @ragauge.metric(needs=("answer",))
    def noting(sample: Sample) -> float:
        seen.append(sample.id)
        return 1.0

    result = ragauge.evaluate([*ROWS, {"id": "c", "answer": "x", "failure": "down"}], noting, resamples=0)
    assert seen == ["a"]
    assert result.statuses("noting").tolist() == ["ok", "missing", "failed"]


def test_defining_it_again_replaces_it() -> None:
    for value in (1.0, 2.0):
        ragauge.metric(name="again")(lambda sample, value=value: value)  # type: ignore[misc]
    assert ragauge.evaluate(ROWS, "again", resamples=0)["again"].value == 2.0


def test_a_name_of_ours_cannot_be_taken() -> None:
    with pytest.raises(UsageError, match="two metrics are named 'ndcg'"):
        ragauge.metric(name="ndcg")(lambda sample: 1.0)


@pytest.mark.parametrize("name", ["a:b", "a@b", "a,b", " a"])
def test_a_name_must_fit_into_a_spec(name: str) -> None:
    with pytest.raises(OptionError, match="must be a name without '@', ':' and ','"):
        ragauge.metric(name=name)(lambda sample: 1.0)


@pytest.mark.parametrize("spec", ["m@3", "m:k=3"])
def test_it_takes_no_options(spec: str) -> None:
    ragauge.metric(name="m")(lambda sample: 1.0)
    with pytest.raises(OptionError, match=r"m has no option '[@k]'; it takes none"):
        parse(spec)


@pytest.mark.parametrize(
    ("option", "value", "allowed"),
    [
        ("direction", "up", "higher or lower"),
        ("stage", "generate", "retrieval, generation or end-to-end"),
        ("range", (1, 0), "two numbers, the lowest and the highest value"),
        ("range", (0, math.nan), "two numbers, the lowest and the highest value"),
        ("range", (0, "1"), "two numbers, the lowest and the highest value"),
        ("range", 1, "two numbers, the lowest and the highest value"),
        ("needs", "answer", "a tuple of names of columns, as in ('answer',)"),
    ],
)
def test_a_wrong_option_of_the_decorator_is_refused(option: str, value: Any, allowed: str) -> None:
    wrong: dict[str, Any] = {option: value}
    with pytest.raises(OptionError) as refused:
        ragauge.metric(name="m", **wrong)(lambda sample: 1.0)
    assert str(refused.value) == f"option {option!r} of @metric must be {allowed}; got {value!r}"


def test_lists_are_taken_as_tuples() -> None:
    lists: dict[str, Any] = {"needs": ["answer"], "range": [0, 1]}
    made = ragauge.metric(name="m", **lists)(lambda sample: 1.0)
    assert (made.needs, made.range) == ((("answer",),), (0, 1))


def test_a_wrong_average_of_the_class_is_refused() -> None:
    wrong: dict[str, Any] = {"average": "pooled"}
    with pytest.raises(OptionError, match="option 'average' of @metric must be samples; got 'pooled'"):
        FunctionMetric("m", lambda sample: 1.0, ((),), (0.0, 1.0), "higher", "generation", **wrong)


def test_a_name_in_place_of_the_function_is_refused() -> None:
    wrong: Any = "shout"
    with pytest.raises(OptionError, match=r"must be a function of one sample, and options by name, .*; got 'shout'"):
        ragauge.metric(wrong)


def test_a_metric_in_a_file(tmp_path: Path) -> None:
    path = tmp_path / "checks.py"
    path.write_text(
        "import ragauge\n\n\ndef polite(sample):\n    return float('bitte' in sample.answer)\n\n\n"
        "@ragauge.metric(needs=('answer',), name='short')\ndef short(sample):\n    return len(sample.answer) < 9\n\n\n"
        "limit = 3\n",
        encoding="utf-8",
    )
    rows = [{"answer": "ja bitte"}, {"answer": "nein, danke sehr"}]
    result = ragauge.evaluate(rows, [f"{path}:polite", f"s={path}:short"], resamples=0)
    assert [score.value for score in result.table] == [0.5, 0.5]
    assert [score.metric for score in result.table] == [f"{path}:polite", "s"]
    with pytest.raises(UnknownNameError, match=r"unknown name in .*checks.py: 'polit'; did you mean polite\?"):
        parse(f"{path}:polit")
    with pytest.raises(UsageError, match="must be a function of one sample, or a metric; got 3"):
        parse(f"{path}:limit")
    with pytest.raises(UsageError, match=r"no.py: file not found; name what is in a file as in -m checks.py:function"):
        parse(f"{tmp_path}/no.py:f")
    (tmp_path / "broken.py").write_text("import nothing_of_this_name", encoding="utf-8")
    with pytest.raises(UsageError, match=r"broken.py:1 cannot be imported: No module named"):
        parse(f"{tmp_path}/broken.py:f")
    (tmp_path / "open.py").write_text("limit = 3\n\n\ndef f(sample:\n    return 1\n", encoding="utf-8")
    with pytest.raises(UsageError, match=r"open.py:4 cannot be imported: SyntaxError: '\(' was never closed; correct"):
        parse(f"{tmp_path}/open.py:f")


def test_a_bare_function_is_a_metric() -> None:
    def is_long(sample: Sample) -> bool:
        return len(sample["answer"]) > 3

    for metrics in (is_long, [is_long], {"mine": is_long}, [lambda sample: sample.get("tone", 0) / 2]):
        [score] = ragauge.evaluate(ROWS[:1], metrics, resamples=0).table
        assert score.value == 1.0
    assert ragauge.score(is_long, answer="茶") == 0.0
    assert [one.metric for one in ragauge.evaluate(ROWS[:1], [is_long], resamples=0).table] == ["is-long"]


@pytest.mark.parametrize(
    "function",
    [
        lambda sample: sample["Antwort"] == "Lin",
        lambda sample: sample.get("Antwort", "") == sample.get("answer"),
        lambda sample: sample.Antwort == sample.answer and not hasattr(sample, "hops"),
        lambda sample: sample.get("retrieved_ids", "none") == "none" and sample.get("hops", 1) == 1,
        lambda sample: (
            sample.get("Referenz")[0] == "Lin" if sample.references is None else sample.references == ["Lin"]
        ),
        lambda sample: deepcopy(sample) == sample == pickle.loads(pickle.dumps(sample)),  # noqa: S301
    ],
)
def test_a_function_may_read_columns_by_their_names_in_the_data(function: Callable[[Any], bool]) -> None:
    rows = [{"Frage": "Wer?", "Antwort": "Lin", "Referenz": "Lin"}]
    assert ragauge.evaluate(rows, [function], resamples=0).table[0].value == 1


@pytest.mark.parametrize(
    "function",
    [
        lambda sample: sample["Referenz"] == sample.answer,
        lambda sample: sample.get("reference", "") == sample.answer,
        lambda sample: getattr(sample, "reference", None) == sample.answer,
    ],
)
def test_a_text_of_the_data_that_was_read_as_a_list_fails_and_says_how_to_read_it(
    function: Callable[[Any], bool],
) -> None:
    result = ragauge.evaluate([{"Antwort": "Lin", "Referenz": "Lin"}], [function], resamples=0)
    [why] = result.reasons(result.table[0].metric).values()
    assert "was read as 'references', a list, whose first is sample.references[0]" in why


@pytest.mark.parametrize(
    "function",
    [
        lambda sample: sample.references == sample.answer,
        lambda sample: sample.answer == sample["references"],
        lambda sample: sample.answer != sample.references,
        lambda sample: sample.contexts == "茶",
    ],
)
def test_a_list_is_never_compared_with_a_text_in_silence(function: Callable[[Any], bool]) -> None:
    result = ragauge.evaluate(
        [{"answer": "茶", "references": ["茶"], "contexts": ["茶", "x"]}], [function], resamples=0
    )
    [why] = result.reasons(result.table[0].metric).values()
    assert "is a list, which no text is equal to; its first text is sample." in why


@pytest.mark.parametrize(
    "function",
    [
        lambda sample: "Referenz" in sample.keys() and "reference" in sample and "Frage" not in sample,  # noqa: SIM118
        lambda sample: str(sample["references"]) == sample.answer == dict(sample)["Mein"],
        lambda sample: sample.get("Mein", "") == sample["Mein"] == sample.Mein == "Lin",
        lambda sample: sample["retrieved_ids"] == ["d1", "d2"] and sample["docs"] == ["茶", "Чай"],
        lambda sample: sample["retrieved_ids"] == sample.retrieved and sample.references == ["Lin"],
    ],
)
def test_a_column_is_what_it_is_in_the_data(function: Callable[[Any], bool]) -> None:
    row = {"Mein": "Lin", "Referenz": "Lin", "retrieved_ids": ["d1", "d2"], "docs": ["茶", "Чай"]}
    result = ragauge.evaluate([row], [function], map={"answer": "Mein"}, resamples=0)
    assert result.table[0].value == 1, result.reasons(result.table[0].metric)


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda sample: dict(sample)["Referenz"], "'Referenz' was read as 'references', a list"),
        (lambda sample: sample["absent"], "available: Antwort, Referenz, answer, id, references"),
        (lambda sample: sample.to_dict(), "a sample has no 'to_dict'; dict(sample) has its columns"),
        (lambda sample: {"b": 1}["a"], "KeyError: 'a'"),
        (lambda sample: sample["references"].lower(), "references is a list, which has no 'lower'; its first text is "),
        (lambda sample: sample["references"].lower(), "sample['references'][0]"),
        (lambda sample: float(sample["references"]), "must be; its first is sample['references'][0]"),
        (len, "def f(sample), which reads sample['answer']"),
        (lambda answer: answer.strip(), "a sample has no 'strip'"),
        (lambda answer: answer.strip(), "def f(sample), which reads sample['answer']"),
        (lambda answer: answer == "Lin", "def f(sample), which reads sample['answer']"),
    ],
)
def test_an_error_names_the_columns_that_there_are(function: Callable[[Any], Any], said: str) -> None:
    result = ragauge.evaluate([{"Antwort": "Lin", "Referenz": "Lin"}], [function], resamples=0)
    [why] = result.reasons(result.table[0].metric).values()
    assert said in why


@pytest.mark.filterwarnings("error")
def test_an_async_function_is_told_to_be_a_plain_one() -> None:
    async def later(sample: Any) -> float:
        return 1.0

    function: Any = later
    result = ragauge.evaluate([{"answer": "чай"}], [function], resamples=0)
    [why] = result.reasons(result.table[0].metric).values()
    assert "a metric is a plain function: write def, not async def" in why


def test_a_sample_is_read_by_names_of_columns() -> None:
    sample = Sample(answer="чай", tags={"tone": 2})
    assert (sample["answer"], sample["tone"], sample["contexts"]) == ("чай", 2, None)
    assert (sample.get("contexts", []), sample.get("contexts"), sample.get("absent", default=1)) == ([], None, 1)
    with pytest.raises(KeyError, match="no column 'reference'; did you mean references"):
        sample.get("reference")
    with pytest.raises(KeyError, match="no column 'answr'; did you mean answer"):
        sample["answr"]
    with pytest.raises(KeyError, match="no column 'absent'; available: answer, contexts"):
        sample["absent"]


def test_a_metric_in_a_module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tea_checks.py").write_text("def polite(sample):\n    return 'bitte' in sample['answer']\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    [score] = ragauge.evaluate([{"answer": "ja bitte"}], "tea_checks:polite", resamples=0).table
    assert (score.metric, score.value) == ("tea_checks:polite", 1.0)
    with pytest.raises(UsageError, match="there is no module 'tea_check' in this folder"):
        parse("tea_check:polite")
    with pytest.raises(UsageError, match="'order' is not key=value"):
        parse("bleu:order")


OWN = """
from dataclasses import dataclass, field

class Counted:
    needs = (("answer",),)
    stage, direction, range, revision = "generation", "higher", (0, 1), 1
    def measure(self, batch): ...
    def score(self, totals): ...

@dataclass(frozen=True)
class NoAverage(Counted): ...

@dataclass(frozen=True)
class Required(Counted):
    average: str
    weight: float

class Plain(Counted):
    average = "samples"

plain = Plain()
required = Required("samples", 2.0)

def bleu(sample): return 1.0
"""


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NoAverage", r"checks.py:10: a metric must have .*; got no average\. Write what is missing"),
        (
            "Required",
            r"checks.py:13: Required\(\) raises TypeError: .*'weight'\. Give each field a default, or name an obj",
        ),
        ("Plain", r"checks.py:18: a metric must be a dataclass; put @dataclass\(frozen=True\) above the class"),
        ("plain", r"checks.py:18: a metric must be a dataclass; put @dataclass\(frozen=True\) above the class"),
        ("bleu", r"two metrics are named 'bleu': .*metrics.text.bleu.py:\d+ and .*checks.py:24\. Rename one of them"),
    ],
)
def test_an_own_file_is_named_with_what_is_wrong_in_it(tmp_path: Path, name: str, expected: str) -> None:
    (tmp_path / "checks.py").write_text(OWN, encoding="utf-8")
    assert getattr(parse(f"{tmp_path}/checks.py:required"), "weight", None) == 2.0
    with pytest.raises(UsageError, match=expected):
        parse(f"{tmp_path}/checks.py:{name}")


def test_two_functions_of_one_name_are_refused_and_each_may_have_its_own() -> None:
    rows = [{"question": "谁？", "answer": "林婉"}]
    with pytest.raises(UsageError, match=r"two metrics are called '<lambda>'; name each"):
        ragauge.evaluate(rows, [lambda _: 1.0, lambda _: 0.0])
    both = ragauge.evaluate(rows, {"one": lambda _: 1.0, "none": lambda _: 0.0})
    assert (both["one"].value, both["none"].value) == (1.0, 0.0)


def test_a_function_of_two_parameters_is_told_that_a_metric_takes_one_sample() -> None:
    def two(answer: str, references: str) -> float:
        return float(answer == references)

    with pytest.raises(UsageError, match=r"two\(answer.*\) -> .*: a metric takes one sample, as in def two\(sample\)"):
        ragauge.evaluate([{"answer": "a"}], two)  # type: ignore[arg-type]


def test_a_sample_says_which_columns_it_has_and_becomes_a_dict() -> None:
    rows = [{"answer": "林婉", "Thema": "茶", "topic": None}, {"Thema": "茶", "topic": "tea"}]

    def whole(sample: Sample) -> float:
        expected = {"answer": "林婉"} if "answer" in sample else {"topic": "tea"}
        return float({name: sample[name] for name in sample if name != "id"} == {**expected, "Thema": "茶"})

    result = ragauge.evaluate(
        rows, {"whole": whole, "dict": lambda sample: float("Thema" in dict(sample))}, resamples=0
    )
    assert (result["whole"].value, result["dict"].value, result.failures()) == (1.0, 1.0, [])
    assert not any("unused columns" in note for note in result.data.notes)


def test_a_name_of_no_column_is_an_error_and_not_absent() -> None:
    result = ragauge.evaluate([{"answer": "a", "Antwort": "b"}], lambda sample: float("anwort" in sample))
    assert "no column 'anwort'" in result.failures()[0]
