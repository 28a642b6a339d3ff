"""Texts that would run where they are taken for markup run nothing, wherever they stand."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode, b64encode
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import ragauge
from ragauge.core.spec import quoted
from tests.browser.conftest import Open
from tests.browser.payloads import AWAY, PAYLOADS
from tests.reports.runs import make_run

ELEMENTS = "[...document.querySelectorAll('*')]"
FOREIGN = "img, iframe, object, embed, link, base, form[action], audio, video, source, animate, foreignObject, math, x"
# Set before the page's own script: what runs cannot undo that it was seen.
CANARY = """
  window.__ran = [];
  Object.defineProperty(window, "__xss", { set: value => window.__ran.push(value), get: () => window.__ran.length });
"""
PAYLOAD = re.compile(r'(<script type="application/octet-stream" id="payload">)([^<]*)(</script>)')


def samples(run: int) -> list[dict[str, Any]]:
    """A sample for each payload, with payloads in every position; of two runs the answers differ."""
    texts = [f"{text}. The lamp is in room {run}. {text}." for text in PAYLOADS]
    return [
        {
            "id": text,
            "question": text,
            "answer": texts[place - run],
            "references": [text, texts[place]],
            "contexts": [texts[place], text, PAYLOADS[place - 1]],
            "retrieved": [f"1{text}", f"2{text}", f"3{text}"],
            "retrieved_scores": [3.0, 2.0, 1.0],
            "relevance": {f"1{text}": 1, f"9{text}": 2},
            "reference_contexts": [text],
            "language": text,
            "failure": text if place % 5 == 2 else None,
            "topic": PAYLOADS[place % 7],
            **dict.fromkeys(PAYLOADS[:20], text),
            **{f"number {name}": float(place) for name in PAYLOADS[20:40]},
        }
        for place, text in enumerate(PAYLOADS)
    ]


@pytest.fixture(scope="session")
def hostile(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two runs, with payloads for data, for metrics and for groups."""
    folder = tmp_path_factory.mktemp("hostile")
    columns = [f"column:name={quoted(f'number {name}')}" for name in PAYLOADS[20:40]]
    metrics = ("ndcg@3", "token-f1", "groundedness", "context-precision", *columns)
    runs = [
        make_run(folder / str(run), samples=samples(run), metrics=metrics, by=["language", "topic", PAYLOADS[0]])
        for run in (1, 2)
    ]
    return ragauge.report(runs, folder / "report.html", names=PAYLOADS[8:10])


@pytest.fixture(scope="session")
def hostile_throughout(hostile: Path, one_run: Path) -> Path:
    """A report in whose data every text is a payload, also those that ragauge itself would have written."""
    texts = cycle(PAYLOADS)
    page = one_run.read_text(encoding="utf-8")
    data = json.loads(gzip.decompress(b64decode(found[2] if (found := PAYLOAD.search(page)) else "")))
    run = data["by_run"][0]
    named = {metric["name"]: next(texts) for metric in data["metrics"]}
    for metric in data["metrics"]:
        metric |= {"name": named[metric["name"]], "stage": next(texts)}
    for kind in ("scores", "status", "reasons", "parts", "evidence"):
        run[kind] = {named[name]: values for name, values in run[kind].items()}
    count = len(data["ids"])
    run["reasons"] = {name: {str(row): next(texts) for row in range(count)} for name in run["scores"]}
    run["parts"] = {name: {next(texts): [0.5] * count} for name in run["scores"]}
    run["failure"] = [next(texts) for _ in range(count)]
    run["evidence"] = {
        name: {str(row): _evidence(run["answers"][row], texts) for row in range(count)} for name in run["scores"]
    }
    data["runs"] = [next(texts)]
    data["columns"] = {name: [next(texts) for _ in range(count)] for name in PAYLOADS[:5]}
    packed = b64encode(gzip.compress(json.dumps(data).encode())).decode()
    path = hostile.with_name("throughout.html")
    path.write_text(PAYLOAD.sub(lambda found: found[1] + packed + found[3], page), encoding="utf-8")
    return path


def _evidence(answer: str, texts: Any) -> list[dict[str, Any]]:
    said = {"what": "answer sentence", "text": answer[:9], "best": next(texts), "similarity": 0.5, "supported": True}
    return [
        said,
        {"what": next(texts), "text": next(texts), "best": next(texts), "similarity": None, "supported": None},
    ]


def explore(reader, samples: int) -> None:
    """Look at everything and press everything."""
    page = reader.page
    for select in page.locator("#samples .filters select").all():
        for option in select.locator("option").all()[:4]:
            select.select_option(option.get_attribute("value"), force=True)
    page.get_by_role("button", name="Reset filters").click()
    for place in range(len(reader.heads)):
        reader.grid.locator("[role=columnheader] button").nth(place).click()
    for text in PAYLOADS[:6]:
        reader.search(text)
    reader.search("")
    reader.grid.locator(".body [role=row]").first.click()
    script = """() => {
      const pressed = "article :is(.sentence, summary, .fold)";
      for (const element of document.querySelectorAll(pressed)) element.click();
      for (const element of document.querySelectorAll("#samples *")) {
        for (const kind of ["mouseover", "focus", "click"]) {
          if (element.closest(".controls, .grid, .filters") === null) element.dispatchEvent(new Event(kind));
        }
      }
    }"""
    for _ in range(samples):
        page.evaluate(script)
        reader.press("j")
    for language in ("zh", "en"):
        page.locator("#interface-language").select_option(language)
    page.locator("#theme").click()
    for text in PAYLOADS:
        page.evaluate("text => { location.hash = '#sample=' + text }", quote(text))
    page.wait_for_timeout(300)


def unharmed(reader) -> None:
    page = reader.page
    assert page.evaluate("window.__ran") == []
    assert page.locator(FOREIGN).count() == 0
    assert page.locator("script").count() == 3
    assert page.locator("style").count() == 1
    names = page.evaluate(f"{ELEMENTS}.flatMap(element => element.getAttributeNames())")
    assert [name for name in names if name.startswith("on")] == []
    targets = page.evaluate(f"{ELEMENTS}.map(e => e.getAttribute('href') ?? e.getAttribute('src') ?? '#')")
    assert {target[0] for target in targets} == {"#"}


def test_there_are_enough():
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 40


@pytest.mark.parametrize("bypass", [False, True], ids=["with the policy", "with the policy off"])
@pytest.mark.parametrize("kind", ["hostile", "hostile_throughout"])
def test_nothing_runs_wherever_it_stands(visit: Open, request: pytest.FixtureRequest, kind: str, bypass: bool):
    path = request.getfixturevalue(kind)
    reader = visit(path, initially=CANARY, bypass_csp=bypass)
    explore(reader, len(PAYLOADS) if kind == "hostile" else 48)
    unharmed(reader)


@pytest.mark.parametrize("text", PAYLOADS)
def test_texts_are_shown_as_they_are(visited: Any, text: str):
    visited.page.evaluate("text => { location.hash = '#sample=' + text }", quote(text))
    wanted = json.dumps(f"Sample {text}")
    visited.until(f"document.querySelector('article h3').textContent === {wanted}")
    assert visited.block("Question").locator(".text").text_content() == text
    assert visited.block("References").locator(".text").first.text_content() == text
    passages = visited.block("Retrieved contexts, in rank order").locator(".run").first.locator(".passage")
    assert passages.nth(1).text_content() == text
    assert passages.count() == 3


@pytest.fixture(scope="module")
def visited(chromium: Any, hostile: Path) -> Any:
    """The hostile report, opened once."""
    from tests.browser.reader import Reader

    page = chromium.new_page()
    page.goto(hostile.as_uri())
    yield Reader(page, hostile).ready()
    page.close()


@dataclass
class Bait:
    """A page into which payloads are put as markup, and what it then asked for."""

    page: Any
    path: Path
    asked: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.page.add_init_script(CANARY)
        self.page.on("requestfailed", lambda request: self.asked.update({request.url: request.failure}))

    def swallow(self, text: str) -> tuple[bool, list[str]]:
        """Put ``text`` into the page; return whether it ran, and how requests to elsewhere ended."""
        self.page.goto(self.path.as_uri())
        self.asked.clear()
        self.page.evaluate("text => document.body.insertAdjacentHTML('beforeend', text)", text)
        self.page.wait_for_timeout(60)
        ran = bool(self.page.evaluate("window.__ran.length"))
        return ran, [why for url, why in self.asked.items() if url.startswith(AWAY)]


BAITS = [text for text in PAYLOADS if "http-equiv" not in text]


def test_the_canary_sees_what_would_run(chromium: Any, one_run: Path):
    bait = Bait(chromium.new_page(bypass_csp=True), one_run)
    ends = [bait.swallow(text) for text in BAITS]
    bait.page.close()
    assert sum(ran for ran, _ in ends) >= 15
    assert sum(bool(asked) for _, asked in ends) >= 3
    assert {why for _, asked in ends for why in asked} == {"net::ERR_NAME_NOT_RESOLVED"}


def test_the_policy_stops_what_escaping_would_let_through(chromium: Any, one_run: Path):
    bait = Bait(chromium.new_page(), one_run)
    ends = [bait.swallow(text) for text in BAITS]
    bait.page.close()
    assert not any(ran for ran, _ in ends)
    assert {why for _, asked in ends for why in asked} == {"csp"}
