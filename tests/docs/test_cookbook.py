"""Each recipe is whole: a goal, commands that run, what they print, what to look at, and where to read on."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.docs.blocks import DOCS, blocks, name, outside
from tests.docs.outputs import shown

COOKBOOK = DOCS / "cookbook"
INDEX = COOKBOOK / "index.md"
RECIPES = sorted(set(COOKBOOK.glob("*.md")) - {INDEX})


@pytest.mark.parametrize("page", RECIPES, ids=name)
def test_a_recipe_is_whole(page: Path) -> None:
    title, goal, *_ = [line for line in outside(page).splitlines() if line]
    assert title.startswith("# ")
    assert re.fullmatch(r"[A-Z][^.]*\.", goal), "the first line is the goal, in one sentence"
    *_, look, more = outside(page).split("\n\n")
    assert "**Look at** " in outside(page)
    assert more.startswith("**More:** "), look
    assert "](" in more
    examples = [block for block in blocks(page) if ">>> " in block.body]
    assert [*shown(page), *examples], "show what a command or an example prints"


def test_the_index_has_every_recipe_by_its_title() -> None:
    links = dict(re.findall(r"^\| \[(.+)\]\((.+\.md)\) \|", INDEX.read_text(encoding="utf-8"), re.MULTILINE))
    titles = {page.read_text(encoding="utf-8").partition("\n")[0].removeprefix("# "): page.name for page in RECIPES}
    assert links == titles
    assert len(links) == 20


def test_what_a_recipe_needs_is_in_an_environment_of_ci() -> None:
    installed = (DOCS.parent / ".ci" / "run").read_text(encoding="utf-8").partition("install frameworks ")[2]
    for page in RECIPES:
        for package in re.findall(r"<!-- needs: (.+?) -->", page.read_text(encoding="utf-8")):
            assert set(package.split()) <= set(re.split(r"==\S+|[\s'\"]+", installed.partition("  # ")[0]))
