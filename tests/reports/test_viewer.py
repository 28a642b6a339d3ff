"""The server of ``ragauge view``: what it answers, and what it refuses. Requests are real."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path
from time import monotonic, sleep
from typing import Any
from urllib.parse import urlencode

import pytest

import ragauge
from ragauge.engines import part_files
from ragauge.errors import DataError, UsageError
from ragauge.reports.viewer import pages
from ragauge.reports.viewer.folders import RunFolders
from ragauge.reports.viewer.pages import state
from ragauge.reports.viewer.server import RunServer
from ragauge.reports.viewer.under_way import UnderWay
from ragauge.systems.answers import SystemAnswer, answer_file
from tests.reports.reading import Element, read
from tests.reports.runs import make_run

NAMES = ["bm25", "重排序", "再ランク", "재순위", "переранжирование", "إعادة", "पुनर्क्रम", "จัดลำดับ"]


@contextmanager
def serving(*folders: Path, **options: Any) -> Iterator[RunServer]:
    with RunServer(folders, **options) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in each script, one day after another, in folders of two depths."""
    folder = tmp_path_factory.mktemp("view") / "runs"
    for place, name in enumerate(NAMES):
        path = folder / name if place % 2 else folder / "team" / name
        make_run(path, count=12, seed=place, skill=0.1 + place / 10, metrics=("mrr", "token-f1"), by=[], failures=0)
        dated(path, f"2026-03-0{place + 1}T10:00:00+00:00")
    return folder


@pytest.fixture(scope="module")
def server(runs: Path) -> Iterator[RunServer]:
    with serving(runs) as one:
        yield one


def dated(path: Path, created: str) -> None:
    manifest = json.loads((path / "manifest.json").read_text(encoding="utf-8"))
    manifest["run"]["created"] = created
    (path / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def fetch(server: RunServer, address: str, method: str = "GET", **headers: str) -> tuple[HTTPResponse, str]:
    connection = HTTPConnection("127.0.0.1", server.port, timeout=60)
    connection.request(method, address, headers={name.replace("_", "-"): value for name, value in headers.items()})
    response = connection.getresponse()
    text = response.read().decode()
    connection.close()
    return response, text


def sent(server: RunServer, request: bytes) -> bytes:
    """Send bytes as they are, and return all that comes back."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=20) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        while block := connection.recv(65536):
            answer += block
    return answer


def keys(server: RunServer) -> dict[str, str]:
    return {run.name: run.key for run in server.folders.runs()}


def listed(page: str) -> list[Element]:
    return read(page).one("section", id="runs").one("tbody").all("tr")


def test_the_list_has_all_runs_the_newest_first(server: RunServer) -> None:
    response, page = fetch(server, "/")
    assert response.status == 200
    rows = listed(page)
    shown = [row.one("th").line for row in rows]
    assert shown == [name if place % 2 else f"team/{name}" for place, name in reversed(list(enumerate(NAMES)))]
    assert "2026-03-08 10:00" in rows[0].line
    assert "mrr 0." in rows[0].line


def test_a_metric_says_what_it_is_at_the_head_of_its_column(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", metrics=("mrr",), by=[], failures=0)
    assert head(tmp_path)["data-title-en"].startswith("Mean reciprocal rank: ")
    assert head(tmp_path)["data-title-zh"].startswith("平均倒数排名：")
    manifest = (run / "manifest.json").read_text(encoding="utf-8")
    (run / "manifest.json").write_text(manifest.replace('"mrr|', '"of-somebody|'), encoding="utf-8")
    assert "title" not in head(tmp_path)


def head(folder: Path) -> dict[str, Any]:
    with serving(folder) as server:
        return read(fetch(server, "/")[1]).one("section", id="runs").one("thead").one("bdi").attributes


def outcomes(server: RunServer) -> dict[str, Any]:
    """Return what is said of each run against the one before, by name, once all are compared."""
    end = monotonic() + 60
    while monotonic() < end:
        told = json.loads(fetch(server, "/state")[1])["outcomes"]
        if all(one["text"] != "view.outcome.waiting" for one in told.values()):
            return {name: told[key] for name, key in keys(server).items()}
        sleep(0.1)
    raise AssertionError("not all runs are compared after a minute")


def test_a_run_with_the_scores_of_the_one_before_is_equal_to_it(tmp_path: Path) -> None:
    for day, name in enumerate(("один", "два"), 1):
        make_run(tmp_path / name, count=12, seed=1, metrics=("mrr",), by=[], failures=0)
        dated(tmp_path / name, f"2026-03-0{day}T10:00:00+00:00")
    with serving(tmp_path) as server:
        told = outcomes(server)["два"]
    assert (told["text"], told["kind"]) == ("view.outcome.equal", "equal")
    assert told["decision"] == "view.decision.cannot-tell-yet"
    assert told["values"] == {"base": "один"}


def test_the_outcomes_are_those_of_compare(server: RunServer, runs: Path) -> None:
    found = outcomes(server)
    assert found[f"team/{NAMES[0]}"]["text"] == "view.outcome.first"
    told = found[NAMES[7]]
    differences = ragauge.compare(runs / "team" / NAMES[6], runs / NAMES[7]).table
    better = sum(one.outcome == "better" for one in differences)
    worse = sum(one.outcome == "worse" for one in differences)
    assert told["values"]["base"] == f"team/{NAMES[6]}"
    assert (told["kind"], better, worse) in (("unclear", 0, 0), ("better", better, 0), ("worse", 0, worse))


def test_all_runs_of_the_same_questions_are_compared_with_a_pinned_base(server: RunServer, runs: Path) -> None:
    key = keys(server)
    pinned = key[NAMES[3]]
    end = monotonic() + 60
    waiting = True
    while waiting and monotonic() < end:
        told = json.loads(fetch(server, f"/state?base={pinned}")[1])["outcomes"]
        waiting = any(one["text"] == "view.outcome.waiting" for one in told.values())
        sleep(0.05)
    assert told.pop(pinned)["text"] == "view.outcome.base"
    assert {one["values"]["base"] for one in told.values()} == {NAMES[3]}
    differences = ragauge.compare(runs / NAMES[3], runs / NAMES[7]).table
    kinds = {one.outcome for one in differences} & {"better", "worse"}
    assert told[key[NAMES[7]]]["kind"] == (kinds.pop() if len(kinds) == 1 else "mixed" if kinds else "unclear")
    page = read(fetch(server, f"/?base={pinned}")[1])
    assert [row.one("th").line for row in page.all("tr", class_="base")] == [NAMES[3]]
    both = read(fetch(server, f"/report?run={key[NAMES[1]]}&run={pinned}&base={pinned}")[1])
    assert both.one("h1").line == f"{NAMES[3]} → {NAMES[1]}"
    assert "the base" not in fetch(server, "/?base=nothing")[1].split("<tbody>")[1].split("</tbody>")[0]


def test_a_run_is_its_report_with_a_link_back(server: RunServer) -> None:
    key = keys(server)[NAMES[1]]
    response, page = fetch(server, f"/report?run={key}&language=zh")
    assert response.status == 200
    tree = read(page)
    assert tree.one("h1").line == NAMES[1]
    assert tree.one("p", class_="kind").one("a").attributes["href"] == "/?language=zh"
    [policy] = [one.attributes["content"] for one in tree.all("meta") if "http-equiv" in one.attributes]
    assert str(policy).startswith("default-src 'none'; script-src 'sha256-")
    assert "connect-src 'self'" in str(policy)
    assert "form-action 'none'" in str(policy)


def test_chosen_runs_are_compared_with_the_oldest(server: RunServer) -> None:
    key = keys(server)
    chosen = [key[NAMES[7]], key[NAMES[1]], key[NAMES[3]]]
    page = read(fetch(server, "/report?" + urlencode([("run", one) for one in chosen]))[1])
    assert page.one("h1").attributes["title"] == " → ".join([NAMES[1], NAMES[3], NAMES[7]])
    assert page.all("section", id="runs")


def test_the_language_is_that_of_the_address_the_command_or_the_browser(server: RunServer, runs: Path) -> None:
    assert 'lang="en"' in fetch(server, "/")[1][:60]
    assert 'lang="zh"' in fetch(server, "/", Accept_Language="zh-CN,zh;q=0.9,en;q=0.8")[1][:60]
    assert 'lang="zh"' in fetch(server, "/?language=zh", Accept_Language="en")[1][:60]
    assert 'lang="en"' in fetch(server, "/?language=xx")[1][:60]
    # The Chinese is simplified: who reads traditional characters gets English, as on the terminal.
    for tags, language in (
        ("zh-CN,zh;q=0.9,en;q=0.8", "zh"),
        ("zh-TW,zh;q=0.9,en-US;q=0.8", "en"),
        ("zh-HK", "en"),
        ("zh-Hant,zh-CN", "zh"),
        ("de,zh;q=0.5", "zh"),
    ):
        assert f'lang="{language}"' in fetch(server, "/", Accept_Language=tags)[1][:60], tags
    with serving(runs, language="zh") as chinese:
        assert 'lang="zh"' in fetch(chinese, "/", Accept_Language="en")[1][:60]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "FOO", "get"])
def test_only_get_and_head_are_answered(server: RunServer, method: str) -> None:
    answer = sent(server, f"{method} / HTTP/1.1\r\nHost: localhost:{server.port}\r\n\r\n".encode())
    assert answer.startswith(b"HTTP/1.1 405 ")
    assert b"Allow: GET, HEAD" in answer


def test_head_is_get_without_the_content(server: RunServer) -> None:
    for address in ("/", "/state", f"/report?run={keys(server)[NAMES[1]]}"):
        whole, text = fetch(server, address)
        head, nothing = fetch(server, address, "HEAD")
        assert (head.status, nothing) == (whole.status, "")
        # A state tells seconds, so its length may change.
        assert address == "/state" or head.headers["Content-Length"] == whole.headers["Content-Length"] != "0"
        assert text


HOSTS = [
    "evil.com", "127.0.0.1.evil.com", "localhost.evil.com", "evil.com:{port}", "localhost:1", "127.0.0.2", "127.1",
    "0.0.0.0:{port}", "[::2]", "2130706433", "0x7f000001", "localhost.", "localhost:{port}@evil.com", "", " ",
    "192.168.1.5", "localhost,evil.com", "127.0.0.1:{port}:80", "[::1", "::1", "localhost:99999999",
]  # fmt: skip


@pytest.mark.parametrize("host", HOSTS)
def test_other_hosts_are_refused(server: RunServer, host: str) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {host.format(port=server.port)}\r\n\r\n"
    answer = sent(server, request.encode())
    assert answer.split()[1] in (b"403", b"400")
    assert b"bm25" not in answer


@pytest.mark.parametrize(
    "host", ["127.0.0.1:{port}", "localhost:{port}", "LOCALHOST:{port}", "[::1]:{port}", "localhost"]
)
def test_names_of_this_machine_are_taken(server: RunServer, host: str) -> None:
    request = f"GET / HTTP/1.1\r\nHost: {host.format(port=server.port)}\r\nConnection: close\r\n\r\n"
    assert sent(server, request.encode()).startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize(
    "headers",
    [
        "",
        "Host: localhost\r\nHost: evil.com\r\n",
        "Host: localhost\r\nContent-Length: 5\r\n",
        "Host: localhost\r\nTransfer-Encoding: chunked\r\n",
        "Host: localhost\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\n",
        "Host: localhost\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: cors\r\n",
    ],
)
def test_unclear_requests_and_those_of_other_pages_are_refused(server: RunServer, headers: str) -> None:
    answer = sent(server, f"GET / HTTP/1.1\r\n{headers}\r\n".encode())
    assert answer.split()[1] in (b"403", b"400")
    assert answer.count(b"HTTP/1.1") == 1
    assert b"bm25" not in answer


PATHS = [
    "/bm25", "/team/bm25/manifest.json", "/runs/", "/..", "/../", "/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd",
    "/..%2f..%2fetc/passwd", "/%252e%252e/", "/..\\..\\", "/%5c..%5c", "//etc/passwd", "/./", "/report/", "/report/..",
    "/Report", "/state/", "/static/page.css", "/manifest.json", "/%00", "/report%00", "http://evil.com/",
    "http://localhost/../etc/passwd", "*", "/;/", "/~root", "/\u00e9", "/.git/config", "/report.html",
]  # fmt: skip


@pytest.mark.parametrize("path", PATHS)
def test_other_paths_are_not_there(server: RunServer, path: str) -> None:
    answer = sent(server, f"GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
    assert answer.split()[1] in (b"404", b"400")
    assert b"root:" not in answer
    assert b"bm25" not in answer


KEYS = [
    "..",
    "../team/bm25",
    "%2e%2e",
    "/etc",
    "bm25",
    "team/bm25",
    "",
    "\x00",
    "0" * 16,
    "é" * 9,
    "<script>",
    "A" * 9000,
]


@pytest.mark.parametrize("key", KEYS)
def test_other_runs_are_not_there(server: RunServer, key: str) -> None:
    response, page = fetch(server, "/report?" + urlencode({"run": key}))
    assert response.status in (404, 400)
    assert "There is no such run" in page or "Choose between" in page
    assert not key or key in ("..", "/etc", "bm25") or key not in page


@pytest.mark.parametrize("query", ["run=%ff", "&".join(["run=a"] * 65), "run=" + "&run=".join(map(str, range(30)))])
def test_queries_that_cannot_be_meant(server: RunServer, query: str) -> None:
    response, _ = fetch(server, f"/report?{query}")
    assert response.status == 400


def test_what_is_no_http_ends_the_connection_and_not_the_server(server: RunServer) -> None:
    for request in (b"\x00\x01\x02\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"A" * 70_000, b"", b"GET /",
                    b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200 + b"\r\n", b"GET /<script> HTTP/x\r\n\r\n"):  # fmt: skip
        answer = sent(server, request)
        assert b"<script>" not in answer
        assert b"bm25" not in answer
    assert fetch(server, "/")[0].status == 200


def test_every_answer_keeps_out_of_other_pages_and_caches(server: RunServer) -> None:
    for address in ("/", "/state", "/report", "/none"):
        headers = fetch(server, address)[0].headers
        assert headers["Cache-Control"] == "no-store"
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert headers["X-Frame-Options"] == "DENY"
        assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
        assert "Access-Control-Allow-Origin" not in headers


def test_only_this_machine_is_listened_to(server: RunServer) -> None:
    assert server.socket.getsockname()[0] == "127.0.0.1"


def test_failed_samples_are_told_with_the_run_and_its_outcome(tmp_path: Path) -> None:
    def save(day: int, name: str, quality: float, failed: int) -> None:
        data = [
            {"id": str(place), "x": quality + place % 5 / 50, "failure": "timeout" if place < failed else None}
            for place in range(20)
        ]
        ragauge.evaluate(data, "x=column:name=x").save(tmp_path / name)
        dated(tmp_path / name, f"2026-03-0{day}T10:00:00+00:00")

    for day, (name, quality, failed) in enumerate(
        [("первый", 0.2, 0), ("半分", 0.6, 10), ("كل", 0.6, 20), ("同じ", 0.6, 0)], 1
    ):
        save(day, name, quality, failed)
    with serving(tmp_path) as server:
        told = outcomes(server)
        rows = {row.one("th").line: row.line for row in listed(fetch(server, "/")[1])}
    assert (told["半分"]["text"], told["半分"]["kind"]) == ("view.outcome.better.failed", "mixed")
    assert told["半分"]["values"]["failed"] == "10"
    assert told["半分"]["decision"] == "view.decision.do-not-ship"
    assert "Do not ship ▼ 10 more failed" in rows["半分"]
    assert told["كل"]["decision"] == ""
    assert (told["كل"]["text"], told["كل"]["kind"]) == ("view.outcome.nothing", "worse")
    assert "✗ 10 of 20 failed" in rows["半分"]
    assert "failed" not in rows["первый"]


def test_a_run_that_lost_its_samples_cannot_be_read(tmp_path: Path) -> None:
    lost = make_run(tmp_path / "lost", count=6, metrics=("mrr",), by=[])
    with serving(tmp_path) as server:
        assert "cannot be read" not in listed(fetch(server, "/")[1])[0].line
    (lost / "samples.parquet").unlink()
    with serving(tmp_path) as server:
        [row] = listed(fetch(server, "/")[1])
        assert "samples.parquet is missing, so the run cannot be read" in row.line
        assert not row.all("input")


def test_damaged_runs_are_shown_with_their_error(tmp_path: Path) -> None:
    good = make_run(tmp_path / "good", count=6, metrics=("mrr",), by=[])
    for name, content in (("no-json", "{"), ("other", '{"a": 1}'), ("deep", "[" * 9000), ("newer", None)):
        (tmp_path / name).mkdir()
        text = content or json.dumps({"run": {"format": 99, "ragauge": "9.0"}})
        (tmp_path / name / "manifest.json").write_text(text, encoding="utf-8")
    broken = make_run(tmp_path / "broken", count=6, metrics=("mrr",), by=[])
    (broken / "scores.parquet").write_bytes(b"PAR1 nothing PAR1")
    lost = make_run(tmp_path / "lost", count=6, metrics=("mrr",), by=[])
    (lost / "manifest.json").unlink()
    with serving(tmp_path) as server:
        rows = {row.one("th").line: row.line for row in listed(fetch(server, "/")[1])}
        assert set(rows) == {"good", "no-json", "other", "deep", "newer", "broken", "lost"}
        for name in ("no-json", "other", "deep"):
            assert "is damaged, or not the manifest of a run" in rows[name]
        assert "newer than" in rows["newer"]
        assert "has no manifest.json" in rows["lost"]
        key = keys(server)
        for name, words in (("broken", "broken"), ("lost", "has no manifest.json")):
            response, page = fetch(server, f"/report?run={key[name]}")
            assert response.status == 422
            assert words in read(page).one("p", class_="problem").line
        assert fetch(server, f"/report?run={key['good']}")[0].status == 200
        assert good.exists()


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = make_run(tmp_path / "outside" / "secret", count=6, metrics=("mrr",), by=[])
    folder = tmp_path / "runs"
    inside = make_run(folder / "linked-file", count=6, metrics=("mrr",), by=[])
    (folder / "linked-run").symlink_to(outside, target_is_directory=True)
    for name in ("samples.parquet", "manifest.json"):
        (inside / name).unlink()
        (inside / name).symlink_to(outside / name)
    (folder / "pipe").mkdir()
    os.mkfifo(folder / "pipe" / "manifest.json")
    (folder / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "x.answers.jsonl").symlink_to(outside / "manifest.json")
    with serving(folder) as server:
        page = fetch(server, "/")[1]
        rows = {row.one("th").line: row.line for row in listed(page)}
        assert set(rows) == {"linked-file"}
        assert "is a link or no plain file" in rows["linked-file"]
        assert fetch(server, f"/report?run={keys(server)['linked-file']}")[0].status == 422
        assert json.loads(fetch(server, "/state")[1])["under_way"] == []


def test_a_link_that_comes_after_the_list_is_not_followed_either(tmp_path: Path) -> None:
    outside = make_run(tmp_path / "outside", count=6, metrics=("mrr",), by=[])
    inside = make_run(tmp_path / "runs" / "today", count=6, metrics=("mrr",), by=[])
    with serving(tmp_path / "runs") as server:
        key = keys(server)["today"]
        (inside / "scores.parquet").unlink()
        (inside / "scores.parquet").symlink_to(outside / "scores.parquet")
        response, page = fetch(server, f"/report?run={key}")
        assert response.status == 422
        assert "is a link" in page


def test_answers_are_counted_as_they_come_until_the_run_is_saved(tmp_path: Path) -> None:
    (tmp_path / "team").mkdir()
    with serving(tmp_path) as server:
        assert "There is no saved run" in read(fetch(server, "/")[1]).line
        with answer_file(tmp_path / "team" / "今天.answers.jsonl", "app:answer", resume=False, questions=5) as file:
            assert under_way(server) == [("team/今天", 0, 5, ["view.answers.of", "view.age"])]
            file.add(SystemAnswer("q1", "?", {"answer": "a"}))
            file.add(SystemAnswer("q2", "?", None, "timeout"))
            failed = ["view.answers.of", "view.answers.failed", "view.age"]
            assert under_way(server) == [("team/今天", 2, 5, failed)]
            file.add(SystemAnswer("q2", "?", {"answer": "a"}))
            assert under_way(server) == [("team/今天", 2, 5, ["view.answers.of", "view.age"])]
        os.utime(tmp_path / "team" / "今天.answers.jsonl", (1, 1))
        assert under_way(server)[0][3] == ["view.answers.of", "view.silent"]
        make_run(tmp_path / "team" / "今天", count=6, metrics=("mrr",), by=[])
        assert under_way(server) == []
        assert [row.one("th").line for row in listed(fetch(server, "/")[1])] == ["team/今天"]


def test_without_a_total_that_is_said_and_hostile_lines_count_nothing(tmp_path: Path) -> None:
    lines = ['{"answers_of": "a", "questions": "many"}', "[]", "{", '{"id": 3}', "\x00"]
    lines += ['{"id": "q", "output": {}}', '{"id": "torn']
    (tmp_path / "a.answers.jsonl").write_text("\n".join(lines), encoding="utf-8")
    (tmp_path / ".b.0123abcd.new").mkdir()
    with serving(tmp_path) as server:
        assert sorted(under_way(server)) == [
            ("a", 1, None, ["view.answers", "view.age"]),
            ("b", 0, None, ["view.saving"]),
        ]


def test_parts_that_several_processes_score_are_told(tmp_path: Path) -> None:
    for name, plan in (("today", '{"parts": 8}'), ("odd", '{"parts": "x"}'), ("bad", "[")):
        (tmp_path / f"{name}.parts").mkdir()
        (tmp_path / f"{name}.parts" / "plan.json").write_text(plan, encoding="utf-8")
    for number in range(3):
        (tmp_path / "today.parts" / f"part-{number:06}.arrow").write_bytes(b"")
    (tmp_path / "linked.parts").mkdir()
    (tmp_path / "linked.parts" / "plan.json").symlink_to(tmp_path / "today.parts" / "plan.json")
    with serving(tmp_path) as server:
        assert sorted(under_way(server)) == [
            ("bad", 0, None, ["view.parts", "view.age"]),
            ("odd", 0, None, ["view.parts", "view.age"]),
            ("today", 3, 8, ["view.parts.of", "view.age"]),
        ]
        assert "There is no saved run" in read(fetch(server, "/")[1]).line


@pytest.mark.parametrize(
    ("one", "lines"),
    [
        (
            UnderWay("a", "a", "answers", 12_345, 2, 20_000, 3.4),
            {
                "view.answers.of": {"n": "12,345", "total": "20,000"},
                "view.answers.failed": {"failed": "2"},
                "view.age": {"seconds": "3"},
            },
        ),
        (
            UnderWay("a", "a", "answers", 3, 0, None, 119.9),
            {"view.answers": {"n": "3"}, "view.age": {"seconds": "120"}},
        ),
        (
            UnderWay("a", "a", "parts", 1, 0, 4, 121.0),
            {"view.parts.of": {"n": "1", "total": "4"}, "view.silent": {"minutes": "2"}},
        ),
        (UnderWay("a", "d\udcff", "saving", 0, 0, None, 60.0), {"view.saving": {}}),
    ],
)
def test_what_is_under_way_says_how_far_it_is_and_since_when_it_is_silent(
    one: UnderWay, lines: dict[str, dict[str, str]]
) -> None:
    [found] = state([], {}, [one])["under_way"]
    assert {line["text"]: line["values"] for line in found["lines"]} == lines
    assert found["name"] == one.name.replace("\udcff", "\\udcff")
    assert (found["done"], found["total"]) == (one.done, one.total)


def test_files_are_called_as_score_calls_them(tmp_path: Path) -> None:
    with part_files.locked(tmp_path / "today.parts") as files:
        about = {"samples": 9, "parts": 2, "source": "answers.jsonl"}
        files.begin(about)
        (tmp_path / "today.parts" / "part-000001.arrow").write_bytes(b"")
        assert files.finished() == [1]
        with serving(tmp_path) as server:
            assert under_way(server) == [("today", 1, 2, ["view.parts.of", "view.age"])]


def under_way(server: RunServer) -> list[tuple[str, int, int | None, list[str]]]:
    server._seen = None
    told = json.loads(fetch(server, "/state")[1])["under_way"]
    return [(one["name"], one["done"], one["total"], [line["text"] for line in one["lines"]]) for one in told]


def test_new_runs_change_the_version_of_the_list(tmp_path: Path) -> None:
    make_run(tmp_path / "one", count=6, metrics=("mrr",), by=[])
    with serving(tmp_path) as server:
        before = json.loads(fetch(server, "/state")[1])["version"]
        assert f'data-state="{before}"' in fetch(server, "/")[1]
        make_run(tmp_path / "two", count=6, metrics=("mrr",), by=[])
        server._seen = None
        assert json.loads(fetch(server, "/state")[1])["version"] != before


def test_a_look_lists_each_folder_once(runs: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RunServer([runs]) as server:
        first, _, _ = server.seen()
        listed: list[str] = []
        once = os.scandir
        monkeypatch.setattr(os, "scandir", lambda path: listed.append(os.fspath(path)) or once(path))  # type: ignore[func-returns-value]
        monkeypatch.setattr("ragauge.reports.viewer.server._FRESH", -1.0)
        again, _, _ = server.seen()
    assert [run.key for run in again] == [run.key for run in first]
    assert len(listed) == len(set(listed)) > len(first)


def test_several_folders_and_a_run_itself(runs: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "runs" / "mine", count=6, metrics=("mrr",), by=[])
    with serving(runs / "team", tmp_path / "runs", runs / NAMES[1]) as server:
        assert {"team/bm25", "runs/mine", NAMES[1]} <= set(keys(server))
    with serving(runs, tmp_path / "runs") as server:
        names = set(keys(server))
    assert {f"{runs}/team/bm25", f"{tmp_path}/runs/mine"} <= names


def test_what_is_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(UsageError, match="is not a folder; name a folder of saved runs"):
        RunServer([tmp_path / "file"])
    with pytest.raises(DataError, match="folder not found; did you mean file"):
        RunServer([tmp_path / "fila"])
    with pytest.raises(UsageError, match="en or zh"):
        RunServer([tmp_path], language="de")
    with RunServer([tmp_path]) as first, pytest.raises(UsageError, match=f"port {first.port} .* 0 takes a free one"):
        RunServer([tmp_path], first.port)


def test_a_long_report_blocks_no_other_answer(server: RunServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the same report waits for it; it is made once."""
    begun, go, made = threading.Event(), threading.Event(), []

    def slow(_runs: Any, _language: str) -> bytes:
        made.append(1)
        begun.set()
        assert go.wait(60)
        return b"done"

    monkeypatch.setattr(pages, "_report", slow)
    address = f"/report?run={keys(server)[NAMES[5]]}"
    texts: list[str] = []
    threads = [threading.Thread(target=lambda: texts.append(fetch(server, address)[1])) for _ in range(3)]
    for thread in threads:
        thread.start()
    assert begun.wait(60)
    assert fetch(server, "/")[0].status == 200
    assert fetch(server, "/state")[0].status == 200
    go.set()
    for thread in threads:
        thread.join()
    assert texts == ["done"] * 3
    assert len(made) == 1


def test_a_report_that_failed_is_tried_again(server: RunServer, monkeypatch: pytest.MonkeyPatch) -> None:
    address = f"/report?run={keys(server)[NAMES[3]]}&language=zh"
    with monkeypatch.context() as patch:
        patch.setattr(pages, "_report", lambda *_: 1 / 0)
        response, page = fetch(server, address)
        assert response.status == 500
        assert "ZeroDivisionError" in page
    assert fetch(server, address)[0].status == 200


def test_nothing_is_written(runs: Path, server: RunServer) -> None:
    def there() -> list[tuple[str, int, int]]:
        return sorted((str(path), path.stat().st_mtime_ns, path.stat().st_size) for path in runs.rglob("*"))

    before = there()
    for address in ("/", "/state", f"/report?run={keys(server)[NAMES[1]]}"):
        fetch(server, address)
    assert there() == before


def test_the_address_of_a_run_has_no_path(runs: Path, server: RunServer) -> None:
    page = fetch(server, "/")[1]
    for name in keys(server):
        assert name not in fetch(server, "/state")[0].headers.as_string()
    for link in read(page).all("a"):
        target = str(link.attributes["href"])
        assert target.startswith(("/report?run=", "/?language=", "/?base="))
        assert str(runs) not in target


def test_what_is_renamed_while_it_is_looked_at_is_left_out(tmp_path: Path) -> None:
    stop = threading.Event()
    saving, saved = tmp_path / ".今天.1a2b3c4d.new", tmp_path / "今天.parts"
    saving.mkdir()

    def rename() -> None:
        while not stop.is_set():
            saving.rename(saved)
            saved.rename(saving)

    with serving(tmp_path) as server:
        renaming = threading.Thread(target=rename)
        renaming.start()
        try:
            for _ in range(200):
                assert fetch(server, "/state")[0].status == 200
        finally:
            stop.set()
            renaming.join()


def test_what_is_gone_between_two_looks_does_not_fail_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parts = tmp_path / "今天.parts"
    parts.mkdir()
    (parts / "plan.json").write_text('{"parts": 3}', encoding="utf-8")

    def gone(*_: Any) -> Any:
        raise FileNotFoundError(2, "No such file or directory")

    with serving(tmp_path) as server:
        assert [name for name, *_ in under_way(server)] == ["今天"]
        monkeypatch.setattr("ragauge.reports.viewer.under_way.Watch._counts", gone)
        assert under_way(server) == []
        assert fetch(server, "/")[0].status == 200


def test_a_file_that_became_a_link_after_the_list_was_made_is_not_opened(tmp_path: Path):
    make_run(tmp_path / "runs" / "one", count=6, metrics=["mrr"])
    runs = RunFolders([tmp_path / "runs"]).runs()
    samples = next(path for path in (tmp_path / "runs" / "one").iterdir() if path.stem == "samples")
    samples.rename(tmp_path / "elsewhere")
    samples.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(DataError, match="is a link or no plain file"):
        pages.Reports().page(runs, "en")
