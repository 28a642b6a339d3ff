"""The words of the page, in every language of its interface."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from typing import TYPE_CHECKING

from ragauge.errors import OptionError
from ragauge.reports.metrics import Asked, asked_of
from ragauge.reports.run import Aligned, Run, aligned

if TYPE_CHECKING:
    from markupsafe import Markup

LANGUAGES = ("en", "zh")
_PLACE = re.compile(r"\{(\w+)\}")
FILES = ("texts-page.json", "texts-explorer.json")


@dataclass(frozen=True)
class Said:
    """A text by its key, and what fills its ``{places}``: the page's script can say it in another language."""

    key: str
    values: Mapping[str, str]

    @property
    def attributes(self) -> dict[str, str]:
        """What an element needs for the script to say its text again."""
        return {"data-text": self.key, **{f"data-{name}": value for name, value in self.values.items()}}


@dataclass(frozen=True)
class Texts:
    """All texts, and the language that the page starts in.

    Raises:
        OptionError: the interface does not speak ``language``.
    """

    language: str = "en"

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise OptionError.value("the report", "language", " or ".join(LANGUAGES), self.language)

    @cached_property
    def all(self) -> dict[str, dict[str, str]]:
        """Language -> key -> text, of the page and of its script."""
        found: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
        for name in FILES:
            texts = json.loads(files(__package__).joinpath("assets", name).read_text(encoding="utf-8"))
            for language in LANGUAGES:
                found[language] |= texts[language]
        return found

    def plain(self, said: Said | str) -> str:
        """Return a text in the language of the page; what is no `Said` is data, and stays as it is.

        >>> Texts("zh").plain(say("page.samples")), Texts("zh").plain("data")
        ('样本', 'data')
        """
        if isinstance(said, str):
            return said
        text = self.all[self.language][said.key]
        return _PLACE.sub(lambda place: said.values.get(place[1], place[0]), text)

    def markup(self, said: Said | str, tag: str = "span") -> Markup:
        """Return a text as an element; data are escaped."""
        from markupsafe import Markup, escape

        if isinstance(said, str):
            return escape(said)
        written = Markup("").join(Markup(' {}="{}"').format(name, value) for name, value in said.attributes.items())
        return Markup("<{0}{1}>{2}</{0}>").format(Markup(tag), written, self.plain(said))  # noqa: S704 - the tag is ours

    def word(self, key: str) -> str:
        """Return the text of ``key``, for an attribute."""
        return self.plain(say(key))

    def key(self, key: str, /, tag: str = "span", **values: object) -> Markup:
        """Return the text of ``key`` as an element."""
        return self.markup(say(key, **values), tag)


def count(key: str, n: int, **values: object) -> Said:
    """Name a text about ``n`` things: of one thing languages may speak in another form.

    >>> count("page.paired", 1).key, count("page.paired", 1200)
    ('page.paired.one', Said(key='page.paired', values={'n': '1,200'}))
    """
    return say(f"{key}.one" if n == 1 else key, n=f"{n:,}", **values)


def say(key: str, **values: object) -> Said:
    """Name a text; numbers are written as Python does."""
    return Said(key, {name: str(value) for name, value in values.items()})


@dataclass(frozen=True, eq=False)
class Subject:
    """Runs, the baseline first, and what is known of them together."""

    runs: tuple[Run, ...]
    asked: tuple[Asked, ...]
    found: Aligned
    texts: Texts

    @classmethod
    def of(cls, runs: tuple[Run, ...], texts: Texts) -> Subject:
        """Line up the metrics and the samples of ``runs``."""
        return cls(runs, asked_of(runs), aligned(runs), texts)

    @property
    def names(self) -> list[str]:
        """What the runs are called."""
        return [run.name for run in self.runs]
