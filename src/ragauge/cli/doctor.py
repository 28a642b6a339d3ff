"""``ragauge doctor``: what is installed, where things are kept, and what does not work."""

from __future__ import annotations

import json
import os
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import rich_click as click

from ragauge._version import __version__

if TYPE_CHECKING:
    from ragauge.cli.installed import Part

_NEEDS = (3, 11)
_MARKS = {"ok": "ok", "absent": "-", "broken": "BROKEN", "unsupported": "VERSION"}


@click.command("doctor")
@click.option(
    "--output-format", type=click.Choice(("text", "json")), default="text", show_default=True, help="What is printed."
)
def command(output_format: str) -> int:
    """Say which extras, dictionaries and models are there, how to install the others, and where caches are.

    Exits with 1 if something that is installed does not work.
    """
    from ragauge.cli.installed import parts

    found = list(parts())
    place = _place()
    if output_format == "json":
        click.echo(json.dumps({**place, "parts": [_plain(part) for part in found]}, indent=2))
    else:
        click.echo("\n".join([*_said(place), "", *_table(found)]))
    return 1 if any(part.state == "broken" for part in found) else 0


def _place() -> dict[str, Any]:
    """Say where ragauge runs."""
    from ragauge.cli.terminal import console
    from ragauge.core.configuration import find
    from ragauge.errors import UsageError

    screen = console(sys.stdout)
    try:
        file = find(Path())
        settings = str(file.path) if file else None
    except UsageError as error:
        settings = f"not readable: {error}"
    return {
        "ragauge": __version__,
        "python": platform.python_version(),
        "python_supported": sys.version_info >= _NEEDS,
        "platform": platform.platform(terse=True),
        "encoding": sys.stdout.encoding,
        "columns": screen.width,
        "colours": screen.color_system is not None,
        "settings": settings,
        "variables": sorted(name for name in os.environ if name.startswith("RAGAUGE_")),
        "models": _models(),
        "wordnet": _wordnet(),
    }


def _models() -> dict[str, Any]:
    """Say which models the hub's cache holds, without its library."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    folder = Path(os.environ.get("HF_HUB_CACHE", home / "hub"))
    found = folder.glob("models--*") if folder.is_dir() else ()
    return {
        "cache": str(folder),
        "found": sorted(one.name.removeprefix("models--").replace("--", "/") for one in found),
    }


def _wordnet() -> str | None:
    """Return where the WordNet of nltk is; METEOR takes its folder as meteor:wordnet=FOLDER."""
    homes = [Path(one) for one in os.environ.get("NLTK_DATA", "").split(os.pathsep) if one]
    homes += [Path.home() / "nltk_data", Path(sys.prefix) / "nltk_data", Path("/usr/share/nltk_data")]
    return next((str(home / "corpora" / "wordnet") for home in homes if (home / "corpora" / "wordnet").is_dir()), None)


def _said(place: dict[str, Any]) -> list[str]:
    supported = "" if place["python_supported"] else f"; ragauge needs {'.'.join(map(str, _NEEDS))} or later"
    colours = "colours" if place["colours"] else "no colours"
    models = place["models"]
    return [
        f"ragauge {place['ragauge']}, Python {place['python']}{supported}, {place['platform']}",
        f"output: {place['encoding']}, {place['columns']} columns, {colours}",
        f"settings: {place['settings'] or 'no ragauge.toml here; ragauge init writes one'}",
        *([f"variables: {', '.join(place['variables'])}"] if place["variables"] else []),
        f"models of the hub: {', '.join(models['found']) or 'none'} in {models['cache']}",
        f"WordNet: {place['wordnet'] or 'none; METEOR matches words and stems without it'}",
        "vectors of texts: kept only where --embedding-cache names a folder",
    ]


def _table(found: list[Part]) -> list[str]:
    lines = []
    for part in found:
        libraries = ", ".join(f"{one.name} {one.version}" for one in part.libraries if one.version is not None)
        lines.append(f"{_MARKS[part.state]:8}{part.name or 'needed':8}{part.purpose if part.name else libraries}")
        if part.name and libraries:
            lines.append(f"{'':16}{libraries}")
        if part.why:
            lines.append(f"{'':16}{part.why}; {part.advice}")
    return lines


def _plain(part: Part) -> dict[str, Any]:
    libraries = [{"name": one.name, "version": one.version, "wanted": one.wanted} for one in part.libraries]
    return {
        "name": part.name or "needed",
        "purpose": part.purpose,
        "state": part.state,
        "libraries": libraries,
        "why": part.why,
        "install": part.advice,
    }
