"""The page as one file: template, styles, script and data, and a policy that lets nothing else run."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any

from ragauge.errors import UsageError
from ragauge.reporting.texts import Texts


def render(texts: Texts, payload: str, **views: Any) -> str:
    """Return the page.

    Args:
        texts: and the language to start in.
        payload: the samples, encoded.
        views: what the template shows, by section.
    """
    style, script = styles(), scripts()
    html: str = _template(texts).render(
        language=texts.language,
        policy=policy(style, script),
        style=_marked(style),
        script=_marked(script),
        texts=_marked(_escaped(texts.all)),
        payload=payload,
        **views,
    )
    return html


def styles() -> str:
    """Return the style sheet."""
    return "\n".join(_asset(name).read_text(encoding="utf-8") for name in ("page.css", "explorer.css"))


def scripts() -> str:
    """Return the script: the files of ``explorer`` by name."""
    found = sorted(_asset("explorer").iterdir(), key=lambda file: file.name)
    return "\n".join(file.read_text(encoding="utf-8") for file in found if file.name.endswith(".js"))


def policy(style: str, script: str) -> str:
    """Return the content security policy: this style and this script run, nothing else, and nothing is requested."""
    hashes = {name: b64encode(sha256(text.encode()).digest()).decode() for name, text in (("s", style), ("j", script))}
    return (
        f"default-src 'none'; script-src 'sha256-{hashes['j']}'; style-src 'sha256-{hashes['s']}'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def _template(texts: Texts) -> Any:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        message = "the report needs Jinja2, which is not installed; run: pip install jinja2"
        raise UsageError(message) from None
    environment = Environment(
        loader=PackageLoader(__package__, "assets"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=StrictUndefined,
    )
    environment.globals |= {"t": texts.key, "said": texts.markup, "words": texts.word, "breakable": breakable}
    return environment.get_template("page.html.j2")


def breakable(name: str) -> Any:
    """Return a metric's name that may be cut where its options are, and not in the middle of a word.

    >>> str(breakable("column:name=<b>,direction=lower"))
    'column:<wbr>name=&lt;b&gt;,<wbr>direction=lower'
    """
    from markupsafe import Markup, escape

    return Markup("<wbr>").join(escape(part) for part in re.split("(?<=[:,])", name))


def _marked(text: str) -> Any:
    """Mark a text of ours, which is no data, as safe to stand in the page as it is."""
    from markupsafe import Markup

    return Markup(text)  # noqa: S704


def _escaped(texts: object) -> str:
    return json.dumps(texts, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")


def _asset(name: str) -> Traversable:
    return files(__package__).joinpath("assets", name)
