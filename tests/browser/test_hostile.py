"""Texts that would run where they are taken for markup run nothing, wherever they stand."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

import ragauge
from ragauge.core.spec import quoted
from ragauge.reports.room import printable
from tests.browser.conftest import FEW, Open
from tests.browser.payloads import AWAY, PAYLOADS
from tests.conftest import SCREEN
from tests.reports.reading import chunk_of, rows_of, unpacked
from tests.reports.runs import make_run

Swallow = Callable[[], tuple[list[str], dict[str, str]]]
# The only link of a page is its icon, which its head holds.
ELEMENTS = "[...document.querySelectorAll(':not(head > [rel=icon])')]"
FOREIGN = (
    "img, iframe, object, embed, link:not(head > [rel=icon]), base, form[action], audio, video, source, animate, "
    "foreignObject, math, x"
)
# Set before the page's own script: what runs cannot undo that it was seen.
CANARY = """
  window.__ran = [];
  Object.defineProperty(window, "__xss", { set: value => window.__ran.push(value), get: () => window.__ran.length });
"""
# Names are in the head of every table, so that each costs far more than a text does.
COLUMNS, NUMBERS = PAYLOADS[::6], PAYLOADS[3::6]
GROUPED = PAYLOADS[0]
NAMED = list(enumerate(PAYLOADS[:5]))
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
            **dict.fromkeys(COLUMNS, text),
            **{f"number {name}": float(place) for name in NUMBERS},
            GROUPED: PAYLOADS[place % 7],
        }
        for place, text in enumerate(PAYLOADS)
    ]


@pytest.fixture(scope="session")
def hostile(chromium: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report of two runs, with payloads for data, for metrics and for groups."""
    folder = tmp_path_factory.mktemp("hostile")
    columns = [f"column:name={quoted(f'number {name}')}" for name in NUMBERS]
    metrics = ("ndcg@3", "token-f1", "groundedness", "context-precision", *columns)
    runs = [
        make_run(folder / str(run), samples=samples(run), metrics=metrics, by=["language", GROUPED]) for run in (1, 2)
    ]
    return ragauge.report(runs, folder / "report.html", names=PAYLOADS[8:10])


@pytest.fixture(scope="session")
def hostile_throughout(few: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in whose data every text is a payload, also those that ragauge itself would have written."""
    texts = cycle(PAYLOADS)
    page = few.read_text(encoding="utf-8")
    stored = found[2].strip().split("\n") if (found := PAYLOAD.search(page)) else []
    data, chunk = map(unpacked, stored)
    rows = rows_of(chunk, [metric["name"] for metric in data["metrics"]])
    run = data["by_run"][0]
    named = {metric["name"]: next(texts) for metric in data["metrics"]}
    for metric in data["metrics"]:
        metric |= {"name": named[metric["name"]], "stage": next(texts)}
    for kind in ("scores", "status"):
        run[kind] = {named[name]: values for name, values in run[kind].items()}
    for answer, row in zip(run["answers"], rows, strict=True):
        row["by_run"][0] |= {
            "reasons": {name: next(texts) for name in run["scores"]},
            "parts": {name: {next(texts): 0.5} for name in run["scores"]},
            "evidence": {name: _evidence(answer, texts) for name in run["scores"]},
        }
    count = len(data["ids"])
    run["failure"] = [next(texts) for _ in range(count)]
    data["runs"] = [next(texts)]
    # Of few values, so that each column is in the table and has a filter.
    data["columns"] = {name: [PAYLOADS[5 * place + row % 5] for row in range(count)] for place, name in NAMED}
    packed = "\n".join(
        printable(gzip.compress(json.dumps(part).encode())) for part in (data, chunk_of(rows, [*run["scores"]]))
    )
    path = tmp_path_factory.mktemp("hostile") / "throughout.html"
    path.write_text(PAYLOAD.sub(lambda found: found[1] + packed + found[3], page), encoding="utf-8")
    return path


def _evidence(answer: str, texts: Any) -> list[dict[str, Any]]:
    said = {"what": "answer sentence", "text": answer[:9], "best": next(texts), "similarity": 0.5, "supported": True}
    return [
        said,
        {"what": next(texts), "text": next(texts), "best": next(texts), "similarity": None, "supported": None},
    ]


# Uses everything on the page from within it: thousands of steps, each too short to wait for from outside.
EXPLORE = """async ([samples, texts]) => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const pause = (milliseconds) => new Promise((done) => setTimeout(done, milliseconds));
  const set = (control, value, kind) => {
    control.value = value;
    control.dispatchEvent(new Event(kind, { bubbles: true }));
  };
  const counts = { options: 0, heads: 0, samples: 0, pressed: 0, shown: 0 };
  for (const select of all("#samples .filters select")) {
    for (const option of [...select.options].slice(0, 4)) {
      set(select, option.value, "input");
      counts.options += 1;
    }
  }
  all("#samples .filters > button").at(-1).click();
  for (const element of all("[data-show]").slice(0, 40)) {
    element.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    counts.shown += 1;
  }
  for (const text of texts) {
    const shown = (name, value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
    const named = ["search", "metric", "status", `in.${text}`].map((name) => [name, text]);
    const asked = [...named, ["within", `[0,1] 0 ${text}`], ["sort", `up ${text}`]];
    location.hash = asked.map(([name, value]) => shown(name, value)).join("&");
    await pause(5);
  }
  for (const range of all("#samples .picks button")) range.click();
  all("#samples .filters > button").at(-1).click();
  for (const box of all("#samples .chooser input")) box.click();
  for (const box of all("#samples .chooser input")) box.click();
  for (const save of all("#samples .tools > button")) save.click();
  for (const box of all("#samples .chooser input:not(:checked):enabled")) box.click();
  const heads = all("#samples [role=columnheader] button").length;
  for (let place = 0; place < heads; place += 1) {
    all("#samples [role=columnheader] button")[place].click();
    counts.heads += 1;
    if (place % 20 === 0) await pause(0);
  }
  const search = document.querySelector("#samples input[type=search]");
  for (const text of [...texts.slice(0, 6), ""]) {
    set(search, text, "input");
    await pause(200);
  }
  document.querySelector("#samples .body [role=row]").click();
  for (let sample = 0; sample < samples; sample += 1) {
    for (const element of all("article :is(.sentence, summary, .fold)")) {
      element.click();
      counts.pressed += 1;
    }
    for (const element of all("#samples article *")) {
      for (const kind of ["mouseover", "focus", "click"]) {
        if (element.closest(".controls") === null) element.dispatchEvent(new Event(kind));
      }
    }
    counts.samples += 1;
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true }));
    await pause(0);
  }
  for (const language of ["zh", "en"]) set(document.getElementById("interface-language"), language, "change");
  document.getElementById("theme").click();
  await pause(300);
  return counts;
}"""


def unharmed(reader) -> None:
    page = reader.page
    assert page.evaluate("window.__ran") == []
    assert page.locator(FOREIGN).count() == 0
    assert page.locator("script").count() == 3
    assert page.locator("style").count() == 1
    names = page.evaluate(f"[...new Set({ELEMENTS}.flatMap(element => element.getAttributeNames()))]")
    assert "class" in names
    assert [name for name in names if name.startswith("on")] == []
    targets = page.evaluate(
        f"[...new Set({ELEMENTS}.map(e => e.getAttribute('href') ?? e.getAttribute('src') ?? '#'))]"
    )
    assert {target[0] for target in targets} == {"#"}


def test_there_are_enough():
    assert len(set(PAYLOADS)) == len(PAYLOADS) >= 40


@pytest.fixture
def watched(page: Any) -> Iterator[Any]:
    """A session with the page in which whatever runs is seen; what the session asks of the page ends with it."""
    session = page.context.new_cdp_session(page)
    session.send("Page.enable")
    session.send("Page.addScriptToEvaluateOnNewDocument", {"source": CANARY})
    yield session
    session.detach()


@pytest.fixture
def policy_off(watched: Any) -> None:
    """Let run what the policy of a page would stop."""
    watched.send("Page.setBypassCSP", {"enabled": True})


# Rows have one look, so few are enough: each is drawn again whenever the table is sorted.
LOW = SCREEN | {"height": 250}


@pytest.mark.usefixtures("policy_off")
@pytest.mark.parametrize("kind", ["hostile", "hostile_throughout"])
def test_nothing_runs_wherever_it_stands(visit: Open, request: pytest.FixtureRequest, kind: str):
    reader = visit(request.getfixturevalue(kind), screen=LOW)
    samples = len(PAYLOADS) if kind == "hostile" else FEW
    counts = reader.page.evaluate(EXPLORE, [samples, PAYLOADS])
    assert counts["samples"] == samples
    assert min(counts["options"], counts["heads"], counts["pressed"]) >= 13
    unharmed(reader)


@pytest.mark.usefixtures("watched")
def test_nothing_is_left_to_the_policy(visit: Open, hostile_throughout: Path):
    reader = visit(hostile_throughout, screen=LOW)
    assert reader.page.evaluate(EXPLORE, [4, PAYLOADS[:4]])["samples"] == 4
    unharmed(reader)


SHOWN = """async (texts) => {
  const found = {};
  const block = (heading) =>
    [...document.querySelectorAll("article section")].find((one) => one.querySelector("h4")?.textContent === heading);
  for (const text of texts) {
    location.hash = "#sample=" + encodeURIComponent(text);
    const end = performance.now() + 20000;
    const title = () => document.querySelector("article h3").textContent;
    while (title() !== "Sample " + text && performance.now() < end) await new Promise((done) => setTimeout(done, 1));
    const passages = block("Retrieved contexts, in rank order").querySelector(".run").querySelectorAll(".passage");
    found[JSON.stringify(text)] = [
      title(),
      block("Question").querySelector(".text").textContent,
      block("References").querySelector(".text").textContent,
      passages[1].textContent,
      passages.length,
    ];
  }
  return found;
}"""


@pytest.mark.usefixtures("watched")
def test_texts_are_shown_as_they_are(visit: Open, hostile: Path):
    reader = visit(hostile, screen=LOW)
    shown = reader.page.evaluate(SHOWN, PAYLOADS)
    by_text = {json.loads(key): values for key, values in shown.items()}
    assert by_text == {text: [f"Sample {text}", text, text, text, 3] for text in PAYLOADS}
    unharmed(reader)


BAITS = [text for text in PAYLOADS if "http-equiv" not in text]
# Only the page itself gives the focus away.
IN_FRAMES = [text for text in BAITS if "autofocus" not in text]
PUT = "text => document.body.insertAdjacentHTML('beforeend', text)"


@pytest.fixture
def swallow(watched: Any, page: Any, one_run: Path, tmp_path: Path) -> Iterator[Swallow]:
    """Put each of `BAITS` into a document with the report's policy; return which ran, and how requests ended."""
    policy = re.search(r"<meta http-equiv=[^>]*>", one_run.read_text(encoding="utf-8"))
    assert policy is not None
    start = "<!doctype html><meta charset=utf-8>"
    bait, all_baits = tmp_path / "bait.html", tmp_path / "baits.html"
    bait.write_text(f"{start}{policy[0]}<body>", encoding="utf-8")
    all_baits.write_text(f"{start}<body>{'<iframe src=bait.html></iframe>' * len(IN_FRAMES)}", encoding="utf-8")

    failed: dict[str, str] = {}

    def fail(request: Any) -> None:
        failed[request.url] = request.failure

    def put(texts: list[str]) -> Iterator[str]:
        page.goto((all_baits if len(texts) > 1 else bait).as_uri())
        frames = page.main_frame.child_frames or page.frames
        for frame, text in zip(frames, texts, strict=True):
            frame.evaluate(PUT, text)
        page.wait_for_timeout(300)
        page.evaluate("() => new Promise(done => requestIdleCallback(() => done()))")
        yield from (text for frame, text in zip(frames, texts, strict=True) if frame.evaluate("window.__ran.length"))

    def swallowed() -> tuple[list[str], dict[str, str]]:
        alone = [[text] for text in BAITS if text not in IN_FRAMES]
        ran = [text for texts in (IN_FRAMES, *alone) for text in put(texts)]
        return ran, {url: why for url, why in failed.items() if url.startswith(AWAY)}

    page.on("requestfailed", fail)
    yield swallowed
    page.remove_listener("requestfailed", fail)


@pytest.mark.usefixtures("policy_off")
def test_the_canary_sees_what_would_run(swallow: Swallow):
    ran, asked = swallow()
    assert len(ran) >= 15
    assert any("autofocus" in text for text in ran)
    assert len(asked) >= 3
    assert set(asked.values()) == {"net::ERR_NAME_NOT_RESOLVED"}


def test_the_policy_stops_what_escaping_would_let_through(swallow: Swallow):
    ran, asked = swallow()
    assert ran == []
    assert set(asked.values()) == {"csp"}
