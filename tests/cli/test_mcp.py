"""``ragauge mcp`` as a process that a real client starts and speaks to."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ragauge._version import __version__
from ragauge.cli.agent_tools import TOOLS
from tests.cli.running import write_rows
from tests.cli.test_agent_calls import ROWS, TEXTS
from tests.writers.runs import library

mcp = library("mcp")
# What it brings.
anyio, jsonschema = library("anyio", "mcp"), library("jsonschema", "mcp")

COMMAND = [sys.executable, "-m", "ragauge", "mcp"]
PRINTS = """\
import os, sys
print("printed")
os.write(1, b"written\\n")
def metric(sample):
    print("printed", flush=True)
    os.system("echo from a process")
    return float(sys.stdin.read() == "")
"""


def served(folder: Path, use: Callable[[Any], Awaitable[Any]], **variables: str) -> tuple[Any, str]:
    """Return what ``use`` does with a client of a server in ``folder``, and what that wrote to standard error."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **variables}

    async def session(log: Any) -> Any:
        server = mcp.StdioServerParameters(command=COMMAND[0], args=COMMAND[1:], cwd=folder, env=environment)
        with anyio.fail_after(120):
            async with mcp.Client(mcp.stdio_client(server, errlog=log)) as client:
                return await use(client)

    with (folder / "log.txt").open("w", encoding="utf-8") as log:
        done = anyio.run(session, log)
    return done, (folder / "log.txt").read_text(encoding="utf-8")


def test_a_client_finds_the_tools(tmp_path: Path) -> None:
    async def use(client: Any) -> Any:
        return client.server_info, client.instructions, (await client.list_tools()).tools

    (info, instructions, tools), log = served(tmp_path, use)
    assert (info.name, info.version) == ("ragauge", __version__)
    assert "interval" in instructions
    assert [tool.name for tool in tools] == list(TOOLS)
    for tool in tools:
        assert (tool.input_schema, tool.description) == (TOOLS[tool.name].input_schema, TOOLS[tool.name].description)
        assert tool.annotations.read_only_hint is not TOOLS[tool.name].writes
        for schema in (tool.input_schema, tool.output_schema):
            jsonschema.Draft202012Validator.check_schema(schema)
    assert log == ""


def test_runs_are_scored_explained_compared_and_reported(tmp_path: Path) -> None:
    rows = [{**row, "contexts": row["references"]} for row in ROWS]
    write_rows(tmp_path / "答案.jsonl", rows)
    better = [{**row, "answer": row["references"][0]} for row in rows]
    asked = {"metric": ["groundedness", "chrf"], "by": ["language"]}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("score", {"data": "答案.jsonl", "output": "运行/旧", **asked}),
        ("score", {"rows": better, "output": "运行/新", **asked}),
        ("explain", {"run": "运行/旧", "worst": 3}),
        ("compare", {"base": "运行/旧", "candidates": ["运行/新"], "worst": 3}),
        ("report", {"runs": ["运行/旧", "运行/新"], "output": "页.html", "language": "zh"}),
        ("metrics", {}),
    ]

    async def use(client: Any) -> Any:
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    results, log = served(tmp_path, use)
    for result in results:
        assert not result.is_error, result.content
        assert json.loads(result.content[0].text) == result.structured_content
    old, new, explained, compared, report, metrics = [result.structured_content for result in results]
    groups = [one for one in old["metrics"] if one["metric"] == "chrf" and one["group"]]
    assert {one["group"]["language"]: one["scored"] for one in groups} == dict.fromkeys(TEXTS, 1)
    assert [one["value"] for one in new["metrics"][:2]] == [1.0, 1.0]
    assert old["metrics"][1]["low"] is None or old["metrics"][1]["low"] <= old["metrics"][1]["value"]
    assert {sample["id"]: sample["references"] for sample in explained["samples"]}["th"] == [TEXTS["th"]]
    assert {one["outcome"] for one in compared["differences"]} <= {"unclear", "equal"}
    assert Path(report["report"]).read_text(encoding="utf-8").count(TEXTS["zh"]) == 0  # samples are packed
    assert len(metrics["metrics"]) > 50
    assert log == ""


def test_errors_are_results_and_the_server_goes_on(tmp_path: Path) -> None:
    async def use(client: Any) -> Any:
        calls = [("score", {"data": "無.jsonl"}), ("score", {"rows": 5}), ("nothing", {}), ("score", {"rows": ROWS})]
        return [await client.call_tool(name, arguments) for name, arguments in calls]

    results, log = served(tmp_path, use)
    assert [result.is_error for result in results] == [True, True, True, False]
    assert [result.structured_content["codes"] for result in results[1:3]] == [["RG-OPT-001"], ["RG-NAME-001"]]
    assert "無.jsonl: file not found" in results[0].content[0].text
    assert log == ""


def test_standard_output_has_the_protocol_alone(tmp_path: Path) -> None:
    """A metric of trusted settings prints, writes, starts a process that prints, and reads standard input."""
    (tmp_path / "mine.py").write_text(PRINTS, encoding="utf-8")
    (tmp_path / "ragauge.toml").write_text('[score]\nmetrics = ["./mine.py:metric"]\n', encoding="utf-8")
    write_rows(tmp_path / "data.jsonl", ROWS)

    async def use(client: Any) -> Any:
        return await client.call_tool("score", {"data": "data.jsonl"})

    result, _ = served(tmp_path, use)
    assert result.structured_content["codes"] == ["RG-CLI-045"]
    result, log = served(tmp_path, use, RAGAUGE_TRUSTED=str(tmp_path))
    assert [one["value"] for one in result.structured_content["metrics"]] == [1.0]
    assert {"printed", "written", "from a process"} <= set(log.splitlines())


def test_progress_is_sent(tmp_path: Path) -> None:
    seen: list[tuple[float, float | None]] = []

    async def told(done: float, total: float | None, message: str | None) -> None:
        seen.append((done, total))

    async def use(client: Any) -> Any:
        return await client.call_tool("score", {"rows": ROWS, "metric": ["chrf"]}, progress_callback=told)

    result, _ = served(tmp_path, use)
    assert not result.is_error
    assert seen[-1] == (3, 3)


def long_call(folder: Path) -> dict[str, Any]:
    """Return the arguments of a score of many samples, which is saved in the end."""
    rows = ({"id": str(n), "answer": f"tea number {n} of many", "references": ["tea of many"]} for n in range(100_000))
    write_rows(folder / "data.jsonl", rows)
    return {"data": "data.jsonl", "metric": ["chrf", "bleu", "rouge-l"], "output": "run"}


def test_a_call_that_is_taken_back_ends(tmp_path: Path) -> None:
    arguments = long_call(tmp_path)

    async def use(client: Any) -> Any:
        with anyio.CancelScope() as scope:

            async def take_back(done: float, total: float | None, message: str | None) -> None:
                scope.cancel()

            await client.call_tool("score", arguments, progress_callback=take_back)
        assert scope.cancelled_caught
        return await client.call_tool("score", {"rows": ROWS})

    result, log = served(tmp_path, use)
    assert not result.is_error
    assert not (tmp_path / "run").exists()
    assert "Traceback" not in log


def test_it_ends_with_its_input(tmp_path: Path) -> None:
    done = subprocess.run(COMMAND, input=b"no JSON\n", capture_output=True, cwd=tmp_path, timeout=60, check=False)
    assert done.returncode == 0
    assert all(json.loads(line)["jsonrpc"] == "2.0" for line in done.stdout.splitlines())
    assert b"Traceback" not in done.stderr


def test_it_ends_with_its_input_in_the_middle_of_a_call(tmp_path: Path) -> None:
    called = {"name": "score", "arguments": long_call(tmp_path), "_meta": {"progressToken": 1}}
    with begun(tmp_path) as process:
        sent(process, {"jsonrpc": "2.0", "method": "notifications/initialized"})
        assert sent(process, {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": called})["params"]["total"]
        process.stdin.close()
        assert process.wait(60) == 0
        assert b"Traceback" not in process.stderr.read()
    assert not (tmp_path / "run").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="signals of other systems")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_at_once(tmp_path: Path, how: signal.Signals) -> None:
    with begun(tmp_path) as process:
        process.send_signal(how)
        assert process.wait(30) == -how


@contextmanager
def begun(folder: Path) -> Iterator[Any]:
    """Start the command without the client of the SDK, and yield the process after the first exchange."""
    with subprocess.Popen(
        COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder
    ) as process:
        client = {"name": "test", "version": "1"}
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        reply = sent(process, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
        assert reply["result"]["serverInfo"]["name"] == "ragauge"
        try:
            yield process
        finally:
            process.kill()


def sent(process: Any, message: dict[str, Any]) -> Any:
    """Send a message; return the next one of the server, nothing for a notification."""
    process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    return json.loads(process.stdout.readline()) if "id" in message else None
