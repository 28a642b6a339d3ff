"""The texts of the page in every language of its interface."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from markupsafe import Markup, escape

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Face, own_words
from ragauge.core.registry import first_sentence, lookup, meaning_of
from ragauge.core.spec import parse_spec
from ragauge.errors import OptionError, UsageError, alternatives

LANGUAGES = ("en", "zh")
_FACES = tuple(map(Face, LANGUAGES))
FILES = ("texts-page.json", "texts-explorer.json")
ASSETS = Path(__file__).with_name("assets")
_PLACEHOLDER = lazy_pattern(r"\{(\w+)\}")


@dataclass(frozen=True)
class PageText:
    """The key of a text and the values of its ``{placeholders}``, so that the page can switch its language."""

    key: str
    values: Mapping[str, str]

    @property
    def attributes(self) -> dict[str, str]:
        """The attributes by which the page's script finds the text of an element in another language."""
        return {"data-text": self.key, **{f"data-{name}": value for name, value in self.values.items()}}


def message(key: str, **values: object) -> PageText:
    """Return the message of ``key``; values become texts, whole numbers with separators.

    >>> message("page.intervals", resamples=2000, seed="2000").values
    {'resamples': '2,000', 'seed': '2000'}
    """
    return PageText(key, {name: f"{one:,}" if isinstance(one, int) else str(one) for name, one in values.items()})


def plural(key: str, n: int, **values: object) -> PageText:
    """Return the message of ``key`` about ``n`` things; that about one thing has a key of its own.

    >>> plural("page.paired", 1).key, plural("page.paired", 1200)
    ('page.paired.one', PageText(key='page.paired', values={'n': '1,200'}))
    """
    return message(f"{key}.one" if n == 1 else key, n=f"{n:,}", **values)


@cache
def _in_chinese() -> dict[str, str]:
    """Return the first sentences of metrics in Chinese, as `ragauge metrics` shows them."""
    table: dict[str, str] = json.loads((ASSETS.parents[1] / "cli" / "help-zh.json").read_text(encoding="utf-8"))
    return table


def meanings(metric: object) -> tuple[str, str]:
    """Return what a metric is in one sentence, in each of `LANGUAGES`; in English where it has no other wording.

    >>> from ragauge.metrics import Mrr
    >>> meanings(Mrr)[1]
    '平均倒数排名：1 除以第一个相关文档的名次；没有就是 0'
    """
    try:
        entry = None if isinstance(metric, type) else lookup("metric", parse_spec(str(metric)).name)
    except UsageError:
        entry = None
    english = first_sentence(metric) if entry is None else meaning_of(entry)
    return english, _in_chinese().get(english, english)


def wordings(text: str) -> list[str]:
    """Return a text of our own in each of `LANGUAGES`; alone where it is the same in all.

    >>> wordings("answer sentence"), wordings("answer.csv")
    (['answer sentence', '回答的句子'], ['answer.csv'])
    """
    shown = [own_words(text, face) for face in _FACES]
    return shown if len({*shown}) > 1 else [text]


@dataclass(frozen=True)
class Texts:
    """All texts, and the language that the page starts in."""

    language: str = "en"
    files: tuple[str, ...] = FILES

    def __post_init__(self) -> None:
        if self.language not in LANGUAGES:
            raise OptionError.value("the report", "language", alternatives(LANGUAGES), self.language)

    @cached_property
    def all(self) -> dict[str, dict[str, str]]:
        """Language -> key -> text, of the page and of its script."""
        texts: dict[str, dict[str, str]] = {language: {} for language in LANGUAGES}
        for name in self.files:
            by_language = json.loads(ASSETS.joinpath(name).read_text(encoding="utf-8"))
            for language in LANGUAGES:
                texts[language] |= by_language[language]
        return texts

    def text(self, content: PageText | str) -> str:
        """Return a message in the language of the page; a string is data and stays as it is.

        >>> Texts("zh").text(message("page.samples")), Texts("zh").text("data")
        ('样本', 'data')
        """
        if isinstance(content, str):
            return content
        text = self.all[self.language][content.key]
        return _PLACEHOLDER.sub(lambda place: content.values.get(place[1], place[0]), text)

    def element(self, content: PageText | str) -> Markup:
        """Return a message as a span, or data escaped."""
        if isinstance(content, str):
            return escape(content)
        attributes = Markup("").join(Markup(' {}="{}"').format(*pair) for pair in content.attributes.items())
        return Markup("<span{}>{}</span>").format(attributes, self.text(content))
