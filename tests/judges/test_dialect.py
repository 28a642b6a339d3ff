"""Servers that refuse something, in words or without: the first reply finds out which requests they take."""

from __future__ import annotations

from typing import Any

import pytest

import ragauge
from ragauge.errors import UsageError
from ragauge.judges import Question, Session

from .conftest import SCHEMA, ChatServer, chat_answer, no_complaint, question

# Each as its server writes it: OpenAI, Google (Gemma), vLLM (a template of Gemma), llama.cpp, a proxy, OpenRouter.
LOGPROBS: Any = (403, {"error": {"message": "You are not allowed to request logprobs from this model"}}, {})
GEMMA: Any = (400, {"error": {"message": "Developer instruction is not enabled for models/gemma-3-27b-it"}}, {})
TEMPLATE: Any = (400, {"object": "error", "message": "System role not supported", "code": 400}, {})
GRAMMAR: Any = (500, {"error": {"code": 500, "message": "failed to parse grammar", "type": "server_error"}}, {})
CRASH: Any = (500, b"Internal Server Error", {})
FORBIDDEN: Any = (403, b"<html>Forbidden</html>", {})
NAMELESS: Any = (400, {"error": {"message": "Invalid request"}}, {})
ROUTER: Any = (404, {"error": {"message": "No endpoints found that support the requested parameters"}}, {})


def form(body: Any) -> str:
    return str(body.get("response_format", {}).get("type", "parsed"))


def has_system(body: Any) -> bool:
    return any(message["role"] == "system" for message in body["messages"])


def with_system(text: str, **options: Any) -> Question:
    messages = (("system", "規則"), ("user", text))
    return Question(prompt="count", version="1", messages=messages, schema=SCHEMA, **options)


@pytest.mark.parametrize(
    ("refusal", "refuses", "structured", "lacks", "tries"),
    [
        (LOGPROBS, lambda body: "logprobs" in body, "json_schema", ["logprobs"], 1),
        (GEMMA, has_system, "json_schema", ["system"], 1),
        (TEMPLATE, has_system, "json_schema", ["system"], 1),
        (GRAMMAR, lambda body: form(body) == "json_schema", "json_object", ["json_schema"], 1),
        (CRASH, lambda body: form(body) == "json_schema", "json_object", ["json_schema"], 6),
        (CRASH, lambda body: "logprobs" in body, "json_schema", ["logprobs"], 3),
        (FORBIDDEN, lambda body: "logprobs" in body, "json_schema", ["logprobs"], 1),
        (NAMELESS, lambda body: "logprobs" in body, "json_schema", ["logprobs"], 1),
        (NAMELESS, lambda body: form(body) != "parsed", "parsed", ["logprobs", "json_schema", "json_object"], 3),
        (ROUTER, lambda body: form(body) == "json_schema", "json_object", ["logprobs", "json_schema"], 2),
        (
            NAMELESS, lambda body: has_system(body) or "seed" in body, "parsed",
            ["logprobs", "json_schema", "json_object", "seed", "temperature", "system"], 6,
        ),
    ],
    ids=["403", "developer", "template", "grammar", "crash", "crash by logprobs", "forbidden", "nameless", "form",
         "router", "system"],
)  # fmt: skip
def test_what_a_server_refuses_is_found_out_once(
    server: ChatServer, waits: list[float], refusal: Any, refuses: Any, structured: str, lacks: list[str], tries: int
) -> None:
    server.reply = lambda body, turn: refusal if refuses(body) else chat_answer({"n": 1})
    judge = server.judge()
    asked = [with_system(text, label="n", labels=("0", "1")) for text in ("几个？", "いくつ？", "كم؟", "เท่าไร")]
    replies = judge.ask(asked, no_complaint)
    assert [(reply.status, reply.structured) for reply in replies] == [("ok", structured)] * 4
    assert judge.lacks == lacks
    assert len(server.bodies) == 4 + tries
    assert "規則" in server.bodies[-1]["messages"][0]["content"]


def test_a_server_without_a_system_role_gets_its_words_in_the_question(server: ChatServer) -> None:
    server.reply = lambda body, turn: GEMMA if has_system(body) else chat_answer({"n": 1})
    with Session() as session:
        assert server.judge().ask([with_system("몇 개?")], no_complaint, session)[0].ok
    assert server.bodies[-1]["messages"] == [{"role": "user", "content": "規則\n\n몇 개?"}]


def test_questions_for_label_probabilities_are_found_out_on_their_own(server: ChatServer) -> None:
    server.reply = lambda body, turn: NAMELESS if "logprobs" in body else chat_answer({"n": 1})
    judge = server.judge()
    assert judge.ask([question("a")], no_complaint)[0].ok
    assert judge.ask([question("b", label="n", labels=("0", "1"))], no_complaint)[0].ok
    assert [form(body) for body in server.bodies] == ["json_schema"] * 3


def test_a_form_that_was_asked_for_stays(server: ChatServer) -> None:
    server.reply = lambda body, turn: NAMELESS if form(body) == "json_schema" else chat_answer({"n": 1})
    assert server.asked(output="json_schema").code == "http-400"
    assert {form(body) for body in server.bodies} == {"json_schema"}


def test_a_server_that_no_dialect_helps_is_given_up_soon(server: ChatServer) -> None:
    server.reply = lambda body, turn: NAMELESS
    replies = server.judge().ask([question(str(number)) for number in range(50)], no_complaint)
    assert not any(reply.ok for reply in replies)
    assert "3 in a row got no answer; the last reason: http-400" in replies[-1].reason
    assert len(server.bodies) <= 4 * 6


def test_a_server_that_nothing_helps_is_given_up_for_all_metrics_of_a_run(server: ChatServer) -> None:
    server.reply = lambda body, turn: CRASH
    rows = [{"question": "谁？", "answer": f"{number}", "contexts": ["林婉。"]} for number in range(9)]
    metrics = ["judged-groundedness-rating", "judged-context-rating", "judged-faithfulness"]
    judge = server.judge(retries=0)
    with Session() as session:
        result = ragauge.evaluate(rows, metrics, judge=judge, session=session)
        asked = len(server.bodies)
        # Five dialects for the first question, and one for two more.
        assert asked == 5 + 2
        # Whichever questions were asked, since several are under way at once.
        reasons = [reason for metric in metrics for reason in result.reasons(metric).values()]
        assert sum("3 in a row got no answer" in reason for reason in reasons) >= 3 * 9 - 3
        server.reply = lambda body, turn: chat_answer({"rating": 1})
        again = ragauge.evaluate(rows, metrics[:1], judge=judge, session=session)
    assert again.table[0].scored == 9


def test_a_403_that_nothing_helps_ends_the_run(server: ChatServer) -> None:
    server.reply = lambda body, turn: FORBIDDEN
    with pytest.raises(UsageError, match="answered 403: <html>Forbidden</html>; look at url, model and key"):
        server.judge().ask([question("a", label="n", labels=("0", "1"))], no_complaint)
    assert len(server.bodies) <= 5


def test_what_a_server_refuses_is_in_one_note(server: ChatServer) -> None:
    server.reply = lambda body, turn: GEMMA if has_system(body) else chat_answer({"rating": 1})
    rows = [{"question": "谁？", "answer": f"{number}", "contexts": ["林婉。"]} for number in range(3)]
    metrics = ["judged-groundedness-rating", "judged-context-rating"]
    result = ragauge.evaluate(rows, metrics, judge=server.judge())
    [note] = [note for note in result.data.notes if "refuses" in note]
    assert note == "the judge's server refuses system, so it was asked without: instructions stand in the question"
