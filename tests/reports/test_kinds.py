"""Pages of every kind are whole: what they refer to is there, tables are even, figures fit, and each says its own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from math import isfinite
from urllib.parse import parse_qsl

import pytest

from ragauge.reports.texts import Texts
from tests.reports.kinds import KINDS, LONG, pages
from tests.reports.reading import Element, payload, read

LENGTHS = ("x", "y", "width", "height", "cx", "cy", "r", "x1", "x2", "y1", "y2")
ACROSS, DOWN = ("x", "cx", "x1", "x2"), ("y", "cy", "y1", "y2")
# Conditions of an address that name columns and values begin with one of these, see assets/README.md.
CONDITIONS = ("in.", "without.")
NO_NUMBER = re.compile(r"\b(nan|inf|None)\b")


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Element]:
    return {name: read(path) for name, path in pages(tmp_path_factory.mktemp("kinds"))}


@pytest.fixture(params=[kind.__name__ for kind in KINDS])
def some(request: pytest.FixtureRequest, shown: dict[str, Element]) -> list[Element]:
    """The pages of one kind."""
    return [page for name, page in shown.items() if name.startswith(f"{request.param} ")]


def test_what_is_referred_to_is_there(some: list[Element]) -> None:
    for page in some:
        ids = Counter(one.attributes["id"] for one in page.walk() if "id" in one.attributes)
        assert set(ids.values()) == {1}
        held = payload(page)
        known = {
            "metric": {metric["name"] for metric in held["metrics"]},
            "run": {*held["runs"]},
            "sample": {*held["ids"]},
        }
        for link in page.all("a"):
            target = (link.attributes["href"] or "").removeprefix("#")
            for name, value in parse_qsl(target, keep_blank_values=True, strict_parsing="=" in target):
                assert value in known.get(name, {value}), target
                assert not name.startswith(CONDITIONS) or name.split(".", 1)[1] in {*held["columns"], *held["by"]}
            assert "=" in target or target in ids


def test_each_row_of_a_table_fills_the_columns_of_its_head(some: list[Element]) -> None:
    for table in (table for page in some for table in page.all("table")):
        widths = list(_widths(table))
        assert widths == widths[:1] * len(widths), table.line[:80]
        assert all(head.attributes.get("scope") for head in table.all("th"))


def _widths(table: Element) -> Iterator[int]:
    """Yield how many columns each row has, with those that cells of rows above reach into."""
    reaching: list[tuple[int, int]] = []
    for row in table.all("tr"):
        cells = [one.attributes for one in row.children if isinstance(one, Element)]
        sizes = [(int(one.get("rowspan") or 1), int(one.get("colspan") or 1)) for one in cells]
        reaching = [(rows - 1, columns) for rows, columns in reaching if rows > 1] + sizes
        yield sum(columns for _, columns in reaching)


def test_figures_stay_within_their_frames(some: list[Element]) -> None:
    for figure in (figure for page in some for figure in page.all("svg") if "width" in figure.attributes):
        size = {end: float(figure.attributes[end] or 0) for end in ("width", "height")}
        for one in figure.walk():
            places = {name: float(value or 0) for name, value in one.attributes.items() if name in LENGTHS}
            assert all(map(isfinite, places.values())), one
            assert all(-1 <= places[name] <= size["width"] + 1 for name in ACROSS if name in places), one
            assert all(-1 <= places[name] <= size["height"] + 1 for name in DOWN if name in places), one


def test_no_number_that_is_not_one_and_no_place_of_a_text_is_left(some: list[Element]) -> None:
    texts = Texts().all
    for page in some:
        words = texts[page.one("html").attributes["lang"] or ""]
        for one in page.one("main").walk():
            key = one.attributes.get("data-text")
            assert key is None or key in words
            assert key is None or not re.search(r"\{\w+\}", one.text)
            # A signature has the word that its metric has for an open end.
            if one.tag == "td" and not one.has(class_="signature"):
                assert not NO_NUMBER.search(one.line), one.line


def test_samples_of_a_page_have_a_place_in_each_of_its_columns(some: list[Element]) -> None:
    for held in map(payload, some):
        count = held["shown"]
        assert 0 < count <= held["total"]
        assert {len(held[name]) for name in ("ids", "questions", "references", "relevance")} == {count}
        assert {len(values) for values in held["columns"].values()} <= {count}
        for run in held["by_run"]:
            assert len(run["answers"]) == count
            assert {len(values) for values in run["scores"].values()} == {count}


def conditions(page: Element, section: str) -> set[tuple[tuple[str, str], ...]]:
    """Return the conditions that links of a section set in the list of samples."""
    links = [link.attributes["href"] or "" for link in page.one("section", id=section).all("a")]
    return {tuple(parse_qsl(link[1:])) for link in links if "=" in link}


def groups(page: Element, column: str) -> set[str]:
    """Return the groups that the summary sets apart."""
    return {value for some in conditions(page, "summary") for name, value in some if name == f"in.{column}"}


def cells(page: Element, section: str) -> list[list[str]]:
    """Return the first table of a section without its head."""
    body = page.one("section", id=section).all("tbody")[0]
    return [[one.line for one in row.children if isinstance(one, Element)] for row in body.all("tr")]


def test_groups_apart_are_named_and_small_ones_and_those_without_intervals_are_not(shown: dict[str, Element]) -> None:
    assert groups(shown["one_of_each 0"], "group") == {"b", "c"}
    assert groups(shown["one_of_each 4"], "group") == set()
    assert groups(shown["units 0"], "group") == {"甲", "乙"}


def test_what_correction_made_unclear_is_no_change(shown: dict[str, Element]) -> None:
    base, new, difference, interval, alone, corrected, counts = cells(shown["one_of_each 1"], "changes")[0][1:8]
    assert (base, new, difference, interval) == ("0.500", "0.567", "+0.067", "[-0.028, +0.120]")
    assert float(alone) < 0.05 < float(corrected)
    assert counts == "9 / 2 / 1"


def test_runs_of_a_history_that_moved_a_score_are_listed(shown: dict[str, Element]) -> None:
    moved = shown["histories 0"].one("section", id="history").all("tbody")[0]
    listed = [(row.all("td")[0].line, row.all("td")[-1].line.split()[0]) for row in moved.all("tr")]
    assert [outcome for _, outcome in listed] == ["▲", "▼", "▼"]
    assert not any("▲" in row.line or "▼" in row.line for row in shown["histories 1"].all("tr"))


def test_names_that_figures_cut_are_whole_in_a_title(shown: dict[str, Element]) -> None:
    page = shown["one_of_each 2"]
    assert any(one.line == LONG for one in page.all("th"))
    cut = [text.children for text in page.all("text") if str(text.children[0]).endswith("…")]
    assert len(cut) > 5
    for shown_part, title in cut:
        assert isinstance(title, Element)
        assert title.line.startswith(str(shown_part).removesuffix("…"))


def test_scores_are_shown_in_their_own_units(shown: dict[str, Element]) -> None:
    values = {row[0]: row[1] for row in cells(shown["units 0"], "scores")}
    # Means worked from the rows: 42 cycles of 5 costs and of 9 gains are not whole, so these are not the mid values.
    assert [values[name] for name in ("percent", "gain", "ratio")] == ["6.3", "-260", "0.00"]
    assert next(value for name, value in values.items() if name.startswith("cost")) == "0.000381"


FEW = "ragauge score DATA -m exact-match -m token-f1 "
MAPPED = "--map answer=antwort --map language=Sprache --by language --cluster haus"
COMMANDS = (
    "ragauge score --run RUN --qrels QRELS -m mrr -m map -m ndcg@3",
    f"{FEW}{MAPPED}",
    f"{FEW}{MAPPED} --ci 0.9 --interval percentile --resamples 150 --seed 7",
    f"{FEW}{MAPPED} --resamples 0",
    "ragauge score --run 'my run.json' --qrels qrels.json -m recall@2 --interval percentile",
    f"ragauge score data.jsonl -m exact-match {MAPPED}",
)


@pytest.mark.parametrize(("place", "command"), [*enumerate(COMMANDS)])
def test_the_command_has_every_option_that_is_not_the_default(
    shown: dict[str, Element], place: int, command: str
) -> None:
    written = shown[f"recipes {place}"].one("section", id="reproduce").all("pre")[0].text
    assert " ".join(written.replace("\\", " ").split()) == command
