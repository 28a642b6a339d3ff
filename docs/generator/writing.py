"""Which pages are generated, and where they go."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from docs.generator import command_line, ingredients, llms, messages, metric, metric_list, public_names, public_objects
from docs.generator.language import ENGLISH, chinese
from docs.generator.tables import NOTE

DOCS = Path(__file__).parents[1]


def generated() -> dict[str, str]:
    """Return every generated page: path below ``docs`` -> its text."""
    pages = {
        **{
            metric.path(entry, language): metric.page(entry, language)
            for language in (ENGLISH, chinese())
            for entry in metric_list.entries_with_a_page()
        },
        "metrics/index.md": metric_list.page(),
        "zh/metrics/index.md": metric_list.page_in_chinese(),
        **{f"reference/{name}.md": ingredients.page(kind) for kind, name in ingredients.PAGES.items()},
        "reference/command-line.md": command_line.page(),
        "reference/messages.md": messages.page(),
        "reference/python.md": public_names.page(),
        **public_objects.pages(),
    }
    menu = (DOCS.parent / "mkdocs.yml").read_text(encoding="utf-8")
    known = {**pages, **changelog()}
    return {**pages, "llms.txt": llms.text(menu, lambda page: known.get(page) or _written(page))}


def changelog() -> dict[str, str]:
    """Return the changelog as a page, whose links lead to pages beside it: path -> text.

    It is no page of `generated`: an entry is not to fail a test because the page was not written again yet.
    """
    text = (DOCS.parent / "CHANGELOG.md").read_text(encoding="utf-8")
    return {"changelog.md": f"{NOTE.format(source='CHANGELOG.md')}\n\n{text.replace('](docs/', '](')}"}


def _written(page: str) -> str:
    return (DOCS / page).read_text(encoding="utf-8")


def write(pages: Mapping[str, str], to: Path = DOCS) -> Iterator[str]:
    """Write the pages that differ from what is there; yield their paths."""
    for name in stale(pages, to):
        path = to / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(pages[name], encoding="utf-8")
        yield name


def stale(pages: Mapping[str, str], to: Path = DOCS) -> Iterator[str]:
    """Yield the paths of the pages that are absent, or differ from what is there."""
    for name, text in pages.items():
        path = to / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            yield name
