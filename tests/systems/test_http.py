"""Systems behind an address: what is sent, what a reply is read as, streams, and secrets that no message shows."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.errors import OptionError, UsageError
from ragauge.systems.calling import LeftCallError
from ragauge.systems.http import HttpSystem
from ragauge.systems.objects import BadOutputError
from ragauge.systems.outputs import read_output
from ragauge.systems.paths import value_at
from tests.systems.conftest import Server

DOCUMENTS = [{"id": "d1", "content": "茶。", "score": 0.5}]
READ = {"answer": "茶", "contexts": ["茶。"], "retrieved": ["d1"], "retrieved_scores": [0.5]}
USAGE = {"prompt_tokens": 7, "completion_tokens": 2}
TOKENS = {"input_tokens": 7, "output_tokens": 2}


REPLIES: list[tuple[Any, dict[str, Any]]] = [
    ({"answer": "茶", "contexts": DOCUMENTS}, READ),
    ("茶", {"answer": "茶"}),
    (DOCUMENTS, {name: one for name, one in READ.items() if name != "answer"}),
    ({"answer": "茶", "metadata": {"usage": {**USAGE, "total_price": "0.0012890"}, "retriever_resources": DOCUMENTS},
      "mode": "chat"}, {**READ, **TOKENS, "cost": 0.001289, "mode": "chat"}),
    ({"code": 0, "data": {"answer": "茶", "reference": {"chunks": DOCUMENTS}}}, {**READ, "code": 0}),
    ({"choices": [{"message": {"role": "assistant", "content": "茶"}}], "usage": USAGE, "model": "m"},
     {"answer": "茶", **TOKENS, "model": "m"}),
    ({"output": {"answer": "茶", "context": [{"page_content": "茶。"}]}}, {"answer": "茶", "contexts": ["茶。"]}),
    ({"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "茶"}]}, {"answer": "茶"}),
    ({"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "茶"}]}]},
     {"answer": "茶"}),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "columns"), REPLIES, ids=lambda one: str(one)[:30])
def test_replies_of_servers_are_read(server: Server, reply: Any, columns: dict[str, Any]) -> None:
    server.reply = server.json(reply)
    assert read_output(HttpSystem(url=server.url)("茶?")).columns == columns
    assert server.bodies == [{"question": "茶?"}]


def test_a_text_is_the_answer_and_a_page_is_none(server: Server) -> None:
    server.reply = server.json("茶 42".encode(), kind="text/plain; charset=utf-8")
    assert HttpSystem(url=server.url)("?") == "茶 42"
    for body, kind in ((b"<html>no</html>", "text/html"), (b'{"answer": ', "application/json"), (b"{x}", "text/plain")):
        server.reply = server.json(body, kind=kind)
        with pytest.raises(BadOutputError, match="/chat replied with something that is not JSON: ") as error:
            HttpSystem(url=server.url)("?")
        assert ("give the address that answers with JSON" in str(error.value)) == (b"<" in body)


@pytest.mark.parametrize("kind", ["text/plain", "application/json"])
def test_a_stream_under_another_type_is_read_and_an_empty_reply_leads_to_a_function(server: Server, kind: str) -> None:
    server.reply = server.json('data: {"delta": "茶"}\n\ndata: {"delta": "馆"}\n\n'.encode(), kind=kind)
    assert HttpSystem(url=server.url)("?") == {"answer": "茶馆"}
    server.reply = server.json(b"", kind=kind)
    with pytest.raises(LeftCallError, match=r"it is empty; if the answer is in another form.*--system app\.py:ask"):
        HttpSystem(url=server.url)("?")


@pytest.mark.parametrize("question", ['Say "tea"\n', "茶\\館", "{question}", "\u2028", "नमस्ते", "ชา?"])
def test_the_question_is_put_into_the_texts_of_the_body(server: Server, question: str) -> None:
    body = '{"q": "Q: {question}", "k": 3, "messages": [{"role": "user", "content": "{question}"}], "stream": false}'
    HttpSystem(url=server.url, body=body)(question)
    messages = [{"role": "user", "content": question}]
    assert server.bodies == [{"q": f"Q: {question}", "k": 3, "messages": messages, "stream": False}]


def test_a_chat_by_its_model(server: Server) -> None:
    for url in (server.url, f"{server.url}/chat/completions"):
        system = HttpSystem(url=url, model="qwen3")
        system("茶?")
        assert system.address == f"{server.url}/chat/completions"
        assert server.bodies[-1] == {"model": "qwen3", "messages": [{"role": "user", "content": "茶?"}]}


def test_a_chat_without_its_model_is_told_of(server: Server) -> None:
    server.reply = server.json({"detail": "Not Found"}, status=404)
    with pytest.raises(LeftCallError, match=r"answered 404.*name its model: --system-model NAME"):
        HttpSystem(url=server.url)("茶？")
    with pytest.raises(LeftCallError, match="answered 404") as other:
        HttpSystem(url=server.url, model="m")("茶？")
    assert "--system-model" not in str(other.value)


def test_headers_of_a_file_and_a_key_are_sent_and_shown_nowhere(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TEA_KEY", "tiger-123")
    monkeypatch.setenv("RAGAUGE_SYSTEM_API_KEY", "lion-4567")
    (tmp_path / "headers").write_text("# ours\nX-Key: Token ${TEA_KEY}\n\nAccept: text/event-stream\n")
    system = HttpSystem(url=server.url, headers=str(tmp_path / "headers"))
    system("?")
    sent = {name.lower(): value for name, value in server.headers[0].items()}
    assert (sent["x-key"], sent["authorization"]) == ("Token tiger-123", "Bearer lion-4567")
    assert sent["accept"] == "text/event-stream"
    for status in (401, 500):
        server.reply = server.json({"error": "tiger-123 and Token tiger-123 and lion-4567"}, status)
        with pytest.raises(LeftCallError) as error:
            system("?")
        assert "tiger" not in f"{error.value} {system} {system.endpoint}"
        assert "lion" not in f"{error.value} {system} {system.endpoint}"
        assert error.value.is_temporary is (status == 500)


@pytest.mark.parametrize(
    ("line", "problem"),
    [("no colon", "line 2: a header must be Name: value"), ("X-Key: tö", "line 2: a header must be Name: value"),
     ("X-Key: ${TEA_NONE}", "line 2: the environment variable TEA_NONE is not set"), (None, "cannot be read: No such")],
)  # fmt: skip
def test_wrong_headers_are_an_error_before_the_first_question(
    server: Server, tmp_path: Path, line: str | None, problem: str
) -> None:
    if line is not None:
        (tmp_path / "headers").write_text(f"\n{line}\n", encoding="utf-8")
    system = HttpSystem(url=server.url, headers=str(tmp_path / "headers"))
    with pytest.raises(UsageError, match=problem):
        ragauge.evaluate(["?"], "column:name=latency", system=system)
    assert server.bodies == []


@pytest.mark.parametrize(
    "options",
    [{"url": "localhost:8000"}, {"url": "http://me:pw@localhost"}, {"url": "http://h/?q={question}"}, {"body": "{"},
     {"body": '{"q": "fixed"}'}, {"timeout": 0}],
)  # fmt: skip
def test_wrong_options_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(OptionError, match=r"of system 'http' must be"):
        HttpSystem(**{"url": "http://localhost:1", **options})


def delta(text: str) -> str:
    return f"data: {json.dumps({'choices': [{'delta': {'content': text}}]})}\n\n"


def test_a_stream_is_joined_and_the_first_piece_timed(server: Server) -> None:
    last = f"data: {json.dumps({'choices': [], 'usage': USAGE, 'sources': DOCUMENTS})}\n\ndata: [DONE]\n\n"
    server.reply = server.stream([": hello\n\n", delta(""), delta("茶"), delta("馆"), last], pause=0.05)
    columns = read_output(HttpSystem(url=server.url)("?")).columns
    first = columns.pop("time_to_first_token")
    assert 0.09 < first < 5
    assert columns == {**READ, "answer": "茶馆", **TOKENS}


def test_evaluate_asks_an_address_and_says_how_it_was_read(server: Server, caplog: pytest.LogCaptureFixture) -> None:
    server.reply = server.json({"data": {"reply": "茶", "docs": DOCUMENTS, "n": 5}})
    result = ragauge.evaluate(
        [{"question": "茶?", "references": ["茶"]}], "exact-match", system=server.url, resamples=0
    )
    assert result["exact-match"].value == 1.0
    assert dict(result.data.mapping) == {"answer": "data.reply", "contexts": "data.docs"}
    assert "the first answer is read as answer <- data.reply, contexts <- data.docs" in caplog.text
    paths = {"answer": "data.docs.0.content", "contexts": "data.docs", "input_tokens": "data.n"}
    mapped = ragauge.evaluate(["茶?"], "column:name=input_tokens", system=server.url, map=paths, resamples=0)
    assert mapped["column:name=input_tokens"].value == 5.0
    assert dict(mapped.data.mapping) == paths
    absent = ragauge.evaluate(["茶?"], "column:name=latency", system=server.url, map={"answer": "data.no"}, resamples=0)
    assert absent.failures()[0].startswith(
        "1 failed: the system returned nothing at data.no, to which answer is mapped: data has "
    )


def test_a_question_that_is_sent_with_another_value_is_asked_again(server: Server, tmp_path: Path) -> None:
    system = HttpSystem(url=server.url, body='{"question": "{question}", "from": "{city}"}')
    rows = [{"id": str(number), "question": "茶?", "city": "杭州"} for number in range(3)]
    kept: Any = {"system": system, "answers": tmp_path / "answers.jsonl", "resamples": 0}
    ragauge.evaluate(rows, "column:name=latency", **kept)
    rows[1]["city"] = "成都"
    result = ragauge.evaluate(rows, "column:name=latency", resume=True, **kept)
    assert [body["from"] for body in server.bodies] == ["杭州"] * 3 + ["成都"]
    changed = "1 question was asked again, because the question, or what is sent with it, has changed"
    assert changed in result.data.notes
    ragauge.evaluate(rows, "column:name=latency", resume=True, **kept)
    assert len(server.bodies) == 4


@pytest.mark.parametrize(
    ("reply", "place"),
    [
        ({"n": 3, "foo": "茶"}, "foo"),
        ({"status": "ok", "body": {"id": "7", "foo": "云南的茶"}}, "body.foo"),
        ({"body": {"n": 7, "foo": {"bar": "茶"}}}, "body.foo.bar"),
        ({"n": 3, "data": ["茶", "馆"]}, "data.0"),
    ],
)
def test_the_place_of_the_answer_is_asked_for_where_no_key_is_known(server: Server, reply: Any, place: str) -> None:
    server.reply = server.json(reply)
    [failure] = ragauge.evaluate(["茶?"], "column:name=latency", system=server.url, resamples=0).failures()
    assert failure.endswith(f"or name the place of the answer: --map answer={place}, map= in Python")
    text = value_at(reply, place)
    found = ragauge.evaluate(["茶?"], "column:name=latency", system=server.url, map={"answer": place}, resamples=0)
    assert found.to_arrow().column("answer").to_pylist() == [text]


def test_a_server_that_asks_to_wait_is_asked_again(server: Server) -> None:
    replies = iter([server.json({}, 429, Retry_After="0.05"), server.json({"answer": "茶"})])
    server.reply = lambda handler: next(replies)(handler)  # noqa: PLW0108 - the next one for each request
    result = ragauge.evaluate(["?"], "column:name=latency", system=server.url, resamples=0)
    assert result.failures() == []
    tries = "1 further try for 1 question, after failures that looked temporary: 429 (too many requests) 1 time"
    assert tries in result.data.notes
    [advice] = [note for note in result.data.notes if note.startswith("the system had too many requests")]
    rate = re.search(r"rate='(\d+/min)'", advice)
    assert rate is not None
    server.reply = server.json({"answer": "茶"})
    assert ragauge.evaluate(["?"], "column:name=latency", system=server.url, resamples=0, rate=rate[1]).failures() == []


def test_a_redirect_elsewhere_is_not_followed(server: Server) -> None:
    server.reply = server.json({}, 307, Location="http://elsewhere.invalid/")
    result = ragauge.evaluate(["?"], "column:name=latency", system=server.url, resamples=0, retries=0)
    assert "redirects to http://elsewhere.invalid" in result.failures()[0]


def test_answers_of_another_body_are_not_mixed(server: Server, tmp_path: Path) -> None:
    options: dict[str, Any] = {"answers": tmp_path / "a", "resume": True, "resamples": 0}
    ragauge.evaluate(["?"], "column:name=latency", system=HttpSystem(url=server.url), **options)
    other = HttpSystem(url=server.url, body='{"q": "{question}"}')
    with pytest.raises(UsageError, match="they must not be mixed"):
        ragauge.evaluate(["?"], "column:name=latency", system=other, **options)


SOURCES = {"antwort": "茶", "quellen": [{"titel": "A", "inhalt": "茶。"}, {"titel": "B", "inhalt": "水。"}]}


@pytest.mark.parametrize(
    ("place", "failure"),
    [
        ("quellen.inhalt", None),
        ("quellen", "item 1 has no text.*titel, inhalt.*; or map the key of the text: --map contexts=quellen.inhalt"),
        ("quellen.text", "nothing at quellen.text, to which contexts is mapped: quellen has titel, inhalt"),
        ("docs", "nothing at docs, to which contexts is mapped: the output has antwort, quellen"),
    ],
)
def test_a_place_that_the_user_maps_goes_through_lists_or_is_a_failure(place: str, failure: str | None) -> None:
    mapping = {"answer": "antwort", "contexts": place}
    if failure is None:
        assert read_output(SOURCES, mapping).columns == {"answer": "茶", "contexts": ["茶。", "水。"]}
    else:
        with pytest.raises(BadOutputError, match=failure):
            read_output(SOURCES, mapping)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ([{"generated_text": "茶"}], "茶"),
        ([{"generated_text": [{"role": "user", "content": "?"}, {"role": "assistant", "content": "茶"}]}], "茶"),
        ({"id": "b", "response": {"status_code": 200, "body": {"choices": [{"message": {"content": "茶"}}]}}}, "茶"),
    ],
)
def test_replies_of_hugging_face_and_lines_of_a_batch_are_answers(reply: Any, answer: str) -> None:
    assert read_output(reply).columns["answer"] == answer


@pytest.mark.parametrize("error", ["model overloaded", {"message": "model overloaded", "code": 1}])
def test_an_error_in_place_of_an_answer_is_the_reason(error: Any) -> None:
    for output in ({"error": error, "answer": None}, {"error": error}):
        with pytest.raises(BadOutputError, match=r"^the system returned no answer but an error: model overloaded$"):
            read_output(output)
    assert read_output({"answer": "茶", "error": error}).columns["answer"] == "茶"


@pytest.mark.parametrize("sign", [{"code": 500, "data": None}, {"success": False}, {"status": "error", "code": 1}])
def test_what_a_reply_of_a_failure_says_is_the_reason_and_no_place_of_an_answer(sign: dict[str, Any]) -> None:
    for name in ("message", "msg", "detail"):
        with pytest.raises(BadOutputError, match=r"^the system returned no answer but an error: त्रुटि$"):
            read_output({**sign, name: "त्रुटि"})
    fine = {"code": 20000, "success": True, "msg": "ok", "data": {"answer": "茶"}}
    assert read_output(fine).columns["answer"] == "茶"
    with pytest.raises(
        BadOutputError, match="the system says that it failed: 茶; to have its text scored, pass --map "
    ):
        read_output({**sign, "answer": "茶", "contexts": []})
    with pytest.raises(BadOutputError, match=r"no answer but an error: quota$"):
        read_output({"answer": "", "error": "quota"})
    assert read_output({**sign, "answer": "茶"}, {"answer": "answer"}).columns["answer"] == "茶"


@pytest.mark.parametrize(
    ("status", "names"),
    [
        (422, ["--system-body"]),
        (415, ["--system app.py:ask"]),
        (401, ["--system-headers", "RAGAUGE_SYSTEM_API_KEY"]),
        (403, []),
    ],
)
def test_a_status_leads_to_the_option_that_may_help(server: Server, status: int, names: list[str]) -> None:
    server.reply = server.json({"detail": "no"}, status)
    with pytest.raises(LeftCallError) as caught:
        HttpSystem(url=server.url)("?")
    assert all(name in str(caught.value) for name in names or ["--system-headers"])


@pytest.mark.parametrize(
    ("detail", "advised"),
    [
        ([{"type": "missing", "loc": ["body", "query"], "msg": "Field required"}], {"query": "{question}"}),
        (
            [
                {"loc": ["body", name, *more], "msg": "field required"}
                for name, *more in (["user"], ["ask"], ["ask", "text"])
            ],
            {"user": "USER", "ask": {"text": "{question}"}},
        ),
    ],
)
def test_the_body_that_a_server_wants_is_written_out(server: Server, detail: Any, advised: Any) -> None:
    server.reply = server.json({"detail": detail}, 422)
    [failure] = ragauge.evaluate(["茶?"], "column:name=latency", system=server.url, resamples=0).failures()
    words = shlex.split(failure.partition("write what it wants: ")[2].partition(", or body=")[0])
    assert (words[0], json.loads(words[1])) == ("--system-body", advised)
    server.reply = server.json({"answer": "茶"})
    assert HttpSystem(url=server.url, body=words[1])("茶?") == {"answer": "茶"}
    assert "茶?" in json.dumps(server.bodies[-1], ensure_ascii=False)


def test_what_a_server_wants_beside_a_body_of_the_user_is_named_and_the_body_is_not(server: Server) -> None:
    server.reply = server.json({"detail": [{"loc": ["body", "session"], "msg": "Field required"}]}, 422)
    with pytest.raises(LeftCallError, match=r'add to --system-body.*, \{"session": "SESSION"\}$') as caught:
        HttpSystem(url=server.url, body='{"q": "{question}", "token": "tea-4711"}')("?")
    assert "tea-4711" not in str(caught.value)


@pytest.mark.parametrize(
    ("status", "body"),
    [(405, {"detail": "Method Not Allowed"}), (422, {"detail": [{"loc": ["query", "q"], "msg": "Field required"}]})],
)
def test_a_server_that_takes_no_post_of_a_body_leads_to_a_function(server: Server, status: int, body: Any) -> None:
    server.reply = server.json(body, status)
    with pytest.raises(LeftCallError, match=r"questions are sent by POST.*--system app.py:ask, a function that asks"):
        HttpSystem(url=server.url)("?")


@pytest.mark.parametrize(
    "body", [b"{", {}, {"detail": "no"}, {"detail": ["no"]}, {"detail": [{"loc": ["body", 1], "msg": "required"}]}]
)
def test_a_refusal_of_any_other_form_has_the_general_advice(server: Server, body: Any) -> None:
    server.reply = server.json(body, 422)
    with pytest.raises(LeftCallError, match="if it wants other fields than the question"):
        HttpSystem(url=server.url)("?")


def test_a_body_that_was_wrong_can_be_mended_in_the_same_run(server: Server, tmp_path: Path) -> None:
    options: dict[str, Any] = {"answers": tmp_path / "a", "resamples": 0}
    server.reply = server.json({"detail": "no"}, 422)
    ragauge.evaluate(["?"], "column:name=latency", system=server.url, **options)
    server.reply = server.json({"answer": "茶"})
    mended = HttpSystem(url=server.url, body='{"q": "{question}"}')
    assert ragauge.evaluate(["?"], "column:name=latency", system=mended, **options).failures() == []


def test_a_port_without_a_server_is_named(server: Server) -> None:
    server.close()
    with pytest.raises(LeftCallError, match=rf"nothing listens at port {server.server.server_port}\. Start the server"):
        HttpSystem(url=server.url)("?")


@pytest.mark.parametrize("system", ["localhost:18765/chat", "localhost:80", "api.example.com/chat"])
def test_an_address_without_a_scheme_is_told_of(system: str) -> None:
    with pytest.raises(UsageError, match=f"RG-SYSTEM-026|write http://{system}"):
        ragauge.evaluate(["?"], "column:name=latency", system=system)


def test_columns_of_the_questions_fill_the_body(server: Server) -> None:
    rows = [
        {"question": "茶 {sprache}?", "sprache": "zh", "history": ["a"]},
        {"question": "茶?", "sprache": "de", "history": []},
    ]
    body = '{"q": "{question}", "l": "[{sprache}] {\\"x\\": 1}", "h": "{history}", "n": {"s": "{sprache}"}}'
    ragauge.evaluate(rows, "column:name=latency", system=HttpSystem(url=server.url, body=body), resamples=0)
    assert server.bodies == [
        {"q": "茶 {sprache}?", "l": '[zh] {"x": 1}', "h": ["a"], "n": {"s": "zh"}},
        {"q": "茶?", "l": '[de] {"x": 1}', "h": [], "n": {"s": "de"}},
    ]


def test_places_may_be_names_in_any_language_and_with_spaces(server: Server) -> None:
    rows = [{"question": "चाय?", "देश": "hi", "고객 등급": "금", "ชื่อ": "th"}]
    body = '{"q": "{question}", "l": ["{देश}", "{ชื่อ}"], "k": "{고객 등급}", "t": "as {name of city}"}'
    ragauge.evaluate(rows, "column:name=latency", system=HttpSystem(url=server.url, body=body), resamples=0)
    assert server.bodies == [{"q": "चाय?", "l": ["hi", "th"], "k": "금", "t": "as {name of city}"}]


def test_a_place_that_nothing_fills_is_an_error_before_the_first_question(server: Server) -> None:
    system = HttpSystem(url=server.url, body='{"q": "{question}", "l": "{land}"}')
    with pytest.raises(UsageError, match=r"the body has \{land\}, which nothing fills: .* question"):
        ragauge.evaluate([{"question": "?", "stadt": "x"}], "column:name=latency", system=system)
    assert server.bodies == []
