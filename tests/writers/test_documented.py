"""The commands of docs/export.md, each run with the library of its target; servers are on this machine."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from pytest_httpserver import HTTPServer

from tests.docs.blocks import DOCS, ROOT, blocks
from tests.writers.runs import library

PAGE = DOCS / "export.md"
COMMANDS = [
    command
    for block in blocks(PAGE)
    if block.language == "sh"
    for command in block.commands()
    if command.startswith("ragauge export")
]
LIBRARIES = {
    "mlflow": ("mlflow", "sqlalchemy"),
    "wandb": ("wandb",),
    "trackio": ("trackio",),
    "opentelemetry": ("opentelemetry.exporter.otlp.proto.http",),
    "langfuse": (),
}
SPANS = [
    {"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "b7ad6b7169203331",
     "attributes": {"input.value": "谁种茶？", "output.value": "林婉种茶。"}},
    {"traceId": "0af7651916cd43dd8448eb211c80319c", "spanId": "c7ad6b7169203331", "parentSpanId": "b7ad6b7169203331",
     "attributes": {"openinference.span.kind": "RETRIEVER",
                    "retrieval.documents.0.document.content": "林婉在云南种茶。"}},
]  # fmt: skip


def ragauge(folder: Path, *arguments: str) -> str:
    keys = {"LANGFUSE_PUBLIC_KEY": "pk-lf-1", "LANGFUSE_SECRET_KEY": "sk-lf-2", "WANDB_MODE": "offline"}
    environment = {**os.environ, **keys, "TRACKIO_DIR": str(folder / "trackio"), "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-m", "ragauge", *arguments],
        capture_output=True, text=True, encoding="utf-8", env=environment, cwd=folder, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The runs that the commands of the page export."""
    folder = tmp_path_factory.mktemp("reader")
    shutil.copy(ROOT / "corpora/tea-house.jsonl", folder / "answers.jsonl")
    (folder / "spans.jsonl").write_text("\n".join(map(json.dumps, SPANS)), encoding="utf-8")
    ragauge(folder, "score", "answers.jsonl", "-m", "token-f1", "-m", "groundedness", "-o", "runs/today")
    ragauge(folder, "score", "spans.jsonl", "-m", "groundedness", "-o", "runs/traces")
    return folder


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_of_the_page(command: str, folder: Path, httpserver: HTTPServer) -> None:
    arguments = shlex.split(command)[1:]
    target = arguments[arguments.index("--to") + 1]
    name = target.partition("[")[0]
    for module in LIBRARIES[name]:
        library(module)
    httpserver.expect_request("/v1/logs").respond_with_data(b"")
    httpserver.expect_request("/api/public/scores").respond_with_json({"message": "Accepted"}, 202)
    here = httpserver.url_for("").rstrip("/")
    written = target.replace("http://localhost:4318", here).replace("http://localhost:3000", here)
    assert ragauge(folder, *[written if one == target else one for one in arguments]).startswith(f"{name}: ")


def test_the_page_has_a_command_for_each_target() -> None:
    assert {command.partition("--to ")[2].strip('"').partition("[")[0] for command in COMMANDS} >= {*LIBRARIES}
