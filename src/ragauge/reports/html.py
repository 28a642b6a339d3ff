"""Templates, styles and scripts as one page of HTML, and the policy that lets these alone work."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any

from markupsafe import Markup, escape

from ragauge.comparison.comparison import excluded
from ragauge.comparison.difference import ARROWS, change_texts
from ragauge.display.numbers import interval, label, number, probability, short_number
from ragauge.reports.texts import ASSETS, LANGUAGES, PageText, Texts, message, wordings

# In the tab of a browser, so that it asks for no file: three bars of a gauge.
_ICON = (
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16" rx="3" fill="#1f6f5c"/>'
    '<path d="M3 9h2v4H3zM7 6h2v7H7zM11 3h2v10h-2z" fill="#fff"/></svg>'
)


def rendered(template: str, texts: Texts, style: str, script: str, more: str = "", **values: Any) -> str:
    """Return a page: a template of ``assets`` with its ``values``, one style sheet and one script.

    ``more``: what the policy allows beside them.
    """
    # A script element ends at "</", also inside a string of JSON.
    all_texts = json.dumps(texts.all, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    html: str = _template(template, texts).render(
        language=texts.language,
        policy=policy(style, script, more),
        icon=f"data:image/svg+xml;base64,{b64encode(_ICON.encode()).decode()}",
        style=style,
        script=script,
        texts=all_texts,
        **values,
    )
    return html


def joined(*assets: str) -> str:
    """Return the texts of files of ``assets``, one after another."""
    return "\n".join(ASSETS.joinpath(asset).read_text(encoding="utf-8") for asset in assets)


def policy(style: str, script: str, more: str = "") -> str:
    """Return a content security policy that allows this style and this script, and no request."""
    styles, scripts = (b64encode(sha256(text.encode()).digest()).decode() for text in (style, script))
    rest = more or "form-action 'none'"
    return (
        f"default-src 'none'; script-src 'sha256-{scripts}'; style-src 'sha256-{styles}'; img-src data:; "
        f"base-uri 'none'; {rest}"
    )


@cache
def _compiled() -> Any:
    """Return jinja2's cache of the templates that this process has compiled: compiling takes most of a rendering."""
    from jinja2 import BytecodeCache
    from jinja2.bccache import Bucket

    class Compiled(BytecodeCache):
        def __init__(self) -> None:
            self.code: dict[str, bytes] = {}

        def load_bytecode(self, bucket: Bucket) -> None:
            if bucket.key in self.code:
                bucket.bytecode_from_string(self.code[bucket.key])

        def dump_bytecode(self, bucket: Bucket) -> None:
            self.code[bucket.key] = bucket.bytecode_to_string()

    return Compiled()


def _template(name: str, texts: Texts) -> Any:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        bytecode_cache=_compiled(),
        loader=PackageLoader(__package__, "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals |= {
        "t": lambda key, **values: texts.element(message(key, **values)),
        "element": texts.element,
        "note_element": lambda note: note_element(texts, note),
        "text": lambda key: texts.text(message(key)),
        "breakable": breakable,
        "meaning": lambda wording: meaning(texts, wording),
        "arrows": ARROWS,
        "change_texts": change_texts,
        "excluded": excluded,
        "interval": interval,
        "label": label,
        "number": number,
        "probability": probability,
        "short_number": short_number,
    }
    return environment.get_template(name)


def note_element(texts: Texts, note: PageText | str) -> Markup:
    """Return a message in the language of the page; what has no other wording is marked as English.

    >>> from ragauge.errors import worded
    >>> note_element(Texts("zh"), worded("direct")), note_element(Texts("zh"), "time out")
    (Markup('<bdi data-en="direct" data-zh="直接比较">直接比较</bdi>'), Markup('<bdi lang="en">time out</bdi>'))
    """
    if isinstance(note, PageText):
        return texts.element(note)
    shown = wordings(note)
    if len(shown) == 1:
        return Markup('<bdi lang="en">{}</bdi>').format(note)
    attributes = Markup("").join(Markup(' data-{}="{}"').format(*pair) for pair in zip(LANGUAGES, shown, strict=True))
    return Markup("<bdi{}>{}</bdi>").format(attributes, shown[LANGUAGES.index(texts.language)])


def meaning(texts: Texts, wording: tuple[str, str]) -> Markup:
    """Return the attributes of a metric's name by which its meaning, if one is known, is shown where a pointer rests.

    >>> str(meaning(Texts("zh"), ("Recall.", "召回率")))
    ' data-title-en="Recall." data-title-zh="召回率" title="召回率"'
    """
    titles = dict(zip(LANGUAGES, wording, strict=True))
    named = {**{f"data-title-{name}": title for name, title in titles.items()}, "title": titles[texts.language]}
    return Markup("").join(Markup(' {}="{}"').format(*pair) for pair in named.items() if pair[1])


def breakable(name: str) -> Markup:
    """Return a metric's name as HTML that breaks between options, not inside a word.

    >>> str(breakable("column:name=<b>,direction=lower"))
    'column:<wbr>name=&lt;b&gt;,<wbr>direction=lower'
    """
    return Markup("<wbr>").join(escape(part) for part in re.split("(?<=[:,])", name))
