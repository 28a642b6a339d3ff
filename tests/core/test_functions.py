"""A plain function is an ingredient: by its place on the command line, and itself from Python."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import ragauge
from ragauge.core.registry import make_ingredient
from ragauge.embedders.function import FunctionEmbedder
from ragauge.errors import OptionError, UnknownNameError, UsageError
from ragauge.results.storage import metric_of

CODE = """
def cut(text): return text.split("、")
def embed(texts): return [[text.count("茶"), text.count("水"), 1.0] for text in texts]
def same(passage, reference): return passage[:1] == reference[:1]
def ask(messages): return '{"rating": 2}'
def joined(text): return "a b"
def numbers(text): return [1]
def nothing(text): return None
def flat(texts): return [1.0 for _ in texts]
def words(texts): return texts
def broken(*_): raise KeyError("no model")
def exits(*_): raise SystemExit(0)
class Cut:
    signature = "own[revision=3]"
    def encode(self, texts, vocabulary): raise AssertionError
limit = 3
"""
ROW = {"question": "哪种茶？", "answer": "红茶、绿茶", "references": ["绿茶、黑茶"], "contexts": ["绿茶。"],
       "reference_contexts": ["绿色。"]}  # fmt: skip
KINDS = {"tokenizer": "cut", "embedder": "embed", "matcher": "same", "judge": "ask"}
METRICS = {"tokenizer": "rouge-1", "embedder": "semantic-similarity", "matcher": "hit-rate",
           "judge": "judged-answer-rating"}  # fmt: skip


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "tea_parts.py").write_text(CODE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    yield
    sys.modules.pop("tea_parts", None)


def value(metric: Any, **shared: Any) -> float:
    [score] = ragauge.evaluate([ROW], metric, resamples=0, **shared).table
    assert score.scored == 1
    return score.value


@pytest.mark.parametrize("kind", KINDS)
def test_by_file_by_module_and_from_python(kind: str) -> None:
    import tea_parts  # type: ignore[import-not-found]

    function = getattr(tea_parts, KINDS[kind])
    values = {value(f"{METRICS[kind]}:{kind}={place}:{KINDS[kind]}") for place in ("tea_parts.py", "tea_parts")}
    metric = ragauge.parse(METRICS[kind], {kind: make_ingredient(kind, function)})
    values |= {value(metric)}
    if kind != "tokenizer":
        values |= {value(METRICS[kind], **{kind: one}) for one in (function, f"tea_parts:{KINDS[kind]}")}
    assert len(values) == 1
    assert value(type(metric)(**{kind: function})) in values


@pytest.mark.parametrize("kind", KINDS)
def test_the_name_is_the_place_and_a_digest_and_comes_back(kind: str, tmp_path: Path) -> None:
    place = f"tea_parts.py:{KINDS[kind]}"
    made = make_ingredient(kind, place)
    assert str(made).startswith(f"function[name={place}@")
    assert make_ingredient(kind, str(made)) == made
    assert make_ingredient(kind, f"function[name={place}]") == made
    assert str(made)[:-1] in made.signature
    path = tmp_path / "tea_parts.py"
    path.write_text(CODE.replace(")", " )"), encoding="utf-8")
    assert make_ingredient(kind, place).signature != made.signature


def test_what_is_no_such_function_is_refused() -> None:
    for kind, name, why in (
        ("tokenizer", "joined", "must return a list of tokens; got a text"),
        ("tokenizer", "numbers", "must return tokens that are texts; got the number 1"),
        ("tokenizer", "nothing", "must return a list of tokens; got null"),
        ("tokenizer", "broken", "raised KeyError: 'no model'. Correct it."),
        ("embedder", "flat", r"must return an array of shape \(texts, dimensions\) for 1 text; got \(1,\)"),
        ("embedder", "words", "must return an array of numbers, a row for each text: ValueError: could not convert"),
        ("embedder", "broken", "raised KeyError: 'no model'. Correct it."),
        ("matcher", "broken", "raised KeyError: 'no model'. Correct it."),
        ("tokenizer", "exits", "raised SystemExit: 0. Correct it."),
    ):
        with pytest.raises(UsageError, match=rf"tea_parts.py:{name}@\w{{8}} {why}"):
            value(f"{METRICS[kind]}:{kind}=tea_parts.py:{name}")
    for place in ("tea_parts.py:limit", "tea_parts:limit"):
        with pytest.raises(OptionError, match="tokenizer"):
            ragauge.parse(f"rouge-1:tokenizer={place}")
    with pytest.raises(UnknownNameError, match="did you mean cut"):
        ragauge.parse("rouge-1:tokenizer=tea_parts.py:cutt")
    with pytest.raises(UsageError, match="there is no module 'tea_part' in this folder"):
        ragauge.parse("rouge-1:tokenizer=tea_part:cut")


def test_tokens_of_white_space_count_where_punctuation_does_and_empty_ones_nowhere() -> None:
    rows = [{"answer": "茶 水", "references": ["茶 奶"]}]
    cuts: list[Any] = [str.split, lambda text: [*text.split(), " ", "\t"], lambda text: [*text.split(), ""]]
    for metric, counted in (("rouge-1", False), ("bleu:order=1", True)):
        plain, blank, empty = (ragauge.evaluate(rows, metric, tokenizer=cut).table[0].value for cut in cuts)
        assert plain == empty
        assert (blank != plain) == counted


def test_a_class_in_code_is_made() -> None:
    assert ragauge.parse("rouge-1:tokenizer=tea_parts:Cut").tokenizer.signature == "own[revision=3]"  # type: ignore[attr-defined]


class Encoder:
    """As of sentence-transformers, whose modules know their model."""

    def modules(self) -> list[Any]:
        return [SimpleNamespace(), SimpleNamespace(name_or_path="tea/베이스")]

    def __call__(self, *_: Any) -> Any:
        raise AssertionError

    def encode(self, texts: list[str]) -> Any:
        return [[text.count("茶"), text.count("水"), 1.0] for text in texts]


class Embeddings:
    """As of LangChain: questions are encoded otherwise."""

    def __init__(self, model: str) -> None:
        self.model_name = model

    def embed_documents(self, texts: list[str]) -> Any:
        return Encoder().encode(texts)

    def embed_query(self, text: str) -> Any:
        return [0.0, 0.0, float(len(text))]


class Index(Embeddings):
    """As of LlamaIndex."""

    def __call__(self, *_: Any) -> Any:
        raise AssertionError

    embed_documents = None  # type: ignore[assignment]

    def get_text_embedding_batch(self, texts: list[str]) -> Any:
        return Encoder().encode(texts)

    def get_query_embedding(self, text: str) -> Any:
        return self.embed_query(text)


def test_objects_that_encode_are_embedders_by_their_class_and_model() -> None:
    import tea_parts

    same = value("semantic-similarity", embedder=tea_parts.embed)
    for one, name in (
        (Encoder(), "Encoder@tea/베이스"),
        (Embeddings("m2"), "Embeddings@m2"),
        (Index("m3"), "Index@m3"),
    ):
        made: Any = make_ingredient("embedder", one)
        assert made.signature.startswith(f"function[name=tests.core.test_functions:{name},")
        assert value("semantic-similarity", embedder=one) == same
        queries, passages = (made.encode(["茶", "水水"], role).values.tolist() for role in ("query", "passage"))
        assert passages == [[1, 0, 1], [0, 2, 1]]
        assert queries == ([[0, 0, 1], [0, 0, 2]] if made.of_questions else passages)
        assert made.symmetric == isinstance(one, Encoder)
    assert pickle.loads(pickle.dumps(made)).of_questions("茶") == [0, 0, 1]  # noqa: S301 - of our own


def test_objects_that_need_a_line_are_told_which() -> None:
    class Tool:
        def invoke(self, messages: Any) -> Any: ...
        def tokenize(self, text: Any) -> Any: ...
        def encode(self, texts: Any) -> Any: ...
        def __call__(self, *_: Any) -> Any: ...

    with pytest.raises(
        UsageError, match=r"Tool is asked by a function here; write judge=lambda messages: model\.invoke"
    ):
        make_ingredient("judge", Tool())
    with pytest.raises(UsageError, match=r"write tokenizer=lambda text: tokenizer\.tokenize\(text\)"):
        make_ingredient("tokenizer", Tool())
    for nameless in (Tool(), Index("unknown")):
        with pytest.raises(UsageError, match=r"does not say which model it is.*FunctionEmbedder\(model\.\w+, 'NAME"):
            make_ingredient("embedder", nameless)
    assert FunctionEmbedder(Encoder().encode, "tea-1").signature == "function[name=tea-1,revision=1]"
    with pytest.raises(OptionError, match="must be an embedder, with signature and encode; got 3"):
        ragauge.parse("semantic-similarity", {"embedder": 3})


def test_a_saved_run_runs_no_code() -> None:
    for spec in ("tea_parts:cut", "tea_parts.py:cut", "rouge-1:tokenizer=tea_parts:cut",
                 "rouge-1:tokenizer=function[name=tea_parts.py:cut]"):  # fmt: skip
        assert str(metric_of(spec)) == spec
        assert type(metric_of(spec)).__name__ == "UnknownMetric"
    assert "tea_parts" not in sys.modules
