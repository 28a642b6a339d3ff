"""Judged metrics and ragas give the same score for the same replies; where they do not, ragas is wrong, or says why."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.statistics import Status
from ragauge.evaluation.partial import Cells, measure_cells
from ragauge.metrics.parse import parse
from tests.metrics.judged.toys import ScriptedJudge, support, useful

ragas = pytest.importorskip("ragas")
pytestmark = pytest.mark.filterwarnings("ignore")

WHY = "what the judge says"
marks = st.lists(st.booleans(), min_size=1, max_size=6)


def module(name: str) -> Any:
    return pytest.importorskip(f"ragas.metrics._{name}")


def cells(spec: str, script: Callable[[str, str], Any], **columns: Any) -> Cells:
    sample = {"id": "s", "question": "Q?", "answer": "A0.", "contexts": ["P0."], "references": ["R0."], **columns}
    joint = "," if ":" in spec else ":"
    metric = parse(f"{spec}{joint}compat=ragas", {"judge": ScriptedJudge(script)})
    return measure_cells(metric, Batch(pa.Table.from_pylist([sample])))


def texts(name: str, count: int) -> list[str]:
    return [f"{name}{number}." for number in range(count)]


def cited(verdicts: Sequence[bool]) -> dict[str, Any]:
    return support(*[[1] if verdict else [] for verdict in verdicts])


def nli(verdicts: Sequence[Any]) -> Any:
    of = module("faithfulness")
    answers = [of.StatementFaithfulnessAnswer(statement="s", reason=WHY, verdict=int(one)) for one in verdicts]
    return of.NLIStatementOutput(statements=answers)


@given(marks)
def test_faithfulness(verdicts: list[bool]) -> None:
    metric = parse("judged-faithfulness:claims=judge", {"judge": ScriptedJudge(by_prompt(verdicts))})
    batch = Batch(pa.table({"id": ["s"], "answer": ["A."], "contexts": [["P."]]}))
    assert measure_cells(metric, batch).scores[0] == module("faithfulness").Faithfulness()._compute_score(nli(verdicts))


def by_prompt(verdicts: Sequence[bool]) -> Callable[[str, str], Any]:
    return lambda prompt, _: {"claims": texts("c", len(verdicts))} if prompt == "claims" else cited(verdicts)


@given(marks)
@pytest.mark.parametrize("spec", ["judged-context-precision", "judged-context-utilization"])
def test_context_precision(spec: str, verdicts: list[bool]) -> None:
    of = module("context_precision")
    theirs = of.LLMContextPrecisionWithReference()._calculate_average_precision(
        [of.Verification(reason=WHY, verdict=int(one)) for one in verdicts]
    )
    ours = cells(spec, lambda *_: useful(*verdicts), contexts=texts("P", len(verdicts))).scores[0]
    assert ours == pytest.approx(theirs, abs=1e-15)


@given(marks)
def test_context_recall(verdicts: list[bool]) -> None:
    of = module("context_recall")
    theirs = of.LLMContextRecall()._compute_score(
        [of.ContextRecallClassification(statement="s", reason=WHY, attributed=int(one)) for one in verdicts]
    )
    reference = " ".join(f"Sentence {number} here." for number in range(len(verdicts)))
    metric = parse("judged-context-recall", {"judge": ScriptedJudge(lambda *_: cited(verdicts))})
    batch = Batch(pa.table({"id": ["s"], "references": [[reference]], "contexts": [["P."]]}))
    assert measure_cells(metric, batch).scores[0] == theirs


def of_both(answer: Sequence[bool], reference: Sequence[bool]) -> Callable[[str, str], Any]:
    """Reply what ragas is told: claims of the answer in the reference, and claims of the reference in the answer."""

    def script(prompt: str, message: str) -> Any:
        if prompt == "claims":
            return {"claims": texts("a", len(answer)) if "A0." in message else texts("r", len(reference))}
        return cited(answer if ">a0.<" in message else reference)

    return script


def their_factual_correctness(answer: Sequence[bool], reference: Sequence[bool], mode: str, beta: float) -> float:
    named = "f1" if mode == "f" else mode
    theirs = module("factual_correctness").FactualCorrectness(mode=named, beta=beta, llm=object())

    async def verified(reference: str, response: str, callbacks: Any) -> Any:
        return np.array(answer if response == "A0." else of_reference, dtype=bool)

    of_reference, theirs.decompose_and_verify_claims = reference, verified
    sample = ragas.SingleTurnSample(response="A0.", reference="R0.")
    return float(asyncio.run(theirs._single_turn_ascore(sample, None)))


@given(marks, marks, st.sampled_from(["f", "precision", "recall"]), st.sampled_from([0.5, 1.0, 2.0]))
def test_factual_correctness(answer: list[bool], reference: list[bool], mode: str, beta: float) -> None:
    ours = cells(f"judged-factual-correctness:mode={mode},beta={beta}", of_both(answer, reference))
    # ragas adds 1e-8 to denominators, and rounds to two digits.
    expected = their_factual_correctness(answer, reference, mode, beta)
    assert ours.scores[0] == pytest.approx(expected, abs=0.005 + 1e-7)


@given(marks, marks, st.sampled_from([0.5, 1.0, 2.0]))
def test_answer_correctness(answer: list[bool], reference: list[bool], beta: float) -> None:
    of = module("answer_correctness")
    one = of.StatementsWithReason(statement="s", reason=WHY)
    counts = {"TP": sum(answer), "FP": len(answer) - sum(answer), "FN": len(reference) - sum(reference)}
    prediction = of.ClassificationWithReason(**{name: [one] * count for name, count in counts.items()})
    theirs = of.AnswerCorrectness(beta=beta)._compute_statement_presence(prediction)
    ours = cells(f"judged-answer-correctness:beta={beta},weights=1/0", of_both(answer, reference))
    assert ours.scores[0] == pytest.approx(theirs, abs=1e-15)


@st.composite
def grids(draw: st.DrawFn) -> tuple[list[list[bool]], list[list[bool]], list[bool]]:
    passages = draw(st.integers(1, 4))
    row = st.lists(st.booleans(), min_size=passages, max_size=passages)
    answer, reference = draw(st.lists(row, min_size=1, max_size=4)), draw(st.lists(row, min_size=1, max_size=3))
    return answer, reference, draw(st.lists(st.booleans(), min_size=len(answer), max_size=len(answer)))


@given(grids(), st.sampled_from(["relevant", "irrelevant"]))
def test_noise_sensitivity(grid: tuple[list[list[bool]], list[list[bool]], list[bool]], mode: str) -> None:
    answer, reference, right = grid
    theirs = (
        module("noise_sensitivity")
        .NoiseSensitivity(mode=mode)
        ._compute_score(
            {
                "retrieved2ground_truth": np.array(reference),
                "retrieved2answer": np.array(answer),
                "ground_truth2answer": np.array([right]),
            }
        )
    )

    def script(prompt: str, message: str) -> Any:
        if prompt == "claims":
            return {"claims": texts("a", len(answer)) if "A0." in message else texts("r", len(reference))}
        if "P0." not in message:
            return cited(right)
        grid = answer if ">a0.<" in message else reference
        return support(*[[number for number, one in enumerate(row, 1) if one] for row in grid])

    columns = {"contexts": texts("P", len(answer[0]))}
    assert cells(f"judged-noise-sensitivity:mode={mode}", script, **columns).scores[0] == pytest.approx(
        theirs, abs=1e-15
    )


words = st.sampled_from(["Lin Wan", "1990", "Paris", "茶馆", "Lisbon"])


@given(st.lists(words, min_size=1, unique=True), st.lists(words, unique=True))
def test_context_entity_recall(reference: list[str], contexts: list[str]) -> None:
    theirs = module("context_entities_recall").ContextEntityRecall()._compute_score(reference, contexts)
    ours = cells("judged-context-entity-recall", lambda _, m: {"entities": contexts if "P0." in m else reference})
    assert ours.scores[0] == pytest.approx(theirs, abs=1e-7)


@given(st.sampled_from([0, 1, 2]), st.sampled_from([0, 1, 2]))
def test_answer_rating(first: int, second: int) -> None:
    of = module("nv_metrics").AnswerAccuracy()
    theirs = of.average_scores(of.process_score(str(2 * first)), of.process_score(str(2 * second)))
    ours = cells("judged-answer-rating", lambda _, m: {"rating": first if m.index("A0.") < m.index("R0.") else second})
    assert ours.scores[0] == theirs


@pytest.mark.parametrize("rating", [0, 1, 2])
@pytest.mark.parametrize(
    ("name", "theirs"),
    [("judged-context-rating", "ContextRelevance"), ("judged-groundedness-rating", "ResponseGroundedness")],
)
def test_other_ratings(name: str, theirs: str, rating: int) -> None:
    of = getattr(module("nv_metrics"), theirs)()
    assert cells(name, lambda *_: {"rating": rating}).scores[0] == of.average_scores(
        *[of.process_score(str(rating))] * 2
    )


VECTORS = {"Q?": (1.0, 0.0), "one?": (0.6, 0.8), "two?": (1.0, 0.0), "three?": (-0.6, 0.8)}


class OfTwoNumbers:
    """An embedder of vectors that are known."""

    signature = "of two numbers"

    def encode(self, texts: Sequence[str], role: str) -> Any:  # noqa: ARG002 - the protocol has it
        return ragauge.DenseVectors(np.array([VECTORS[text] for text in texts]).reshape(-1, 2))

    def embed_query(self, text: str) -> list[float]:
        return list(VECTORS[text])

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [list(VECTORS[text]) for text in texts]


@given(st.lists(st.sampled_from(sorted(VECTORS)), min_size=1, max_size=4), st.booleans())
def test_answer_relevancy(questions: list[str], evasive: bool) -> None:
    of = module("answer_relevance")
    generated = [of.ResponseRelevanceOutput(question=one, noncommittal=int(evasive)) for one in questions]
    theirs = of.ResponseRelevancy(embeddings=OfTwoNumbers())._calculate_score(generated, {"user_input": "Q?"})
    judge = ScriptedJudge(lambda *_: {"questions": questions, "evasive": evasive})
    metric = parse(
        f"judged-answer-relevancy:compat=ragas,questions={len(questions)}", {"judge": judge, "embedder": OfTwoNumbers()}
    )
    ours = measure_cells(metric, Batch(pa.table({"id": ["s"], "question": ["Q?"], "answer": ["A."]})))
    assert ours.scores[0] == pytest.approx(theirs, abs=1e-12)


class TestWhereRagasDiffers:
    """The differences that docs/migration/ragas.md names."""

    def test_a_dropped_statement_raises_its_faithfulness(self) -> None:
        assert module("faithfulness").Faithfulness()._compute_score(nli([True, False])) == 0.5
        assert module("faithfulness").Faithfulness()._compute_score(nli([True])) == 1.0
        ours = cells_of_two(support([1]))
        assert ours.sums.status[0] == Status.FAILED
        assert ours.sums.reasons[0].startswith("wrong: there must be one entry for each claim from 1 to 2")

    def test_a_verdict_of_minus_one_counts_as_support(self) -> None:
        assert module("faithfulness").Faithfulness()._compute_score(nli([-1, 7])) == 1.0
        assert cells_of_two(support([-1], [7])).sums.status[0] == Status.FAILED

    def test_no_statements_are_nan(self) -> None:
        assert math.isnan(module("faithfulness").Faithfulness()._compute_score(nli([])))
        metric = parse("judged-faithfulness:claims=judge", {"judge": ScriptedJudge(lambda *_: {"claims": []})})
        batch = Batch(pa.table({"id": ["s"], "answer": ["Hello."], "contexts": [["P."]]}))
        assert measure_cells(metric, batch).sums.status[0] == Status.UNDEFINED

    def test_recall_mixes_claims_of_answer_and_reference(self) -> None:
        """The answer has neither of the reference's two claims, and recall is .67, or .8 as F."""
        answer, reference = [True, True, True, True], [False, False]
        assert their_factual_correctness(answer, reference, "recall", 1.0) == 0.67
        mixed = cells("judged-factual-correctness:mode=recall", of_both(answer, reference))
        assert mixed.scores[0] == pytest.approx(4 / 6)
        judge = ScriptedJudge(of_both(answer, reference))
        metric = parse("judged-factual-correctness:claims=judge,mode=recall", {"judge": judge})
        batch = Batch(pa.table({"id": ["s"], "answer": ["A0."], "references": [["R0."]]}))
        assert measure_cells(metric, batch).scores[0] == 0.0

    def test_factual_correctness_is_rounded(self) -> None:
        assert their_factual_correctness([True, False], [True], "f", 1.0) == 0.67
        assert cells("judged-factual-correctness", of_both([True, False], [True])).scores[0] == pytest.approx(
            2 / 3, abs=1e-15
        )

    def test_entities_that_repeat_or_differ_in_case(self) -> None:
        of = module("context_entities_recall").ContextEntityRecall()
        assert of._compute_score(["Paris", "Paris"], ["Paris"]) == pytest.approx(0.5)
        assert of._compute_score(["Paris"], ["paris"]) == 0.0
        assert of._compute_score([], ["Paris"]) == 0.0
        judge = ScriptedJudge(lambda _, m: {"entities": ["paris"] if "P0." in m else ["Paris", "Paris"]})
        batch = Batch(pa.table({"id": ["s"], "references": [["R0."]], "contexts": [["P0."]]}))
        metric = parse("judged-context-entity-recall", {"judge": judge})
        assert measure_cells(metric, batch).scores[0] == 1.0

    def test_a_rating_is_the_first_digit_anywhere(self) -> None:
        accuracy, relevance = module("nv_metrics").AnswerAccuracy(), module("nv_metrics").ContextRelevance()
        assert accuracy.process_score("10/10: 4") == 0.0
        assert relevance.process_score("0 out of 2") == 1.0
        assert accuracy.average_scores(1.0, math.nan) == 1.0
        assert math.isnan(accuracy.average_scores(math.nan, 1.0))
        lost = cells(
            "judged-answer-rating", lambda _, m: {"rating": 2} if m.index("A0.") < m.index("R0.") else "refused"
        )
        assert lost.sums.status[0] == Status.FAILED

    def test_an_answer_without_statements_may_be_correct(self) -> None:
        of = module("answer_correctness")
        nothing = of.ClassificationWithReason(TP=[], FP=[], FN=[])
        assert of.AnswerCorrectness()._compute_statement_presence(nothing) == 0.0
        empty = cells("judged-answer-correctness:weights=1/0", of_both([], [True]))
        assert empty.scores[0] == 0.0

    def test_a_reference_without_claims(self) -> None:
        assert math.isnan(module("context_recall").LLMContextRecall()._compute_score([]))
        nothing: list[bool] = []
        assert their_factual_correctness([True, False], nothing, "recall", 1.0) == 1.0
        assert their_factual_correctness([True, False], nothing, "f", 1.0) == 0.67
        assert their_factual_correctness([False], nothing, "f", 1.0) == 0.0
        theirs = module("answer_correctness").AnswerCorrectness(weights=[1, 0], llm=object())
        theirs._create_simplified_statements = no_statements
        texts_of_both = {"user_input": "Q?", "response": "A0.", "reference": "R0."}
        assert asyncio.run(theirs._ascore(texts_of_both, None)) == 1.0
        for name in ("judged-context-recall", "judged-factual-correctness", "judged-answer-correctness"):
            metric = parse(name, {"judge": ScriptedJudge(of_both([True, False], nothing))})
            row = {"question": ["Q?"], "answer": ["A0."], "contexts": [["P."]], "references": [[""]]}
            assert measure_cells(metric, Batch(pa.table({"id": ["s"], **row}))).sums.status[0] == Status.UNDEFINED

    def test_a_reference_without_entities(self) -> None:
        assert module("context_entities_recall").ContextEntityRecall()._compute_score([], ["Paris"]) == 0.0
        ours = cells("judged-context-entity-recall", lambda *_: {"entities": []})
        assert ours.sums.status[0] == Status.UNDEFINED

    def test_nothing_retrieved(self) -> None:
        precision, recall, ratings = module("context_precision"), module("context_recall"), module("nv_metrics")
        assert precision.LLMContextPrecisionWithReference()._calculate_average_precision([]) == 0.0
        row = {"user_input": "Q?", "response": "A0.", "reference": "R0.", "retrieved_contexts": []}
        row |= {"reference_contexts": ["R0."], "retrieved_context_ids": [], "reference_context_ids": ["r"]}
        sample = ragas.SingleTurnSample(**row)

        def of(metric: Any) -> float:
            return float(asyncio.run(metric._single_turn_ascore(sample, None)))

        assert of(precision.NonLLMContextPrecisionWithReference()) == of(recall.IDBasedContextRecall()) == 0.0
        assert of(ratings.ContextRelevance(llm=object())) == of(ratings.ResponseGroundedness(llm=object())) == 0.0
        assert math.isnan(of(precision.IDBasedContextPrecision()))
        for metric in (recall.NonLLMContextRecall(), module("noise_sensitivity").NoiseSensitivity(llm=object())):
            with pytest.raises(ValueError, match=r"empty|missing"):
                of(metric)
        names = ["judged-faithfulness", "judged-groundedness-rating", "judged-context-rating", "judged-context-recall"]
        names += ["judged-context-precision", "judged-context-utilization"]
        for name in names:
            judge = ScriptedJudge(lambda *_: "asked")
            assert measure_cells(parse(name, {"judge": judge}), NOTHING_RETRIEVED).scores[0] == 0.0
            assert judge.asked_for == []


NOTHING_RETRIEVED = Batch(
    pa.table(
        {"id": ["s"], "question": ["Q?"], "answer": ["A0 is so."], "references": [["R0 is so."]]}
        | {"contexts": pa.array([[]], pa.list_(pa.string()))}
    )
)


async def no_statements(*_: Any) -> Any:
    return SimpleNamespace(statements=[])


def cells_of_two(reply: Any) -> Cells:
    metric = parse("judged-faithfulness", {"judge": ScriptedJudge(lambda *_: reply)})
    batch = Batch(pa.table({"id": ["s"], "answer": ["It opens at nine. It closes at ten."], "contexts": [["P."]]}))
    return measure_cells(metric, batch)
