"""Through all that a reader does with a report, its list, its opened sample and its address agree."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import pytest

from tests.browser.conftest import Open
from tests.browser.reader import Reader
from tests.browser.scenes import DESK, LISTED_BY, SCENES
from tests.conftest import PATIENCE

# Two frames: a table draws in the first one what a new width asks for.
SETTLED = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))"
STATE = r"""() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const texts = JSON.parse(document.getElementById("texts").textContent)[document.documentElement.lang];
  const filled = (one) => texts[one.dataset.text]?.replace(/\{(\w+)\}/g, (_, name) => one.getAttribute(`data-${name}`));
  const count = document.querySelector("#samples .count").dataset;
  const grid = document.querySelector("#samples [role=grid]");
  const ids = all("[id]").map((one) => one.id);
  const cells = (row) => [...row.querySelectorAll("[aria-colindex]")].map((cell) => Number(cell.ariaColIndex));
  return {
    address: decodeURI(location.hash),
    shown: Number(count.shown.replaceAll(",", "")),
    counted: Number(grid.ariaRowCount) - 1,
    columns: Number(grid.ariaColCount),
    rows: all("#samples [role=grid] [role=row]").map(cells),
    ids: all("#samples [data-index] [aria-colindex='1']").map((one) => (one.querySelector(".id") ?? one).textContent),
    heads: all("#samples [role=columnheader]").map((one) => one.textContent.replace(/ [↑↓]$/, "")),
    opened: all("dialog[open] article h3 bdi").slice(0, 1).map((one) => one.textContent),
    language: document.documentElement.lang,
    modal: document.querySelector("dialog").matches(":modal"),
    twice: ids.filter((id, place) => ids.indexOf(id) !== place),
    unsaid: all("[data-text]").filter((one) => one.textContent !== filled(one)).map((one) => one.outerHTML),
  };
}"""
# Steps after which a page waits for more, or for its new width.
SLOW = ("threshold", "search", "type", "width", "click nav", "address #groups", "address #samples")
# Every so many steps the address is opened anew; a prime, so that it falls on steps of each kind.
OPENED_ANEW = 5


def state(page: Any) -> dict[str, Any]:
    page.evaluate(SETTLED)
    found: dict[str, Any] = page.evaluate(STATE)
    return found


def disagreements(found: dict[str, Any], *, on_a_desk: bool) -> Iterator[str]:
    """Yield what two places of the page say unlike each other."""
    if found["shown"] != found["counted"]:
        yield f"{found['shown']} samples and {found['counted']} rows"
    if any(row != list(range(1, found["columns"] + 1)) for row in found["rows"]):
        yield f"{found['columns']} columns and {found['rows'][:3]}"
    if len({*found["ids"]}) != len(found["ids"]) or len(found["ids"]) > found["shown"]:
        yield "ids and rows"
    if found["shown"] <= 20 and len(found["ids"]) != found["shown"]:
        yield "a short list and its rows"
    if found["modal"] and on_a_desk:
        yield "a wide page and a sample in front of it"
    yield from (f"twice: {name}" for name in found["twice"])
    yield from (f"not in {found['language']}: {element}" for element in found["unsaid"])


@pytest.fixture
def anew(only_page: Any) -> Iterator[Any]:
    """A second page, for what an address shows where nothing else was done."""
    page = only_page.context.new_page()
    page.set_default_timeout(PATIENCE)
    yield page
    page.close()


def seen(found: dict[str, Any]) -> dict[str, Any]:
    """Return what an address must bring back; which rows of a long list exist depends on how far it is scrolled."""
    rows = found["ids"] if found["shown"] == len(found["ids"]) else []
    return {name: found[name] for name in ("shown", "heads", "opened", "language", "address")} | {"rows": rows}


@pytest.mark.parametrize("name", SCENES)
def test_every_step_leaves_a_page_that_agrees_with_itself(visit: Open, anew: Any, tmp_path: Path, name: str) -> None:
    scene = SCENES[name]
    path = scene.report(tmp_path)
    reader = visit(path, scene.fragment, screen=scene.screen, in_order=False)
    for place, (step, act) in enumerate(scene.steps):
        saved = act(reader)
        reader.page.wait_for_timeout(300 if step.startswith(SLOW) else 1)
        found = state(reader.page)
        on_a_desk = reader.page.viewport_size == DESK
        assert [*disagreements(found, on_a_desk=on_a_desk)] == [], step
        if step.startswith("save"):
            assert ids_of(saved) == found["ids"], step
        if step.removeprefix("address ") in LISTED_BY and name == "addresses":
            assert " ".join(found["ids"]) == LISTED_BY[step.removeprefix("address ")], step
        if place % OPENED_ANEW == 0 and "=" in found["address"]:
            assert unlike(seen(opened_anew(anew, reader)), seen(found)) == {}, step


def unlike(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Return the values that differ."""
    return {name: (one[name], other[name]) for name in one if one[name] != other[name]}


def opened_anew(page: Any, reader: Reader) -> dict[str, Any]:
    page.set_viewport_size(reader.page.viewport_size)
    page.goto("about:blank")
    page.goto(reader.page.url)
    Reader(page, reader.path).ready()
    page.wait_for_timeout(50)
    return state(page)


def ids_of(saved: str) -> list[str]:
    """Return the ids of saved samples, in their order."""
    name, text = saved.split("\n", 1)
    if name.endswith(".csv"):
        return [row["id"] for row in csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""))]
    return [json.loads(line)["id"] for line in text.splitlines()]


def test_addresses_of_all_names_are_listed() -> None:
    """Each name that an address may hold, see assets/README.md, is in one of the addresses that are opened."""
    names = {name.partition(".")[0] for address in LISTED_BY for name, _ in parse_qsl(address[1:])}
    documented = {"sample", "search", "status", "metric", "test", "threshold", "language", "in", "without-language"}
    assert documented | {"without", "within", "sort", "run", "column", "only", "view", "lang"} <= names
