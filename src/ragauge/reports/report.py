"""The call that writes a report."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterable, Sequence
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable
from os import PathLike
from pathlib import Path
from typing import Any
from uuid import uuid4

from ragauge._version import __version__
from ragauge.errors import UsageError
from ragauge.reports.charts.canvas import legend, mark
from ragauge.reports.run import Given, Run, runs_of
from ragauge.reports.samples import Chosen, choose, encoded, payload
from ragauge.reports.sections.changes import changes
from ragauge.reports.sections.overview import choice, overview, recipes
from ragauge.reports.sections.relations import cutoffs, relations
from ragauge.reports.sections.scores import distributions, groupings, scorecard
from ragauge.reports.sections.weakest import weakest
from ragauge.reports.texts import Subject, Texts


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


LIMIT = 20_000


def report(
    runs: Given | Iterable[Given],
    path: str | PathLike[str],
    *,
    names: Sequence[str] = (),
    language: str = "en",
    limit: int = LIMIT,
    metric: str | None = None,
    force: bool = False,
) -> Path:
    """Write one self-contained HTML page of ``runs``: it needs no network and can be opened from disk.

    Args:
        runs: results or directories of saved runs; the first is the baseline of the others.
        path: the file to write.
        names: what to call the runs; by default what their directories are called.
        language: of the page when it opens, ``en`` or ``zh``; the reader can change it.
        limit: of more samples than this the page holds half the worst, and a random part of the rest; it says so.
        metric: what samples are worst by; the first of the last run, unless said otherwise.
        force: replace what ``path`` names.

    Returns:
        The path.

    Raises:
        UsageError: the file exists or cannot be written, or an argument has a value that it does not take.
        DataError: a directory is no saved run.

    >>> import ragauge, tempfile
    >>> result = ragauge.evaluate([{"answer": "Anna", "references": ["Anna", "A."]}], "exact-match")
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     page = report(result, Path(directory) / "report.html").read_text(encoding="utf-8")
    >>> page.count("<script"), "http://" in page
    (3, False)
    """
    target = Path(path)
    check_writable(target, force=force)
    html = page(runs_of(runs, names), Texts(language), limit, metric)
    write(target, html)
    return target


def page(runs: tuple[Run, ...], texts: Texts, limit: int = LIMIT, metric: str | None = None) -> str:
    """Return the page of ``runs``."""
    subject = Subject.of(runs, texts)
    chosen = choose(subject.found, subject.asked, limit, metric)
    return render(
        texts,
        encoded(payload(runs, subject.asked, subject.found, chosen)),
        **sections(subject, chosen),
    )


def sections(subject: Subject, chosen: Chosen) -> dict[str, Any]:
    """Return what the templates show, by name."""
    seen = overview(subject)
    return {
        "names": subject.names,
        "version": __version__,
        "marks": [mark(subject.texts, place) for place in range(len(subject.runs))],
        "legend": legend(subject.texts, subject.names),
        "overview": seen,
        "alignment": any(subject.found.left_out),
        "choice": choice(chosen, len(subject.found)),
        "scorecard": scorecard(subject),
        "weakest": weakest(subject, chosen),
        "changes": changes(subject),
        "distributions": distributions(subject),
        "relations": relations(subject),
        "cutoffs": cutoffs(subject),
        "groupings": groupings(subject),
        "recipes": recipes(subject),
    }


def check_writable(path: Path, *, force: bool) -> None:
    """Raise UsageError where ``path`` exists already, or its folder does not."""
    if path.is_dir() or not path.parent.is_dir():
        problem = "is a folder" if path.is_dir() else "its folder does not exist"
        message = f"{path}: {problem}; name a file in a folder that exists, as in report.html"
        raise UsageError(message)
    if path.exists() and not force:
        message = f"{path} exists already; give another file, or --force to replace it"
        raise UsageError(message)


def write(path: Path, html: str) -> None:
    """Write the page beside ``path`` and rename it, so that it is there whole or not at all."""
    beside = path.with_name(f".{path.name}.{uuid4().hex[:8]}")
    try:
        beside.write_text(html, encoding="utf-8", newline="\n")
        beside.replace(path)
    except OSError as error:
        message = f"{path} cannot be written: {error.strerror or error}"
        raise UsageError(message) from error
    finally:
        beside.unlink(missing_ok=True)
