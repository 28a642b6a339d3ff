"""The tools of coding agents without a protocol: the replies of commands, refused code, errors, and what is cut."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from ragauge.cli import agent_calls
from ragauge.cli.agent_calls import MOST, fitted
from ragauge.cli.agent_tools import TOOLS
from ragauge.engines import evaluate as engine
from tests.cli.running import here, write_rows
from tests.cli.test_trust import EVIL
from tests.docs.blocks import DOCS, blocks

Captured = pytest.CaptureFixture[str]
TEXTS = {"zh": "茶馆晚上十点关门。", "ar": "يفتح المقهى في الثامنة صباحا.", "th": "ร้านน้ำชาปิดวันจันทร์"}
WRONG = "ร้านน้ำชาปิดวันศุกร์"
ROWS = [
    {"id": lang, "language": lang, "question": "?", "answer": text if lang != "th" else WRONG, "references": [text]}
    for lang, text in TEXTS.items()
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RAGAUGE_TRUSTED", raising=False)
    write_rows(tmp_path / "data.jsonl", ROWS)
    return tmp_path


def called(tool: str, **arguments: Any) -> dict[str, Any]:
    reply, failed = agent_calls.call(TOOLS, tool, arguments)
    assert not failed, reply
    return reply


def refused(tool: str, **arguments: Any) -> dict[str, Any]:
    reply, failed = agent_calls.call(TOOLS, tool, arguments)
    assert failed, reply
    assert set(reply) == {"error", "codes"}
    assert "Traceback" not in reply["error"]
    return reply


def test_score_is_the_command(folder: Path, capsys: Captured) -> None:
    asked = {"metric": ["chrf", "exact-match"], "by": ["language"], "lang": "column", "ci": 0.9, "output": "a"}
    reply = called("score", data="data.jsonl", **asked)
    flags = "-m chrf -m exact-match --by language --lang column --ci 0.9 -o b --output-format json"
    printed = here(capsys, "score", "data.jsonl", *flags.split()).json
    assert reply["saved"] == str(folder / "a")
    assert {name: reply[name] for name in ("data", "options")} == {name: printed[name] for name in ("data", "options")}
    whole = {one["metric"]: one for one in printed["metrics"] if one["group"] is None}
    left_out = {"average", "stage", "direction", "signature", "compared_by", "notes"}
    assert len(reply["metrics"]) == 8
    for short, one in zip(reply["metrics"], printed["metrics"], strict=True):
        assert {**whole[one["metric"]], **short} == one
        assert short == one if one["group"] is None else left_out.isdisjoint(short)
    saved = [json.loads((folder / run / "manifest.json").read_text("utf-8"))["metrics"] for run in ("a", "b")]
    assert saved == [printed["metrics"]] * 2


def test_rows_are_scored_as_a_file_is(folder: Path) -> None:
    of_file, of_rows = called("score", data="data.jsonl"), called("score", rows=ROWS)
    assert of_file["metrics"] == of_rows["metrics"]
    assert [one["metric"] for one in of_rows["metrics"]] != []
    assert refused("score", rows=ROWS, data="data.jsonl")["codes"] == ["RG-CLI-062"]
    assert refused("score")["codes"] == ["RG-ENG-004"]
    assert refused("score", rows=[])["codes"] != []


def test_columns_are_mapped_and_split(folder: Path) -> None:
    rows = [{"reply": "a=b", "wanted": "a=b|c"}, {"reply": "c", "wanted": "x|c"}]
    asked = {"map": {"answer": "reply", "references": "wanted"}, "split": {"references": "|"}}
    [score] = called("score", rows=rows, metric=["exact-match"], **asked)["metrics"]
    assert (score["value"], score["scored"], score["total"]) == (1.0, 2, 2)


def test_a_ranking_is_scored(folder: Path) -> None:
    (folder / "run.json").write_text('{"q": {"a": 2, "b": 1}}', encoding="utf-8")
    (folder / "qrels.json").write_text('{"q": {"b": 1}}', encoding="utf-8")
    [score] = called("score", run="run.json", qrels="qrels.json", metric=["mrr"])["metrics"]
    assert score["value"] == 0.5
    assert refused("score", run="run.json")["codes"] == ["RG-ENG-002"]


def test_settings_of_the_folder_hold_and_are_told(folder: Path, capsys: Captured) -> None:
    (folder / "ragauge.toml").write_text('[score]\nmetrics = ["chrf"]\nby = "language"\n', encoding="utf-8")
    reply = called("score", data="data.jsonl")
    printed = here(capsys, "score", "data.jsonl", "--output-format", "json").json
    assert [one["metric"] for one in reply["metrics"]] == ["chrf"] * 4
    assert [one["value"] for one in reply["metrics"]] == [one["value"] for one in printed["metrics"]]
    assert reply["settings"] == ["settings of ragauge.toml: metrics, by"]
    assert {one["metric"] for one in called("score", data="data.jsonl", metric=["token-f1"])["metrics"]} == {"token-f1"}


CODE = {
    "metric": ["./evil.py:evil"],
    "metric of a module": ["evil:evil"],
    "tokenizer": ["bleu:tokenizer=./evil.py:evil"],
    "judge": ["judged-groundedness-rating:judge=./evil.py:evil"],
    "judge elsewhere": ["judged-groundedness-rating:judge=chat[url=http://judge.invalid/v1,model=m,key=HOME]"],
    "embedder": "evil.py:evil",
    "embedder elsewhere": "http[url=http://judge.invalid/v1,model=m]",
    "support": "./evil.py:evil",
    "relevance": "evil:evil",
    "matcher": "./evil.py:evil",
    "embedder in a folder": "st[model=./model]",
}


@pytest.mark.parametrize("what", CODE)
@pytest.mark.parametrize("trusted", [False, True])
def test_an_agent_names_no_code_and_no_server(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: str, trusted: bool
) -> None:
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    (folder / "model").mkdir()
    if trusted:
        monkeypatch.setenv("RAGAUGE_TRUSTED", str(folder))
    value = CODE[what]
    option = "metric" if isinstance(value, list) else what.partition(" ")[0]
    reply = refused("score", data="data.jsonl", **{option: value})
    assert reply["codes"] == ["RG-CLI-061"], reply
    assert not (folder / "ran").exists()


def test_what_settings_name_needs_trust(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    (folder / "ragauge.toml").write_text('[score]\nmetrics = ["./evil.py:evil"]\n', encoding="utf-8")
    assert refused("score", data="data.jsonl")["codes"] == ["RG-CLI-045"]
    assert not (folder / "ran").exists()
    monkeypatch.setenv("RAGAUGE_TRUSTED", str(folder))
    assert called("score", data="data.jsonl")["metrics"][0]["value"] == 1.0
    assert (folder / "ran").exists()


@pytest.mark.parametrize("tool", ["explain", "compare", "report", "metrics"])
def test_no_other_tool_runs_code(folder: Path, tool: str) -> None:
    (folder / "evil.py").write_text(EVIL, encoding="utf-8")
    called("score", data="data.jsonl", metric=["chrf"], output="a")
    arguments: dict[str, dict[str, Any]] = {
        "explain": {"run": "a", "metric": ["./evil.py:evil"]},
        "compare": {"base": "a", "candidates": ["a"], "metric": ["./evil.py:evil"]},
        "report": {"runs": ["a"], "output": "page.html", "metric": "./evil.py:evil"},
        "metrics": {"name": "./evil.py:evil"},
    }
    assert refused(tool, **arguments[tool])["codes"] != []
    assert not (folder / "ran").exists()
    assert not (folder / "page.html").exists()


def test_nothing_is_replaced(folder: Path) -> None:
    called("score", data="data.jsonl", output="run")
    before = {path: path.stat().st_mtime_ns for path in (folder / "run").iterdir()}
    reply = refused("score", data="data.jsonl", output="run")
    assert reply["codes"] == ["RG-RUN-001"] or "already exists" in reply["error"]
    called("report", runs=["run"], output="page.html")
    page = (folder / "page.html").read_bytes()
    assert refused("report", runs=["run"], output="page.html")["codes"] == ["RG-RUN-019"]
    assert {path: path.stat().st_mtime_ns for path in (folder / "run").iterdir()} == before
    assert (folder / "page.html").read_bytes() == page
    assert refused("score", data="data.jsonl", force=True)["codes"] == ["RG-OPT-003"]


def test_runs_are_explained_compared_and_shown(folder: Path) -> None:
    rows = [{**row, "contexts": row["references"]} for row in ROWS]
    called("score", rows=rows, metric=["groundedness", "chrf"], output="old")
    better = [{**row, "answer": row["references"][0]} for row in rows]
    called("score", rows=better, metric=["groundedness", "chrf"], output="new")
    worst = called("explain", run="old", worst=1)
    [sample] = worst["samples"]
    assert worst["worst_under"] == "groundedness"
    assert (sample["id"], sample["row"], sample["answer"], sample["references"]) == ("th", 3, WRONG, [TEXTS["th"]])
    assert [score["metric"] for score in sample["scores"]] == ["groundedness", "chrf"]
    assert sample["evidence"][0]["text"] == WRONG
    [by_row] = called("explain", run="old", row=[1], metric=["chrf"])["samples"]
    assert (by_row["id"], by_row["scores"]) == ("zh", [{"metric": "chrf", "score": 1.0, "status": "ok"}])
    assert by_row["evidence"] == []
    several = called("explain", run="old", id=["th", "zh"], row=[2])["samples"]
    assert [one["row"] for one in several] == [3, 1, 2]
    assert "a list of whole numbers; got ['2']" in refused("explain", run="old", row=["2"])["error"]
    reply = called("compare", base="old", candidates=["new"], worst=2, metric=["chrf"])
    [difference] = reply["differences"]
    assert (difference["candidate"], difference["outcome"], reply["worst"]) == (1.0, "unclear", [])
    back = called("compare", base="new", candidates=["old"], worst=2, metric=["chrf"])
    assert [fall["candidate_answer"] for fall in back["worst"]] == [WRONG]
    assert called("compare", base="new", candidates=["new"])["notes"] != []
    page = called("report", runs=["old", "new"], output="page.html", language="zh", name=["旧", "新"])
    text = (folder / "page.html").read_text(encoding="utf-8")
    assert (page["report"], page["bytes"]) == (str(folder / "page.html"), len(text.encode()))
    assert '<html lang="zh' in text
    assert "旧" in text


def test_metrics_are_listed_and_defined() -> None:
    listed = {one["name"]: one["is"] for one in called("metrics")["metrics"]}
    assert listed["ndcg[@k]"].startswith("Normalized discounted cumulative gain")
    assert listed["faithfulness"].startswith("= ")
    assert "options:" in called("metrics", name="ndcg@10")["definition"]
    assert refused("metrics", name="ndgc") == {
        "error": "unknown metric 'ndgc'; did you mean ndcg?", "codes": ["RG-NAME-001"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "words"),
    [
        ("scor", {}, "RG-NAME-001", "did you mean score?"),
        ("score", {"metrics": ["chrf"]}, "RG-OPT-003", "score has no option 'metrics'; did you mean metric or strict?"),
        ("score", {"data": 5}, "RG-OPT-001", "must be a text; got 5"),
        ("score", {"metric": "chrf"}, "RG-OPT-001", "must be a list of texts; got 'chrf'"),
        ("score", {"metric": ["chrf", 5]}, "RG-OPT-001", "must be a list of texts"),
        ("score", {"rows": [5]}, "RG-OPT-001", "must be a list of objects; got [5]"),
        ("score", {"map": {"answer": 5}}, "RG-OPT-001", "must be an object whose values are texts"),
        ("score", {"limit": "5"}, "RG-OPT-001", "must be a whole number; got '5'"),
        ("score", {"limit": True}, "RG-OPT-001", "must be a whole number; got True"),
        ("score", {"limit": 0, "data": "data.jsonl"}, "", "0 is not in the range x>=1"),
        ("score", {"data": "data.jsonl", "ci": 2}, "RG-OPT-001", "--ci must be"),
        ("score", {"data": "absent.jsonl"}, "RG-DATA-065", "absent.jsonl: file not found; did you mean data.jsonl?"),
        ("score", {"data": "-"}, "", ""),
        ("score", {"data": "data.jsonl", "tag": "x"}, "RG-CLI-034", "--tag"),
        ("explain", {}, "RG-OPT-002", "option 'run' of explain must be a text; it was not given"),
        ("explain", {"run": "absent"}, "", "absent"),
        ("compare", {"base": "a", "candidates": []}, "", ""),
        ("report", {"runs": ["a"]}, "RG-OPT-002", "'output' of report"),
    ],
)
def test_what_is_wrong_is_said(folder: Path, tool: str, arguments: Mapping[str, Any], code: str, words: str) -> None:
    reply = refused(tool, **arguments)
    assert words in reply["error"]
    assert not code or reply["codes"] == [code], reply


def test_null_is_what_was_not_given(folder: Path) -> None:
    nothing = dict.fromkeys(TOOLS["score"].input_schema["properties"])
    assert called("score", **{**nothing, "data": "data.jsonl"}) == called("score", data="data.jsonl")


def test_a_call_leaves_the_command_its_help(capsys: Captured) -> None:
    called("metrics")
    assert here(capsys, "metrics", "-h").code == 0


def test_a_fault_is_no_traceback(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(**_: object) -> None:
        raise KeyError("茶")

    monkeypatch.setattr(engine, "evaluate", fails)
    reply = refused("score", data="data.jsonl")
    assert reply["codes"] == []
    assert reply["error"].startswith(f"KeyError in {__file__}:")
    assert "'茶'. That file is no part of ragauge: correct it." in reply["error"]


def test_nothing_scored_is_an_error(folder: Path) -> None:
    rows = [{"id": "a", "answer": None, "references": ["x"], "failure": "down"}]
    assert refused("score", rows=rows, metric=["chrf"])["codes"] == ["RG-CLI-035"]


def test_progress_is_told(folder: Path) -> None:
    seen: list[tuple[int, int]] = []
    agent_calls.call(TOOLS, "score", {"rows": ROWS, "metric": ["chrf"]}, lambda done, total: seen.append((done, total)))
    assert seen[-1] == (3, 3)


@pytest.mark.costly
def test_a_long_reply_is_cut_and_says_so(folder: Path) -> None:
    rows = [
        {"id": f"q{n}", "group": f"组{n}", "answer": "茶" * 5000, "references": ["茶"], "contexts": ["水" * 5000]}
        for n in range(400)
    ]
    reply = called("score", rows=rows, metric=["groundedness", "exact-match"], by=["group"], output="run", resamples=0)
    assert len(json.dumps(reply, ensure_ascii=False)) <= MOST
    assert len(reply["metrics"]) < 802
    assert f"metrics: the first {len(reply['metrics'])} of 802" in reply["cut"]
    explained = called("explain", run="run", worst=50)
    assert len(json.dumps(explained, ensure_ascii=False)) <= MOST
    answer = explained["samples"][0]["answer"]
    shown = answer.count("茶")
    assert answer == f"{'茶' * shown}... ({5000 - shown:,} more characters)"
    assert explained["cut"][-1].endswith(" more")


def test_every_reply_is_json() -> None:
    reply = fitted({"a": ["\ud800", float("nan"), float("inf"), 1.5, None, True, {"b\ud800": ("c",)}]})
    assert json.loads(json.dumps(reply, allow_nan=False).encode()) == {
        "a": ["\\ud800", None, None, 1.5, None, True, {"b\\ud800": ["c"]}]
    }
    assert fitted({"words": "茶" * MOST})["cut"] == [f"words: 1,000 of {MOST:,} characters"]


def test_tools_describe_what_they_take() -> None:
    for tool in TOOLS.values():
        assert tool.description.endswith("."), tool.name
        for name, schema in tool.input_schema["properties"].items():
            assert schema["description"], f"{tool.name} {name}"
            assert schema["type"] in agent_calls._PLAIN
    assert TOOLS["score"].input_schema["properties"]["duplicates"]["enum"] == ["error", "first"]
    level = TOOLS["compare"].input_schema["properties"]["ci"]
    assert level == {"type": "number", "description": "Level of the intervals.", "default": 0.95}
    assert {name for name, tool in TOOLS.items() if tool.writes} == {"score", "report"}


def dialogue() -> Iterator[tuple[dict[str, Any], dict[str, Any] | None]]:
    """Yield each call of the page of the docs, and what the page shows of its reply."""
    shown = [block for block in blocks(DOCS / "mcp.md") if block.language == "json" and not block.marks]
    found = [json.loads(block.body) for block in shown]
    for one, after in zip(found, [*found[1:], {}], strict=True):
        if "tool" in one:
            yield one, None if not after or "tool" in after else after


def test_the_dialogue_of_the_docs_is_as_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for block in blocks(DOCS / "mcp.md"):
        if "file" in block.marks:
            (tmp_path / block.marks["file"]).write_text(block.body, encoding="utf-8")
    calls = list(dialogue())
    assert {one["tool"] for one, _ in calls} == {"score", "explain", "compare", "report"}
    for one, shown in calls:
        reply, _ = agent_calls.call(TOOLS, one["tool"], one["arguments"])
        assert shown is None or holds(reply, shown), (one, reply)
        assert ("error" in reply) == (one["arguments"].get("id") == ["q9"]), reply
    assert (tmp_path / "report.html").exists()


def holds(whole: Any, part: Any) -> bool:
    """Return whether ``part`` shows fields and first items of ``whole``."""
    if isinstance(part, dict):
        return all(name in whole and holds(whole[name], one) for name, one in part.items())
    if isinstance(part, list):
        return len(whole) >= len(part) and all(map(holds, whole, part))
    return bool(whole == part)


def test_the_extra_is_named_where_the_library_is_absent(capsys: Captured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ragauge.core.loading.find_spec", lambda name: None)
    done = here(capsys, "mcp")
    assert (done.code, done.out) == (2, "")
    assert "ragauge mcp needs mcp, not installed here; run: pip install 'ragauge[mcp]'" in done.err
