"""What users and authors write; `mypy --strict` accepts all of it, see test_typed.py."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, BinaryIO, ClassVar

import numpy as np
import numpy.typing as npt

import ragauge
from ragauge.metrics import Bleu, Groundedness, Ndcg, RougeL


def score_answers(path: str) -> float:
    result = ragauge.evaluate(path, ["rouge-l", Bleu(), Ndcg(k=10)], by="language", ci=0.9, seed=1)
    score: ragauge.Score = result["rouge-l"]
    result.save("runs/today", force=True)
    return score.value + ragauge.score(RougeL(case="lower"), answer="a", references=["a"])


def score_by_class(path: str) -> float:
    result = ragauge.evaluate(path, [Ndcg, "mrr", Bleu(order=2)])
    return result["ndcg"].value + ragauge.evaluate(path, Bleu)["bleu"].value + ragauge.score(RougeL, answer="a")


def text_of_ingredients() -> tuple[str, ...]:
    made = (
        RougeL(tokenizer="zh[hmm=false]"),
        RougeL(tokenizer=tokenizer),
        Groundedness(embedder="lexical", support="auto"),
    )
    held: ragauge.Tokenizer = made[0].tokenizer
    also: ragauge.Tokenizer = Bleu().tokenizer
    return (
        held.signature,
        also.signature,
        *map(str, made),
        str(Groundedness(embedder=embedder, support="ngram-recall")),
    )


def ask(system_of: Mapping[str, str]) -> ragauge.Result:
    def system(question: str) -> dict[str, Any]:
        return {"answer": system_of[question], "contexts": []}

    return ragauge.evaluate([{"question": "Who?"}], Groundedness(), system=system)


def compare_runs() -> dict[str, float]:
    base, new = ragauge.load("runs/main"), ragauge.load("runs/today")
    comparison: ragauge.Comparison = ragauge.compare(base, new)
    gate: ragauge.Gate = ragauge.gate(new, base, max_drop={"rouge-l": 0.02})
    ragauge.report(new, "report.html")
    validation: ragauge.Validation = ragauge.validate(new, "human.csv")
    means = {name: new.scores(name).mean() - new[name].low for name in new.metrics}
    return means if gate.passed else {str(comparison): 0.0, str(validation): 0.0}


def shards(batches: Sequence[ragauge.Batch], data: ragauge.Dataset) -> ragauge.Result:
    evaluator = ragauge.Evaluator({"bleu": ragauge.parse("bleu")}, inference=ragauge.Inference(0.9, 100, 0))
    partials: list[ragauge.Partial] = [evaluator.measure(batch) for batch in batches]
    total = partials[0]
    for more in partials[1:]:
        total = total + more
    return evaluator.finish(total, data)


def exit_code(error: ragauge.RagaugeError) -> int:
    several = isinstance(error, ragauge.DataError) and len(error.problems) > 1
    return 1 if several else error.exit_code


@ragauge.metric(needs=("answer",), range=(0, 1), stage="generation")
def polite(sample: ragauge.Sample) -> float | None:
    return float("please" in (sample.answer or ""))


@ragauge.register("letters")
@dataclass(frozen=True)
class Letters:
    """How many letters an answer has."""

    most: int = 100

    average: ClassVar[ragauge.Average] = "samples"
    needs: ClassVar[ragauge.Needs] = (("answer",),)
    stage: ClassVar[ragauge.Stage] = "generation"
    direction: ClassVar[ragauge.Direction] = "higher"
    range: ClassVar[tuple[float, float]] = (0.0, 1.0)
    revision: ClassVar[int] = 1

    def measure(self, batch: ragauge.Batch) -> ragauge.Rows:
        lengths = batch.segments("answer").lengths
        return ragauge.Rows.of({"letters": np.minimum(lengths, self.most)}, status=np.zeros(len(batch), np.uint8))

    def score(self, totals: ragauge.Statistics) -> npt.NDArray[np.float64]:
        return totals["letters"] / self.most


metric: ragauge.Metric = Letters(most=10)


@ragauge.ingredient("embedder", "lengths")
@dataclass(frozen=True)
class Lengths:
    """The number of letters of a text as its vector."""

    @property
    def signature(self) -> str:
        return "lengths"

    def encode(self, texts: Sequence[str], role: ragauge.Role) -> ragauge.Vectors:
        scale = 2 if role == "query" else 1
        return ragauge.DenseVectors(np.array([[len(text), scale] for text in texts], dtype=np.float32))


embedder: ragauge.Embedder = Lengths()


@ragauge.register_format("lines", suffixes=(".lines",))
def read_lines(file: BinaryIO) -> Iterator[dict[str, str]]:
    for line in file:
        yield {"answer": line.decode()}


tokenizer: ragauge.Tokenizer = ragauge.tokenizers.get("auto")
