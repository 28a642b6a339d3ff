"""What a reader does with a report, and what becomes visible."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any


@dataclass
class Reader:
    """A page in a browser, with everything that it complained about or asked for."""

    page: Any
    path: Path
    complaints: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for event, listener in self._listeners.items():
            self.page.on(event, listener)

    def leave(self) -> None:
        """Listen no longer, because another report is opened in this page."""
        while self._listeners:
            self.page.remove_listener(*self._listeners.popitem())

    @cached_property
    def _listeners(self) -> dict[str, Callable[[Any], None]]:
        return {
            "console": lambda message: self._hear(message.type, message.text),
            "pageerror": lambda error: self._hear("page error", str(error)),
            "request": lambda request: self.requests.append(request.url.split("#")[0]),
            "dialog": self._dialog,
        }

    def _hear(self, kind: str, text: str) -> None:
        if kind in ("error", "warning", "page error"):
            self.complaints.append(f"{kind}: {text}")

    def _dialog(self, dialog: Any) -> None:
        self.complaints.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def ready(self) -> Reader:
        """Wait until all of the samples is read."""
        self.until("performance.getEntriesByName('samples-read').length > 0")
        return self

    def until(self, expression: str, seconds: float = 120) -> None:
        """Wait until JavaScript says true; Playwright's own way of waiting needs what the page's policy forbids."""
        end = monotonic() + seconds
        while not self.page.evaluate(expression):
            assert monotonic() < end, f"still not so after {seconds} s: {expression}"
            self.page.wait_for_timeout(20)

    @property
    def count(self) -> str:
        """How many samples are said to be shown."""
        return str(self.page.locator("#samples .count").inner_text())

    @property
    def grid(self) -> Any:
        """The table."""
        return self.page.get_by_role("grid")

    @property
    def sample(self) -> Any:
        """The opened sample."""
        return self.page.locator("#samples article")

    @property
    def heads(self) -> list[str]:
        """The columns."""
        found = self.grid.locator("[role=columnheader] button").all_text_contents()
        return [re.sub(r" [↑↓]$", "", text) for text in found]

    def place(self, name: str) -> int:
        """The place of a column, which is chosen first where the table has no room for it."""
        if name not in self.heads:
            menu = self.page.locator("#samples .chooser")
            menu.evaluate("menu => { menu.open = true }")
            menu.get_by_label(name.removeprefix("Δ change in "), exact=True).check()
            menu.evaluate("menu => { menu.open = false }")
        return self.heads.index(name)

    def column(self, name: str) -> list[str]:
        """The cells of a column, of the rows that exist."""
        place = self.place(name) + 1
        cells = self.grid.locator(f".body [aria-colindex='{place}']").all_text_contents()
        return [text.strip() for text in cells]

    @property
    def ids(self) -> list[str]:
        """The ids of the rows that exist."""
        return self.column("Id")

    def head(self, name: str) -> Any:
        """The head of a column."""
        return self.grid.locator("[role=columnheader]").nth(self.place(name))

    def sort(self, name: str) -> None:
        """Click the head of a column."""
        self.head(name).locator("button").click()

    def search(self, text: str) -> None:
        """Search, and wait until it was done."""
        self.page.evaluate("performance.clearMeasures('samples-filter')")
        self.page.get_by_role("searchbox").fill(text)
        self.until("performance.getEntriesByName('samples-filter').length > 0")

    def choose(self, label: str, option: str) -> None:
        """Choose the option that begins with ``option``."""
        control = self.page.locator("select").and_(self.page.get_by_label(label, exact=True))
        value = control.locator("option").filter(has_text=re.compile(f"^{re.escape(option)}")).first
        control.select_option(value.get_attribute("value"))

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        for key in keys:
            self.page.keyboard.press(key)

    @property
    def focused(self) -> str:
        """What has the focus: the text of a row or of anything else."""
        return str(self.page.evaluate("document.activeElement.textContent")).strip()

    def open(self, name: str) -> None:
        """Click the row of the sample with this id."""
        self.grid.locator(".body [role=row]").filter(has_text=re.compile(f"^{re.escape(name)}(?!\\d)")).first.click()

    def follow(self, name: str) -> None:
        """Change the address to that of the sample with this id, and wait until it is open."""
        self.page.evaluate("name => { location.hash = '#sample=' + name }", name)
        self.until(f"document.querySelector('article h3').textContent === 'Sample {name}'")

    def block(self, heading: str) -> Any:
        """The part of the opened sample under a heading, also where it is folded."""
        self.page.evaluate("document.querySelectorAll('#samples details.rest').forEach((fold) => { fold.open = true })")
        return self.sample.locator("section").filter(has=self.page.get_by_role("heading", name=heading, exact=True))

    def colour(self, selector: str, name: str = "background-color") -> str:
        """The colour of the first element that ``selector`` finds."""
        element = self.page.locator(selector).first
        return str(element.evaluate("(element, name) => getComputedStyle(element).getPropertyValue(name)", name))
