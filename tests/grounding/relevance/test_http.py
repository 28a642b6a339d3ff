"""The relevance that a reranker on a server gives, with all that can go wrong: a real server on this machine."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import ragauge
from ragauge.core.ragged import Ragged
from ragauge.core.registry import make_ingredient
from ragauge.errors import OptionError, UsageError
from ragauge.metrics import ContextRelevancy

QUESTIONS = Ragged.of([["q1"], [], ["q3"]])
PASSAGES = Ragged.of([["a", "", "bb", "a"], ["c"], ["ddd"]])
SAMPLES = [{"question": "q1", "contexts": ["a", "bb"]}, {"question": "bad", "contexts": ["a"]}]
# The right passage is the one that has the place of the question.
LANGUAGES = {
    "en": ("Where is the tea house?", "The tea house is in Hangzhou."),
    "zh": ("茶馆在哪里？", "茶馆在杭州。"),
    "ja": ("茶館はどこにありますか。", "茶館は杭州にあります。"),
    "ko": ("찻집은 어디에 있습니까?", "찻집은 항저우에 있습니다."),
    "ru": ("Где находится чайный дом?", "Чайный дом находится в Ханчжоу."),
    "ar": ("أين يقع بيت الشاي؟", "يقع بيت الشاي في هانغتشو."),
    "hi": ("चाय घर कहाँ है?", "चाय घर हांगझोऊ में है।"),
    "th": ("โรงน้ำชาอยู่ที่ไหน", "โรงน้ำชาอยู่ที่หางโจว"),
    "de": ("Wo steht das Teehaus?", "Das Teehaus steht in Hangzhou."),
    "fr": ("Où est la maison de thé ?", "La maison de thé est à Hangzhou."),
    "es": ("¿Dónde está la casa de té?", "La casa de té está en Hangzhou."),
}


def reranker(server: Any, **options: Any) -> Any:
    given = {"url": server.url, "model": "m", "retries": 0, **options}
    return make_ingredient("relevance", f"http[{','.join(f'{key}={value}' for key, value in given.items())}]")


def ranked(handler: Any, body: Any, score: Any = lambda text: len(text) / 10) -> None:
    """Answer as Cohere, Jina and vLLM do, or as text-embeddings-inference does: the most relevant first."""
    name = "relevance_score" if "documents" in body else "score"
    texts = body.get("documents", body.get("texts"))
    items = [{"index": place, name: score(text)} for place, text in enumerate(texts)]
    items.sort(key=lambda item: -item[name])
    handler.reply(200, {"id": "x", "results": items} if "documents" in body else items)


@pytest.fixture(autouse=True)
def reranking(server: Any) -> None:
    server.answer = lambda handler, body, _: ranked(handler, body)


@pytest.mark.parametrize("field", ["documents", "texts"])
def test_each_question_is_sent_with_its_passages(server: Any, field: str) -> None:
    found = reranker(server, field=field).probabilities(QUESTIONS, PASSAGES)
    assert found.tolist() == [0.1, 0, 0.2, 0.1, 0, 0.3]
    bodies = sorted([body for _, _, body in server.requests], key=lambda body: str(body["query"]))
    assert bodies == [
        {"model": "m", "query": "q1", field: ["a", "bb"]},
        {"model": "m", "query": "q3", field: ["ddd"]},
    ]
    path, headers, _ = server.requests[0]
    assert path == "/v1/rerank"
    assert "Authorization" not in headers


def test_equal_samples_are_asked_once_and_many_passages_in_batches(server: Any) -> None:
    texts = ["x" * size for size in range(1, 6)]
    model = reranker(server, batch=2)
    found = model.probabilities(Ragged.of([["q"], ["q"]]), Ragged.of([texts, texts]))
    assert found.tolist() == [0.1, 0.2, 0.3, 0.4, 0.5] * 2
    assert sorted(len(body["documents"]) for _, _, body in server.requests) == [1, 2, 2]
    assert (
        reranker(server, batch=5).probabilities(Ragged.of([["q"]]), Ragged.of([texts])).tolist() == found[:5].tolist()
    )


@pytest.mark.parametrize("url", ["{}", "{}/", "{}/rerank", "{}/rerank/"])
def test_the_address_may_name_the_path(server: Any, url: str) -> None:
    reranker(server, url=url.format(server.url)).probabilities(QUESTIONS, PASSAGES)
    assert {path for path, _, _ in server.requests} == {"/v1/rerank"}


def test_nothing_to_ask(server: Any) -> None:
    assert reranker(server).probabilities(Ragged.of([["q"], []]), Ragged.of([[], ["a"]])).tolist() == [0]
    assert server.requests == []


def logistic(value: float) -> float:
    return 1 / (1 + math.exp(-value))


@pytest.mark.parametrize(
    ("scores", "given", "expected"),
    [
        ("auto", [0.2, 1.0], [0.2, 1.0]),
        ("auto", [0.2, 1.0000001], [0.2, 1.0]),
        ("auto", [0.2, -3], [logistic(0.2), logistic(-3)]),
        ("auto", [-2000.0, 2000.0], [0, 1]),
        ("logit", [0.2, 0.5], [logistic(0.2), logistic(0.5)]),
        ("probability", [0, 0.5], [0, 0.5]),
    ],
)
def test_scores_become_probabilities(server: Any, scores: str, given: Any, expected: Any) -> None:
    server.answer = lambda handler, body, _: ranked(handler, body, lambda text: given[len(text) - 1])
    found = reranker(server, scores=scores, batch=1).probabilities(Ragged.of([["q"]]), Ragged.of([["a", "bb"]]))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_scale_of_a_sample_does_not_depend_on_others(server: Any) -> None:
    given = {"a": 0.5, "bb": -4.0, "ddd": 0.25}
    server.answer = lambda handler, body, _: ranked(handler, body, given.get)
    found = reranker(server).probabilities(QUESTIONS, PASSAGES)
    alone = reranker(server).probabilities(Ragged.of([["q3"]]), Ragged.of([["ddd"]]))
    assert found[-1] == alone[0] == 0.25
    assert found[0] == pytest.approx(logistic(0.5))


def test_a_score_that_is_no_probability_fails_its_sample(server: Any) -> None:
    server.answer = lambda handler, body, _: ranked(handler, body, lambda text: -3.25 if text == "a" else 0.5)
    values, reasons = reranker(server, scores="probability").answers(QUESTIONS, PASSAGES)
    assert np.isnan(values).tolist() == [True, False, True, True, False, False]
    assert reasons == {0: "the server gave the score -3.25, no probability; for logits pass scores=logit"}


def test_a_sample_without_an_answer_fails_alone_and_says_why(server: Any, waits: Any) -> None:
    server.answer = lambda handler, body, _: (
        handler.reply(500, b"broken") if body["query"] == "bad" else ranked(handler, body)
    )
    spec = f"context-relevancy:relevance={reranker(server, retries=2)}"
    result = ragauge.evaluate(SAMPLES, spec, resamples=0, evidence=True)
    [score] = result.table
    assert (score.scored, score.failed) == (1, 1)
    assert score.value == pytest.approx(0.15)
    [(_, reason)] = result.columns[spec].reasons.items()
    assert "/v1/rerank answered 500: broken" in reason
    assert waits == [0.5, 1.0]


def test_one_request_of_several_fails_the_sample(server: Any) -> None:
    server.answer = lambda handler, body, _: (
        handler.reply(400, b"too long") if "bb" in body["documents"] else ranked(handler, body)
    )
    values, reasons = reranker(server, batch=1).answers(QUESTIONS, PASSAGES)
    assert np.isnan(values).tolist() == [True, False, True, True, False, False]
    assert "answered 400: too long" in reasons[0]


@pytest.mark.parametrize("code", [429, 503])
def test_what_is_refused_for_now_is_sent_again(server: Any, waits: Any, code: int) -> None:
    server.answer = lambda handler, body, turn: ranked(handler, body) if turn > 2 else handler.reply(code, {})
    _, reasons = reranker(server, retries=3).answers(Ragged.of([["q"]]), Ragged.of([["a"]]))
    assert not reasons
    assert waits == [0.5, 1.0]


@pytest.mark.parametrize("code", [401, 403, 404])
def test_a_wrong_key_or_model_stops_at_once(server: Any, waits: Any, code: int) -> None:
    server.answer = lambda handler, body, _: handler.reply(code, {"error": "no"})
    with pytest.raises(UsageError, match=f"answered {code}.*url, model and key of relevance 'http'"):
        # One request at a time: others under way would be sent again, and wait, during the next test.
        reranker(server, retries=3, parallel=1).probabilities(QUESTIONS, PASSAGES)
    assert waits == []


WRONG: list[object] = [math.nan, math.inf, None, True, "0.5", [0.5], {}]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"[" * 100_000, "form of /rerank"),
        (b"<html>", "form of /rerank"),
        ({}, "it has no 'results'"),
        ({"results": None}, "form of /rerank"),
        ({"results": {"index": 0, "score": 1}}, "form of /rerank"),
        ([1, 2], "form of /rerank"),
        ([], "must hold a score for each passage; got 0 scores for 2 passages"),
        ([{"index": 0, "score": 1}] * 3, "must hold a score for each passage; got 3 scores for 2 passages"),
        ([{"index": 0, "score": 1}] * 2, "must number each score from 0 on; got 0, 0"),
        ([{"index": 1, "score": 1}, {"index": 2, "score": 1}], "must number each score from 0 on; got 1, 2"),
        ([{"index": -1, "score": 1}, {"index": 0, "score": 1}], "must number each score from 0 on; got -1, 0"),
        ([{"index": True, "score": 1}, {"index": 0, "score": 1}], "form of /rerank"),
        ([{"score": 1}, {"index": 0, "score": 1}], "it has no 'index'"),
        ([{"index": 0}, {"index": 1}], "it has no 'score'"),
        *[
            ([{"index": 0, "score": 1}, {"index": 1, "score": wrong}], "a score must be a finite number")
            for wrong in WRONG
        ],
        ([{"index": 0, "score": 1}, {"index": 1, "score": 10**400}], "form of /rerank"),
    ],
)
def test_an_answer_that_is_none_fails(server: Any, waits: Any, content: Any, said: str) -> None:
    server.answer = lambda handler, body, _: handler.reply(200, content)
    values, reasons = reranker(server, retries=3).answers(Ragged.of([["q"]]), Ragged.of([["a", "bb"]]))
    assert np.isnan(values).all()
    assert said in reasons[0]
    assert waits == []


def test_no_redirect_to_another_server_is_followed(server: Any, other_server: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-abc")
    target = f"http://127.0.0.1:{other_server.server_address[1]}/v1/rerank"
    server.answer = lambda handler, body, _: handler.reply(307, {}, [("Location", target)])
    with pytest.raises(UsageError, match=r"redirects to .* Nothing was sent there"):
        reranker(server, key="SOME_KEY").probabilities(QUESTIONS, PASSAGES)
    assert other_server.requests == []


def test_a_redirect_within_the_server_keeps_the_request(server: Any, monkeypatch: Any) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-abc")
    moved = [("Location", "/v2/rerank")]
    server.answer = lambda handler, body, turn: ranked(handler, body) if turn > 1 else handler.reply(308, {}, moved)
    model = reranker(server, key="SOME_KEY")
    assert model.probabilities(Ragged.of([["q"]]), Ragged.of([["a"]])).tolist() == [0.1]
    assert [(path, body["documents"]) for path, _, body in server.requests] == [
        ("/v1/rerank", ["a"]),
        ("/v2/rerank", ["a"]),
    ]
    assert server.requests[1][1]["Authorization"] == "Bearer sk-abc"


@pytest.mark.parametrize(
    ("code", "content"), [(400, "wrong key: sk-abc"), (200, [{"index": 0, "score": "sk-abc"}]), (200, {"sk-abc": 1})]
)
def test_a_key_that_a_server_repeats_is_masked(server: Any, monkeypatch: Any, code: int, content: Any) -> None:
    monkeypatch.setenv("SOME_KEY", "sk-abc")
    server.answer = lambda handler, body, _: handler.reply(code, content)
    model = reranker(server, key="SOME_KEY")
    _, reasons = model.answers(Ragged.of([["q"]]), Ragged.of([["a"]]))
    assert reasons
    assert "sk-" not in reasons[0] + model.signature + repr(model)


def test_the_key_must_be_set(server: Any) -> None:
    with pytest.raises(UsageError, match="'NO_SUCH_KEY' is not set; relevance 'http' takes"):
        reranker(server, key="NO_SUCH_KEY").probabilities(QUESTIONS, PASSAGES)
    assert server.requests == []


@pytest.mark.parametrize(
    "options",
    ["", "url=localhost,model=m", "url=http://x", "url=http://me:tiger@x,model=m", "url=http://x,model=m,scores=raw",
     "url=http://x,model=m,field=passages", "url=http://x,model=m,key=sk-1", "url=http://x,model=m,batch=0"],
)  # fmt: skip
def test_wrong_options_are_said(options: str) -> None:
    with pytest.raises(OptionError, match="must be") as error:
        make_ingredient("relevance", f"http[{options}]" if options else "http")
    assert "tiger" not in str(error.value)
    assert "sk-1" not in str(error.value)


def test_the_signature_names_what_decides(server: Any) -> None:
    model = reranker(server, batch=3, parallel=2, timeout=9, key="SOME_KEY", field="texts")
    assert model.signature == f"http[model=m,scores=auto,url={server.url},revision=1]"
    assert model.signature == reranker(server).signature
    assert model.signature != reranker(server, scores="logit").signature
    metric = ContextRelevancy(relevance=model)
    assert f"relevance={model.signature}" in metric.identity
    assert "|embedder=" not in metric.identity
    assert metric.compared_by == "reranker"


@pytest.mark.parametrize("field", ["documents", "texts"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_and_passages_in_eleven_languages(server: Any, language: str, field: str) -> None:
    question, right = LANGUAGES[language]
    others = [passage for other, (_, passage) in LANGUAGES.items() if other != language]
    rows = [{"question": question, "contexts": [others[0], right, others[1]]}]
    server.answer = lambda handler, body, _: ranked(
        handler, body, lambda text: 0.75 if dict(LANGUAGES.values())[body["query"]] == text else 0.25
    )
    metric = f"context-relevancy:relevance={reranker(server, field=field)}"
    result = ragauge.evaluate(rows, metric, resamples=0, evidence=True)
    assert result.table[0].value == 0.5
    [(_, _, body)] = server.requests
    assert (body["query"], body[field]) == (question, rows[0]["contexts"])


# Answers as the documentation of each server shows them.
SHAPES: dict[str, Any] = {
    "cohere": {
        "results": [{"index": 1, "relevance_score": 0.999071}, {"index": 0, "relevance_score": 0.32713068}],
        "id": "07734bd2-2473-4f07-94e1-0d9f0e6843cf",
        "meta": {"api_version": {"version": "2", "is_experimental": False}, "billed_units": {"search_units": 1}},
    },
    "jina": {
        "model": "jina-reranker-v2-base-multilingual",
        "object": "list",
        "usage": {"total_tokens": 815, "prompt_tokens": 815},
        "results": [
            {"index": 1, "document": {"text": "bb"}, "relevance_score": 0.8783142566680908},
            {"index": 0, "document": {"text": "a"}, "relevance_score": 0.1},
        ],
    },
    "vllm": {
        "id": "rerank-fae51b2b664d4ed38f5969b612edff77",
        "model": "BAAI/bge-reranker-base",
        "usage": {"total_tokens": 56},
        "results": [
            {"index": 1, "document": {"text": "bb"}, "relevance_score": 0.99853515625},
            {"index": 0, "document": {"text": "a"}, "relevance_score": 0.0005860328674316406},
        ],
    },
    "tei": [{"index": 1, "score": 0.9987814}, {"index": 0, "score": 0.022949383}],
    "tei with texts": [{"index": 1, "text": "bb", "score": 0.5}, {"index": 0, "text": "a", "score": 0.25}],
}


@pytest.mark.parametrize("name", SHAPES)
def test_the_answers_of_known_servers(server: Any, name: str) -> None:
    content = SHAPES[name]
    server.answer = lambda handler, _body, _turn: handler.reply(200, content)
    field = "texts" if isinstance(content, list) else "documents"
    [second, first] = content if isinstance(content, list) else content["results"]
    expected = [one.get("relevance_score", one.get("score")) for one in (first, second)]
    found = reranker(server, field=field).probabilities(Ragged.of([["q"]]), Ragged.of([["a", "bb"]]))
    assert found.tolist() == expected
