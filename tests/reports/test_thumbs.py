"""Thumbs by the server of ``ragauge view``: what it keeps, and whose requests it refuses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from ragauge.reports.viewer.folders import RunFolders
from ragauge.reports.viewer.server import RunServer
from ragauge.reports.viewer.thumbs import RunThumbs
from tests.reports.runs import make_run
from tests.reports.test_viewer import fetch, keys, serving


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One saved run of six samples."""
    folder = tmp_path_factory.mktemp("thumbs")
    make_run(folder / "今天", count=6, metrics=("token-f1",), by=[], failures=0)
    return folder


@pytest.fixture
def server(runs: Path) -> Iterator[RunServer]:
    with serving(runs) as one:
        yield one
    (runs / "今天.thumbs.jsonl").unlink(missing_ok=True)


def posted(server: RunServer, body: Any, path: str = "/thumbs", **headers: str) -> int:
    """Send a thumb as a page of the server does, but for ``headers``; return the status."""
    host = f"127.0.0.1:{server.port}"
    own = {
        "Host": host,
        "Origin": f"http://{host}",
        "Content-Type": "application/json",
        "Sec-Fetch-Site": "same-origin",
    }
    given = own | {name.replace("_", "-"): value for name, value in headers.items()}
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    text = body if isinstance(body, str) else json.dumps(body)
    connection.request("POST", path, text, {name: value for name, value in given.items() if value})
    status = connection.getresponse().status
    connection.close()
    return status


def given(server: RunServer) -> dict[str, bool]:
    found: dict[str, bool] = json.loads(fetch(server, f"/thumbs?run={keys(server)['今天']}")[1])
    return found


def test_thumbs_are_kept_beside_the_run_and_taken_back(server: RunServer, runs: Path) -> None:
    key = keys(server)["今天"]
    assert given(server) == {}
    for name, good in (("q1", True), ("q2", False), ("q3", True), ("q3", None)):
        assert posted(server, {"run": key, "id": name, "good": good}) == 200
    assert given(server) == {"q1": True, "q2": False}
    assert len((runs / "今天.thumbs.jsonl").read_text(encoding="utf-8").splitlines()) == 4
    assert RunThumbs(RunFolders([runs])).given(key) == {"q1": True, "q2": False}


@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "http://evil.com"},
        {"Origin": "null"},
        {"Origin": ""},
        {"Content_Type": "text/plain"},
        {"Content_Type": "application/x-www-form-urlencoded"},
        {"Host": "evil.com", "Origin": "http://evil.com"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "cross-site", "Sec_Fetch_Mode": "navigate", "Origin": "http://evil.com"},
    ],
)
def test_pages_of_others_give_no_thumbs(server: RunServer, runs: Path, headers: dict[str, str]) -> None:
    assert posted(server, {"run": keys(server)["今天"], "id": "q1", "good": True}, **headers) == 403
    assert not (runs / "今天.thumbs.jsonl").exists()


def test_what_is_no_thumb_is_refused(server: RunServer, runs: Path) -> None:
    key = keys(server)["今天"]
    thumb = {"run": key, "id": "q1", "good": True}
    for body, status in (
        ({**thumb, "run": "0" * 16}, 404),
        ({**thumb, "run": "../今天"}, 404),
        ({**thumb, "id": "nobody"}, 404),
        ({**thumb, "id": 3}, 404),
        ({**thumb, "good": 1}, 404),
        ({"id": "q1"}, 400),
        ([], 400),
        ("{", 400),
        ("[" * 90_000, 400),
        ({**thumb, "more": "x" * 100_000}, 400),
    ):
        assert posted(server, body) == status, str(body)[:40]
    assert posted(server, thumb, "/state") == 405
    assert posted(server, thumb, "/thumbs?run=1") == 405
    assert fetch(server, "/thumbs?run=nothing")[0].status == 404
    assert not (runs / "今天.thumbs.jsonl").exists()
