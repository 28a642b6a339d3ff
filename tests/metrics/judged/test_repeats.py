"""Several judges and repeats, prompts by language, and what stands in signatures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragauge.core.ingredients import Question
from ragauge.core.protocol import signature_of
from ragauge.core.statistics import Status
from ragauge.errors import OptionError, UsageError
from ragauge.evaluation.partial import measure_cells
from ragauge.judges import FunctionJudge
from ragauge.metrics import JudgedFaithfulness, JudgedPreference, JudgedRubric

from .toys import EVERY, ScriptedJudge, always, any_reply, batch_of, made, support


class Jury:
    """Judges of a jury, as metrics see them."""

    def __init__(self, *judges: Any) -> None:
        self.judges = judges

    @property
    def signature(self) -> str:
        return "+".join(judge.signature for judge in self.judges)

    def ask(self, *_: Any) -> Any:
        raise AssertionError


def judge(name: str, value: Any) -> ScriptedJudge:
    return ScriptedJudge(always(value), signature=name)


def test_a_jury_is_the_mean_of_its_judges_and_shows_their_variance() -> None:
    jury = Jury(judge("a", support([1], [])), judge("b", support([1], [1])))
    metric, batch = JudgedFaithfulness(judge=jury), batch_of({})
    cells = measure_cells(metric, batch)
    assert cells.scores.tolist() == [0.75]
    assert cells.parts["judge variance"].tolist() == [0.125]
    assert metric.explain(batch)["what"].to_pylist() == ["answer claim (1)"] * 2 + ["answer claim (2)"] * 2
    assert [len(one.asked_for) for one in jury.judges] == [1, 1]


def test_a_sample_fails_where_one_judge_of_a_jury_fails() -> None:
    jury = Jury(judge("a", support([1], [])), judge("b", "refused: no"))
    cells = measure_cells(JudgedFaithfulness(judge=jury), batch_of({}))
    assert cells.sums.status.tolist() == [Status.FAILED]
    assert cells.sums.reasons == {0: "refused: no"}


def test_repeats_ask_again_each_with_its_number() -> None:
    one = ScriptedJudge(any_reply)
    metric, batch = JudgedFaithfulness(judge=one, repeats=3), batch_of({}, {"answer": ""})
    cells = measure_cells(metric, batch)
    assert cells.scores[0] == 0.5
    assert cells.parts["judge variance"][0] == 0.0
    assert cells.sums.status.tolist() == [Status.OK, Status.UNDEFINED]
    asked: list[Question] = one.asked_for
    assert [question.repeat for question in asked] == [0, 1, 2]
    assert len({question.messages for question in asked}) == 1


def test_a_variance_needs_two_values() -> None:
    """Where one of two repeats is undefined, there is nothing to compare."""
    jury = Jury(judge("a", {"claims": []}), ScriptedJudge(any_reply, signature="b"))
    cells = measure_cells(JudgedFaithfulness(judge=jury, claims="judge"), batch_of({}))
    assert cells.sums.status.tolist() == [Status.OK]
    assert np.isnan(cells.parts["judge variance"]).tolist() == [True]
    assert cells.sums["part judge variance count"].tolist() == [0]


def test_only_answers_that_were_compared_are_consistent() -> None:
    one = ScriptedJudge(always({"better": 1}))
    batch = batch_of({"answer": "A.", "other_answer": "B."}, {"answer": "同じ。", "other_answer": "同じ。"})
    cells = measure_cells(JudgedPreference(judge=one), batch)
    assert cells.scores.tolist() == [0.5, 0.5]
    assert cells.parts["consistent"].tolist() == pytest.approx([0.0, np.nan], nan_ok=True)
    assert cells.sums["part consistent count"].tolist() == [1, 0]
    twice = measure_cells(JudgedPreference(judge=one, repeats=2), batch)
    assert twice.parts["consistent"].tolist() == pytest.approx([0.0, np.nan], nan_ok=True)


@pytest.mark.parametrize("name", EVERY)
def test_repeats_of_every_metric(name: str) -> None:
    batch = batch_of({}, {"answer": "Other."})
    once, thrice = (measure_cells(made(name, ScriptedJudge(any_reply), repeats=n), batch) for n in (1, 3))
    assert thrice.scores.tolist() == pytest.approx(once.scores.tolist(), nan_ok=True)
    assert set(thrice.parts) == {*once.parts, "judge variance"}


def test_prompts_are_in_the_language_of_each_sample() -> None:
    one = ScriptedJudge(any_reply)
    texts = {"zh": "谁开的？", "ja": "だれが開きましたか", "ko": "누가 열었나요?", "ru": "Кто открыл?", "en": "ใครเปิด"}
    rows = [{"question": text, "answer": text} for text in texts.values()]
    measure_cells(made("judged-groundedness-rating", one), batch_of(*rows))
    starts = [question.messages[1][1].partition("\n")[0] for question in one.asked_for]
    assert starts == ["问题：", "質問：", "질문:", "Вопрос:", "Question:"]
    forced = ScriptedJudge(any_reply)
    measure_cells(made("judged-groundedness-rating", forced, language="ko"), batch_of(*rows))
    assert {question.messages[1][1].partition("\n")[0] for question in forced.asked_for} == {"질문:"}


def test_signatures_hold_the_prompts_and_the_criteria_by_their_hashes(tmp_path: Path) -> None:
    one = judge("a", support([1]))
    plain = signature_of(JudgedFaithfulness(judge=one)).identity
    assert "|judge=a|" in plain
    (tmp_path / "support.txt").write_text("{passages} {claims} {count}", encoding="utf-8")
    other = signature_of(JudgedFaithfulness(judge=one, prompts=str(tmp_path))).identity
    assert plain != other
    assert str(tmp_path) not in other
    # Only prompts that a metric uses count.
    assert signature_of(JudgedRubric(judge=one, criteria="x", prompts=str(tmp_path))).identity == (
        signature_of(JudgedRubric(judge=one, criteria="x")).identity
    )
    file = tmp_path / "criteria.md"
    file.write_text("polite", encoding="utf-8")
    first = signature_of(JudgedRubric(judge=one, file=str(file))).identity
    file.write_text("short", encoding="utf-8")
    assert signature_of(JudgedRubric(judge=one, file=str(file))).identity != first
    assert signature_of(JudgedRubric(judge=one, criteria="polite")).identity == first


def test_what_a_rubric_needs(tmp_path: Path) -> None:
    one = judge("a", {"rating": 1})
    with pytest.raises(OptionError, match="judged-rubric needs criteria, in one place: give criteria=TEXT"):
        JudgedRubric(judge=one)
    with pytest.raises(OptionError, match="'high' of judged-rubric must be above low=5"):
        JudgedRubric(judge=one, criteria="x", low=5)
    with pytest.raises(OptionError, match="'file' of judged-preference must be left out beside criteria"):
        JudgedPreference(judge=one, criteria="x", file="y")
    with pytest.raises(UsageError, match=r"the file of criteria .* cannot be read"):
        JudgedRubric(judge=one, file=str(tmp_path / "absent"))
    (tmp_path / "empty").write_text(" \n", encoding="utf-8")
    with pytest.raises(UsageError, match="must hold 1 to 100000 characters; got 0"):
        JudgedRubric(judge=one, file=str(tmp_path / "empty"))


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ("谁开的？", "这个回复无法使用：there must be"),
        ("だれが開きましたか", "この返答は使えません：there must be"),
        ("누가 열었나요?", "이 답변은 사용할 수 없습니다: there must be"),
        ("Кто открыл?", "Этот ответ нельзя использовать: there must be"),
        ("ใครเปิด", "This reply cannot be used: there must be"),
    ],
)
def test_a_wrong_reply_is_asked_for_again_in_the_language_of_the_prompt(text: str, begins: str) -> None:
    seen: list[str] = []

    def wrong(messages: Sequence[tuple[str, str]]) -> str:
        seen.append(messages[-1][1])
        return '{"claims": []}'

    batch = batch_of({"question": text, "answer": text})
    measure_cells(JudgedFaithfulness(judge=FunctionJudge(wrong, "wrong")), batch)
    assert len(seen) == 2
    assert seen[1].startswith(begins)
    assert '"required": ["claims"]' in seen[1]


def test_a_prompt_of_ones_own_that_lacks_a_place_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    (tmp_path / "support.txt").write_text("{passages}", encoding="utf-8")
    with pytest.raises(UsageError, match="claims"):
        JudgedFaithfulness(judge=judge("a", support([1])), prompts=str(tmp_path))
