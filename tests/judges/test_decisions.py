"""Decision models behind a server on this machine, in both protocols as they are documented, and hostile ones."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_httpserver import HTTPServer
from werkzeug import Request as Received
from werkzeug import Response

import ragauge
from ragauge.core.messages import Face, wording_of
from ragauge.core.registry import lookup
from ragauge.errors import OptionError, UsageError
from ragauge.judges import FunctionJudge, Price, Session, get
from ragauge.judges.decisions import Decisions
from tests.cli.running import here, write_rows
from tests.metrics.judged.toys import EVERY, FULL, NEEDED
from tests.repeats import others_long

PROTOCOLS = ("decisions", "systemone")
WRITING = {"judged-answer-relevancy", "judged-context-entity-recall"}
DECIDED = sorted(set(EVERY) - WRITING)
ROWS: list[dict[str, Any]] = [
    {
        "id": "en",
        "question": "What is tea?",
        "answer": "A drink. It is blue.",
        "contexts": ["Tea is a drink.", "", "X."],
    },
    {"id": "zh", "question": "茶是什么？", "answer": "一种饮料。", "contexts": ["茶是一种饮料。"]},
]


class Deciding:
    """A server of both protocols: ``share(instructions)`` is the probability of a predicate, or of the first option."""

    def __init__(self, http: HTTPServer) -> None:
        self.base = http.url_for("/v1")
        self.bodies: list[dict[str, Any]] = []
        self.share: Callable[[str], float] = lambda instructions: 0.75
        self.twist: Callable[[Any], Any] = lambda document: document
        self.has: tuple[str, ...] = PROTOCOLS
        for one in PROTOCOLS:
            http.expect_request(f"/v1/{one}", method="POST").respond_with_handler(self._handle)

    def _handle(self, received: Received) -> Response:
        body, protocol = received.get_json(), received.path.rpartition("/")[2]
        self.bodies.append(body)
        if protocol not in self.has:
            return Response('{"detail": "Not Found"}', 404, content_type="application/json")
        document = self.twist(self._openai(body) if protocol == "decisions" else self._system_one(body))
        content = document if isinstance(document, bytes) else json.dumps(document).encode()
        return Response(content, 200, content_type="application/json")

    def _spread(self, question: Any, options: int) -> list[float]:
        first = self.share(question["instructions"])
        return [first, *[(1 - first) / (options - 1)] * (options - 1)]

    def _openai(self, body: Any) -> Any:
        answers = []
        for one in body["questions"]:
            answer = {"type": one["type"], "name": one["name"]}
            if one["type"] == "predicate":
                answer["probability"] = self.share(one["instructions"])
            else:
                options = one.get("choices") or one["levels"]
                spread = self._spread(one, len(options))
                named = [
                    {"value": option["value"]} if "value" in option else {"value": place, "label": option["label"]}
                    for place, option in enumerate(options)
                ]
                answer["probabilities"] = [
                    {**name, "probability": share} for name, share in zip(named, spread, strict=True)
                ][::-1]
            answers.append(answer)
        return {"model": "m", "answers": answers, "usage": {"input_tokens": 40, "output_tokens": 0, "total_tokens": 40}}

    def _system_one(self, body: Any) -> Any:
        answers = {}
        for name, one in body["questions"].items():
            if one["type"] == "noul":
                answers[name] = {"type": "noul", "noul": self.share(one["instructions"])}
                continue
            keys = list(one["criteria"]) if one["type"] == "choice" else list(map(str, range(len(one["criteria"]))))
            spread = dict(zip(keys, self._spread(one, len(keys)), strict=True))
            answers[name] = {"type": one["type"], "probabilities": spread, "confidence": 0.5}
        return {"model": "m", "answers": answers, "usage": {"input_tokens": 40, "output_tokens": 0}}

    def judge(self, protocol: str = "decisions", **options: Any) -> Decisions:
        return Decisions(url=f"{self.base}/{protocol}", model="m", **{"retries": 0, **options})

    def scored(self, metric: str = "judged-faithfulness", protocol: str = "decisions", **options: Any) -> Any:
        return ragauge.evaluate(ROWS, metric, judge=self.judge(protocol, **options), resamples=0)[metric]


@pytest.fixture
def deciding(listening: HTTPServer) -> Deciding:
    listening.clear()
    return Deciding(listening)


def test_one_request_a_sample_holds_all_claims_and_passages(deciding: Deciding) -> None:
    deciding.share = lambda text: 0.9 if "passage 1" in text else 0.2
    score = deciding.scored()
    # Of each claim the best passage counts; the Chinese question says 段落 1.
    assert score.value == pytest.approx((0.9 + 0.2) / 2)
    english, chinese = sorted(deciding.bodies, key=lambda body: -len(body["questions"]))
    assert [one["type"] for one in english["questions"]] == ["predicate"] * 4
    # Blank passages keep their number, and nothing is asked about them.
    assert ["passage 3" in one["instructions"] for one in english["questions"]] == [False, True] * 2
    assert "It is blue." in english["questions"][2]["instructions"]
    assert "Tea is a drink." in english["input"]
    assert "It is blue." not in english["input"]
    assert "从段落 1 能推出" in chinese["questions"][0]["instructions"]
    assert "JSON" not in english["input"] + chinese["input"]


def test_both_protocols_give_the_same_scores(deciding: Deciding) -> None:
    for name in DECIDED:
        metric = lookup("metric", name).cls
        values = [
            ragauge.evaluate([FULL], [metric(judge=deciding.judge(protocol), **NEEDED.get(name, {}))], resamples=0)
            .table[0]
            .value
            for protocol in PROTOCOLS
        ]
        assert values[0] == values[1], name
        assert math.isfinite(values[0]), name


def test_ratings_are_expected_levels(deciding: Deciding) -> None:
    # .75 for the lowest of three levels, the rest for the other two alike: .125 + 2 * .125, as a share of 2.
    assert deciding.scored("judged-groundedness-rating").value == pytest.approx(0.1875)
    [levels] = [one["levels"] for one in deciding.bodies[0]["questions"]]
    assert [level["label"] for level in levels] == ["0", "1", "2"]
    assert levels[2]["description"] in ("all of it", "全部支持")
    judge = deciding.judge("systemone")
    rubric = ragauge.evaluate(ROWS, "judged-rubric:criteria=x,low=1,high=3", judge=judge, resamples=0).table[0]
    assert rubric.value == pytest.approx(0.75 * 1 + 0.125 * 2 + 0.125 * 3)
    wide = ragauge.evaluate(ROWS, "judged-rubric:criteria=x,low=0,high=20", judge=judge, resamples=0).table[0]
    assert wide.value == pytest.approx(0.25 * 10.5)
    # No server takes so many levels of a score.
    assert [one["type"] for one in deciding.bodies[-1]["questions"].values()] == ["choice"]


def test_more_questions_than_a_request_takes_are_several(deciding: Deciding) -> None:
    deciding.share = lambda text: 0.9 if "passage 3" in text else 0.1
    whole = deciding.scored().value
    deciding.bodies.clear()
    assert deciding.scored(questions=3).value == whole
    assert sorted(len(body["questions"]) for body in deciding.bodies) == [1, 1, 3]


def test_the_first_reply_shows_the_protocol_once(deciding: Deciding) -> None:
    deciding.has = ("systemone",)
    judge = Decisions(url=deciding.base, model="m", retries=0, parallel=4)
    rows = [{**ROWS[1], "answer": f"一种饮料{number}。", "id": str(number)} for number in range(8)]
    result = ragauge.evaluate(rows, "judged-faithfulness", judge=judge, resamples=0)
    assert result.table[0].value == 0.75
    assert sum("input" in body for body in deciding.bodies) == 1
    assert len(deciding.bodies) == 9
    assert [note for note in result.data.notes if "as its first reply shows" in note]
    assert "protocol=systemone" in judge.signature


@pytest.mark.parametrize("way", ["--judge", "spec of the metric", "python"])
def test_the_protocol_that_was_found_is_said_once_wherever_the_judge_is_named(
    deciding: Deciding, tmp_path: Path, capsys: Any, way: str
) -> None:
    deciding.has = ("systemone",)
    judge = f"decisions[url={deciding.base},model=m]"
    names = ["judged-faithfulness", "judged-context-precision"]
    said = "the judge's server has /systemone, as its first reply shows, and was asked so"
    data = write_rows(tmp_path / "data.jsonl", [{**row, "references": [row["answer"]]} for row in ROWS])
    if way == "python":
        notes = "\n".join(ragauge.evaluate(data, names, judge=judge, resamples=0).data.notes)
    else:
        in_spec = way != "--judge"
        metrics = [part for name in names for part in ("-m", f"{name}:judge={judge}" if in_spec else name)]
        named = () if in_spec else ("--judge", judge)
        notes = here(capsys, "score", data, *metrics, *named, "--judge-cache", "none").err
    assert notes.count(said) == 1, notes


def test_a_run_from_the_cache_is_signed_as_the_first(deciding: Deciding, tmp_path: Path) -> None:
    deciding.has = ("systemone",)
    results = []
    for _ in range(2):
        judge = Decisions(url=deciding.base, model="m", retries=0)
        with Session(tmp_path / "cache.sqlite") as session:
            results.append(ragauge.evaluate(ROWS, "judged-faithfulness", judge=judge, session=session))
    first, cached = results
    assert "protocol=systemone" in first.table[0].signature
    assert cached.table[0].signature == first.table[0].signature
    assert ragauge.compare(first, cached)["judged-faithfulness"].candidate == first.table[0].value
    # The server of a later run may have the other protocol alone.
    deciding.has = ("decisions",)
    asked = len(deciding.bodies)
    with Session(tmp_path / "cache.sqlite") as session:
        more = [*ROWS, {**ROWS[1], "id": "new", "answer": "一种新的饮料。"}]
        again = ragauge.evaluate(more, "judged-faithfulness", judge=replace(judge), session=session)
    assert again.table[0].scored == len(more)
    assert len(deciding.bodies) - asked == 2


def test_a_server_without_either_protocol_ends_the_run(deciding: Deciding) -> None:
    deciding.has = ()
    with pytest.raises(UsageError, match=r"/v1/systemone answered 404"):
        ragauge.evaluate(ROWS, "judged-faithfulness", judge=Decisions(url=deciding.base, model="m"))


@pytest.mark.parametrize("name", sorted(WRITING))
def test_a_metric_that_needs_writing_says_so(deciding: Deciding, name: str) -> None:
    with pytest.raises(OptionError, match=r"needs a judge that writes \w+, .* Take one that asks for no text"):
        lookup("metric", name).cls(judge=deciding.judge())
    with pytest.raises(OptionError, match=r"needs a judge that writes claims, .* Take claims=sentences"):
        lookup("metric", "judged-faithfulness").cls(judge=deciding.judge(), claims="judge")
    jury = get(f"jury[judges={deciding.judge()}/chat[url=http://localhost,model=m]]")
    with pytest.raises(OptionError, match="needs a judge that writes"):
        lookup("metric", name).cls(judge=jury)


def of_first(change: Callable[[dict[str, Any]], Any]) -> Callable[[Any], Any]:
    """Return what changes the first answer of a document."""

    def twist(document: Any) -> Any:
        answers = document["answers"]
        change(answers[0] if isinstance(answers, list) else answers["q1"])
        return document

    return twist


HOSTILE: dict[str, Callable[[Any], Any]] = {
    "above 1": of_first(lambda one: one.update(probability=1.01, noul=1.01)),
    "below 0": of_first(lambda one: one.update(probability=-0.01, noul=-0.01)),
    "NaN": of_first(lambda one: one.update(probability=math.nan, noul=math.nan)),
    "infinite": of_first(lambda one: one.update(probability=math.inf, noul=math.inf)),
    "text": of_first(lambda one: one.update(probability="0.5", noul="0.5")),
    "true": of_first(lambda one: one.update(probability=True, noul=True)),
    "null": of_first(lambda one: one.update(probability=None, noul=None)),
    "without": of_first(lambda one: [one.pop(name, None) for name in ("probability", "noul")]),
    "number": lambda document: 5,
    "list": lambda document: [],
    "no answers": lambda document: {"usage": {}},
    "answers null": lambda document: {**document, "answers": None},
    "answers of numbers": lambda document: {**document, "answers": [1, 2, 3, 4]},
    "half": lambda document: b'{"answers": [{"type"',
    "fewer": lambda document: {**document, "answers": _cut(document["answers"], -1)},
    "more": lambda document: {**document, "answers": _more(document["answers"])},
    "others": lambda document: {**document, "answers": _renamed(document["answers"])},
    "twice": lambda document: {**document, "answers": _twice(document["answers"])},
    "a million": lambda document: {**document, "answers": [{"name": None, "probability": 0.5}] * 1_000_000},
    "deep": lambda document: b'{"answers": ' + b"[" * 100_000,
}


def _cut(answers: Any, end: int) -> Any:
    return answers[:end] if isinstance(answers, list) else dict(list(answers.items())[:end])


def _more(answers: Any) -> Any:
    own = {"type": "predicate", "name": "q99", "probability": 0.5, "noul": 0.5}
    return [*answers, own] if isinstance(answers, list) else {**answers, "q99": own}


def _renamed(answers: Any) -> Any:
    if isinstance(answers, list):
        return [{**one, "name": f"x{one['name']}"} for one in answers]
    return {f"x{name}": one for name, one in answers.items()}


def _twice(answers: Any) -> Any:
    return [answers[0]] * len(answers) if isinstance(answers, list) else dict.fromkeys(["q1"], answers["q1"]) | {"x": 1}


@pytest.mark.parametrize("protocol", others_long(PROTOCOLS))
@pytest.mark.parametrize("kind", HOSTILE)
def test_a_hostile_reply_fails_its_sample_with_the_reason(deciding: Deciding, kind: str, protocol: str) -> None:
    deciding.twist = HOSTILE[kind]
    row = ROWS[0]
    result = ragauge.evaluate([row], "judged-faithfulness", judge=deciding.judge(protocol), resamples=0)
    [score] = result.table
    assert (score.scored, score.failed) == (0, 1)
    [reason] = result.reasons("judged-faithfulness").values()
    assert "malformed" in reason or "no-answer" in reason, reason
    assert len(reason) < 1500
    if kind in ("above 1", "below 0", "NaN", "infinite"):
        assert reason.startswith("malformed: the probability of question 1 must be from 0 to 1; got "), reason


def test_the_reason_of_a_hostile_reply_is_in_the_language_of_the_reader(deciding: Deciding) -> None:
    deciding.twist = HOSTILE["above 1"]
    result = ragauge.evaluate(ROWS[:1], "judged-faithfulness", judge=deciding.judge(), resamples=0)
    [reason] = result.reasons("judged-faithfulness").values()
    assert wording_of(reason, Face(language="zh")) == "malformed: 问题 1 的概率必须在 0 到 1 之间；得到 1.01"


def test_answers_in_another_order_are_matched_by_name(deciding: Deciding) -> None:
    deciding.share = lambda text: 0.9 if "passage 1" in text else 0.2
    plain = deciding.scored().value
    deciding.twist = lambda document: {**document, "answers": document["answers"][::-1]}
    assert deciding.scored().value == plain
    deciding.twist = lambda document: {**document, "answers": [{**one, "name": None} for one in document["answers"]]}
    assert deciding.scored().value == plain


@pytest.mark.parametrize("protocol", PROTOCOLS)
@pytest.mark.parametrize(
    "spread",
    [
        {"0": 0.5, "1": 0.4}, {"0": 0.5, "1": 0.4, "2": 0.4}, {"0": 0.5, "1": 0.5, "9": 0.0}, {}, None, "abc",
        [0.5, 0.5], [0.5, 0.5, 0.5], {"0": -0.5, "1": 1.0, "2": 0.5},
        [{"value": 0, "probability": 0.5}, {"value": 0, "probability": 0.5}, {"value": 2, "probability": 0.0}],
        [math.nan] * 3, [math.nan, 0.5, 0.5], {"0": math.nan, "1": 0.5, "2": 0.5}, [math.inf, 0, 0], [1.5, -0.5, 0],
        ["0.5", "0.5", "0"], [True, False, False], [None, 0.5, 0.5], {"0": 0.5, "1": 0.5}, [[0.5], [0.5], [0]],
    ],
)  # fmt: skip
def test_shares_that_are_not_of_the_options_fail(deciding: Deciding, protocol: str, spread: Any) -> None:
    deciding.twist = of_first(lambda one: one.update(probabilities=spread))
    result = ragauge.evaluate(ROWS[:1], "judged-groundedness-rating", judge=deciding.judge(protocol), resamples=0)
    assert (result.table[0].scored, result.table[0].failed) == (0, 1)
    [reason] = result.reasons("judged-groundedness-rating").values()
    assert reason.startswith("malformed: "), reason


MILLION = 1_000_000
LARGE: dict[str, bytes] = {
    "a million answers": b'{"answers": [' + b"0," * MILLION + b"0]}",
    "many answers that are one": b'{"answers": {"q1": {"noul": 1' + b',"q1":0' * 500_000 + b"}}}",
    "many answers with names": b'{"answers": {' + b",".join([b'"q%d":0' % one for one in range(300_000)]) + b"}}",
    "answers that hold nothing": b'{"answers": [' + b"{}," * MILLION + b"{}]}",
    "many digits": b'{"answers": [{"probability": 0.' + b"3" * 4_000_000 + b"}]}",
    "a whole number of many digits": b'{"answers": [{"probability": ' + b"3" * 4_000_000 + b"}]}",
    "a long name": b'{"answers": [{"name": "' + b"q" * 4_000_000 + b'", "probability": 0.5}]}',
    "a million levels": b'{"answers": [{"probabilities": [' + b"0," * MILLION + b"1]}]}",
    "levels by many names": (
        b'{"answers": [{"probabilities": {' + b",".join([b'"%d":0' % one for one in range(300_000)]) + b"}}]}"
    ),
}
"""Replies that are just short enough to be read."""


@pytest.mark.parametrize("metric", others_long(["judged-faithfulness", "judged-groundedness-rating"]))
@pytest.mark.parametrize("kind", LARGE)
def test_a_large_reply_is_no_score_and_costs_little_time(deciding: Deciding, kind: str, metric: str) -> None:
    content = LARGE[kind]
    assert len(content) < 1 << 22
    deciding.twist = lambda _document: content
    for protocol in PROTOCOLS:
        begun = time.process_time()
        result = ragauge.evaluate(ROWS[:1], metric, judge=deciding.judge(protocol), resamples=0)
        assert time.process_time() - begun < 2
        assert (result.table[0].scored, result.table[0].failed) == (0, 1)
        [reason] = result.reasons(metric).values()
        assert reason.startswith("malformed: "), reason
        assert len(reason) < 1500


def test_a_refusal_of_one_question_is_that_of_the_sample(deciding: Deciding, tmp_path: Path) -> None:
    refusal = {"type": "refusal", "name": "q2", "refusal": "I cannot assess this."}

    def twist(document: Any) -> Any:
        document["answers"][1:2] = [refusal] if len(document["answers"]) > 1 else []
        return document

    deciding.twist = twist
    with Session(tmp_path / "cache") as session:
        for _ in range(2):
            result = ragauge.evaluate(ROWS, "judged-faithfulness", judge=deciding.judge(), session=session, resamples=0)
    [score] = result.table
    assert (score.scored, score.failed) == (1, 1)
    assert list(result.reasons("judged-faithfulness").values()) == ["refused: question 2 I cannot assess this."]
    # Both are in the cache.
    assert len(deciding.bodies) == 2


def test_a_run_and_the_same_again_and_its_plan(
    deciding: Deciding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    judge = ("--judge", deciding.base, "--judge-model", "m", "--judge-protocol", "systemone")
    call = ("score", "data.jsonl", "-m", "judged-faithfulness", *judge, "--output-format", "json")
    prices = ("--price-in", 1, "--price-out", 1)
    [*_, plan] = here(capsys, *call, "--dry-run", *prices).json["dry_run"]
    assert deciding.bodies == []
    # The server counts no tokens, so that both are estimates.
    deciding.twist = lambda document: {**document, "usage": {"input_tokens": 0, "output_tokens": 0}}
    done = here(capsys, *call, *prices)
    assert done.code == 0, done.err
    used = done.json["options"]["judge"]
    assert (plan["requests"], plan["reply_tokens"]) == (used["calls"], used["completion_tokens"]) == (2, 0)
    assert (plan["prompt_tokens"], plan["cost"]) == (used["prompt_tokens"], used["cost"])
    again = here(capsys, *call)
    assert (again.json["metrics"], again.json["options"]["judge"]["calls"]) == (done.json["metrics"], 0)


@pytest.mark.parametrize(
    ("address", "protocol", "spec"),
    [
        ("http://h/v1/decisions", None, "decisions[url=http://h/v1/decisions,model=m]"),
        ("http://h/v1/systemone/", None, "decisions[url=http://h/v1/systemone/,model=m]"),
        ("http://h/v1", "decisions", "decisions[url=http://h/v1,model=m,protocol=decisions]"),
        ("http://h/v1/systemone", "systemone", "decisions[url=http://h/v1/systemone,model=m]"),
        ("http://h/v1/decisions", "chat", "chat[url=http://h/v1/decisions,model=m]"),
        ("http://h/v1", None, "chat[url=http://h/v1,model=m]"),
    ],
)
def test_the_address_says_the_protocol(address: str, protocol: str | None, spec: str) -> None:
    from ragauge.cli.judging import judge_text

    assert judge_text({"judge": address, "judge_model": "m", "judge_protocol": protocol}) == spec


def test_a_function_of_a_text_and_questions_is_a_judge() -> None:
    seen: list[Any] = []

    def decide(state: str, questions: Any) -> Any:
        seen.append((state, questions))
        return [0.25 if one["type"] == "predicate" else [1, *[0] * (len(one["levels"]) - 1)] for one in questions]

    async def later(state: str, questions: Any) -> Any:
        return decide(state, questions)

    for function in (decide, later):
        result = ragauge.evaluate(
            ROWS, ["judged-faithfulness", "judged-context-rating"], judge=FunctionJudge(function, "f"), resamples=0
        )
        assert [score.value for score in result.table] == [0.25, 0.0]
    assert "Tea is a drink." in seen[0][0]


@pytest.mark.parametrize("returned", [None, 5, "0.5", [], [0.5] * 9, [2.0] * 4, [math.nan] * 4, ["x"] * 4, {"a": 1}])
def test_a_function_that_returns_no_probabilities_fails_with_the_reason(returned: Any) -> None:
    judge = FunctionJudge(lambda state, questions: returned, "f")
    result = ragauge.evaluate(ROWS[:1], "judged-faithfulness", judge=judge, resamples=0)
    assert result.table[0].failed == 1
    assert result.reasons("judged-faithfulness")[0].startswith("malformed: ")


@pytest.mark.parametrize("kind", [np.float32, np.float64, np.float16, np.int64])
def test_numbers_of_numpy_are_probabilities(kind: Any) -> None:
    for given in (lambda n: [kind(1)] * n, lambda n: np.ones(n, kind)):
        judge = FunctionJudge(lambda state, questions, given=given: given(len(questions)), "ones")
        result = ragauge.evaluate(ROWS, "judged-faithfulness", judge=judge, resamples=0)
        assert result.table[0].value == 1.0
    rated = FunctionJudge(lambda state, questions: [np.array([0, 0, 1], kind)] * len(questions), "rated")
    assert ragauge.evaluate(ROWS, "judged-context-rating", judge=rated, resamples=0).table[0].value == 1.0


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_a_reply_that_cannot_be_used_has_its_price(deciding: Deciding, protocol: str) -> None:
    deciding.twist = HOSTILE["above 1"]
    rows = [{**ROWS[1], "answer": f"一种饮料{number}。", "id": f"{number}"} for number in range(9)]
    judge = deciding.judge(protocol, parallel=1)
    with Session(max_cost=250, price=Price(1_000_000, 0)) as session:
        result = ragauge.evaluate(rows, "judged-faithfulness", judge=judge, session=session, resamples=0)
        counted = session.to_dict()
    reasons = [reason.partition(":")[0] for reason in result.reasons("judged-faithfulness").values()]
    sent = len(deciding.bodies)
    assert 0 < sent < 9
    assert reasons == ["malformed"] * sent + ["budget"] * (9 - sent)
    assert counted["calls"] == counted["estimated"] == sent
    assert 0 < counted["cost"] <= 250


def test_a_decision_model_needs_no_price_of_replies(
    deciding: Deciding, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    write_rows(tmp_path / "data.jsonl", ROWS)
    call = ("score", "data.jsonl", "-m", "judged-faithfulness", "--judge-model", "m", "--price-in", 1_000_000)
    judge = ("--judge", f"{deciding.base}/systemone", "--max-cost", 1000, "--output-format", "json")
    done = here(capsys, *call, *judge)
    assert done.json["options"]["judge"]["cost"] == 80
    assert "go together" in here(capsys, *call, "--judge", deciding.base).err


def test_a_decision_model_writes_no_questions(deciding: Deciding) -> None:
    from ragauge.judges import Question

    [asked] = [Question(prompt="p", version="1", messages=(("user", "Write."),), schema={})]
    with pytest.raises(UsageError, match="gives probabilities and writes no text"):
        deciding.judge().ask([asked], lambda *_: None)


def test_the_tasks_of_a_cluster_ask_through_one_process(deciding: Deciding) -> None:
    from ragauge.judges.relay import Relay

    plain = deciding.scored().value
    asked = len(deciding.bodies)
    judge: Any = deciding.judge()
    with Session() as session, Relay([judge], session, "127.0.0.1", tasks=1) as relay:
        relayed = relay.relayed(judge, "judged-faithfulness")
        result = ragauge.evaluate(ROWS, "judged-faithfulness", judge=relayed, resamples=0)
        assert session.tally.total.calls == 2
    assert result.table[0].value == plain
    assert len(deciding.bodies) == 2 * asked


def test_a_jury_may_hold_both_kinds(deciding: Deciding) -> None:
    writes = FunctionJudge(lambda messages: '{"rating": 2}', "writes")
    decides = FunctionJudge(lambda text, questions: [[1.0, 0.0, 0.0]], "decides")
    from ragauge.judges.jury import Jury

    result = ragauge.evaluate(ROWS, "judged-context-rating", judge=Jury((writes, decides)), resamples=0)
    [score] = result.table
    assert (score.value, score.parts["judge variance"]) == (0.5, 0.5)
