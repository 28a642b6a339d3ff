"""What settings may name only in folders that the user trusts: code that would be run, servers and caches elsewhere.

Who scores in a folder that somebody else wrote may not have read its settings. What the command line or a variable
names is the user's own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import fields, is_dataclass
from ipaddress import ip_address
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ragauge.core.loading import CheckCode, checking_code
from ragauge.errors import UsageError
from ragauge.gates.configuration import Configuration

if TYPE_CHECKING:
    from ragauge.results.result import Result

TRUSTED = "RAGAUGE_TRUSTED"
"""Variable with folders, separated as in PATH, whose settings, and those below them, may name code and servers."""
INGREDIENTS = ("tokenizer", "embedder", "support", "relevance", "matcher", "judge")
"""Settings of ingredients that are named once for all metrics."""
_WRITTEN = {"judge_cache": "judge-cache", "embedding_cache": "embedding-cache"}
"""Options whose files are written, and their settings."""


def of_trusted(file: Configuration, settings: Mapping[str, Any], users: Mapping[str, Any]) -> CheckCode:
    """Return what raises UsageError where ``settings`` of ``file`` name code whose folder is not trusted.

    ``settings`` and ``users``: specs by option, of the file and of the user. Code that neither is seen to name, because
    a spec may quote it, is that of the file.
    """

    def check(spec: str, source: Path | None) -> None:
        named = [name for name, value in settings.items() if spec in _text(value)]
        if not settings or (not named and any(spec in _text(value) for value in users.values())):
            return
        # The folder of the file that is run: that of the settings may be another one, by a link or by --config.
        for folder in [file.path.parent, Path()] if source is None else [source.parent]:
            _check_code(file.where("score", [*named, *settings][0]), spec, folder.resolve())

    return check


def _text(value: Any) -> str:
    return value if isinstance(value, str) else "\n".join(value or ())


def check_parts(file: Configuration, settings: Mapping[str, Any], options: Mapping[str, Any]) -> None:
    """Raise UsageError where settings name a folder of a model, or a server or a cache elsewhere, and are not trusted.

    sentence-transformers before version 6 runs the code that lies in the folder of a model, and the weights of older
    versions may hold code too. A server gets texts, files that metrics name, and API keys of the environment. What a
    judge replies is written to its cache, which may be any file of the user.

    Args:
        file: the settings file.
        settings: those that are used, by the parameter that each sets; their Python files are checked already.
        options: all options of the command, ``settings`` among them.
    """
    folder = file.path.resolve().parent
    for option, key in _WRITTEN.items():
        written = Path(settings.get(option, folder)).resolve()
        if not written.is_relative_to(folder) and not is_trusted(folder):
            template = (
                "RG-CLI-047 {place} would write {path}, which is not in the folder of these settings. If you trust the "
                "settings in {folder}, allow it: {line}"
            )
            raise UsageError(template, file.where("score", key), written, folder, _line(folder))
    for key, part in _named(settings, options):
        place, url = file.where("score", key), getattr(part, "url", None)
        if url is None and _is_folder(part):
            _check_code(place, part.model, Path(part.model).resolve())
        if isinstance(url, str) and not _is_here(url) and not is_trusted(folder):
            template = (
                "RG-CLI-046 {place} would send texts, and API keys that are set, to {url}. If you trust the settings "
                "in {folder}, allow it: {line}"
            )
            raise UsageError(template, place, url, folder, _line(folder))


def check_agent(named: Mapping[str, Any]) -> None:
    """Raise UsageError where specs that a coding agent named are code, the folder of a model, or a server elsewhere.

    An agent does what the texts say that it reads, so that trust in a folder is not trust in an agent.

    Args:
        named: specs by option: ``metrics``, and ingredients.
    """
    with checking_code(refuse_of_agent):
        for _, part in _named(named, named):
            url = getattr(part, "url", None)
            if url is None and _is_folder(part):
                refuse_of_agent(part.model)
            if isinstance(url, str) and not _is_here(url):
                refuse_of_agent(url)


def refuse_of_agent(spec: str, _file: Path | None = None) -> None:
    """Raise UsageError for code or a server that a coding agent named, as `checking_code` takes it."""
    template = (
        "RG-CLI-061 {spec} is code or a server elsewhere, which an agent cannot name. A person can write it into "
        "ragauge.toml, in a folder that {variable} names"
    )
    raise UsageError(template, spec, TRUSTED)


def check_run(directory: Path, specs: Iterable[str], judge: str | None) -> None:
    """Raise UsageError where metrics of a saved run name a model's folder or a server elsewhere, and none trusts it.

    Args:
        directory: the run, which may be another's.
        specs: its metrics. No code is run for them.
        judge: the judge that the user named, whose servers may be asked; None: none.
    """
    from ragauge.evaluation.request import RunRequest
    from ragauge.results.storage import metric_of

    users = [] if judge is None else list(RunRequest(judge=judge).shared.values())
    allowed = {getattr(part, "url", None) for value in users for part in _parts(value, [])}
    for part in [part for spec in specs for part in _parts(metric_of(spec), [])]:
        url = getattr(part, "url", None)
        if url is None and _is_folder(part):
            _check_code(str(directory), part.model, Path(part.model).resolve())
        if isinstance(url, str) and url not in allowed and not _is_here(url) and not is_trusted(directory.resolve()):
            template = (
                "RG-CLI-059 the metrics of {run} would send texts, and API keys that are set, to {url}. Name the judge "
                "by --judge, or the metrics by -m; or, if you trust {folder}, allow it: {line}"
            )
            raise UsageError(template, directory, url, directory.resolve(), _line(directory.resolve()))


def code_of_run(directory: Path) -> CheckCode:
    """Return what raises UsageError where a saved run names code, and its folder or that of the code is not trusted."""

    def check(spec: str, source: Path | None) -> None:
        for folder in ((Path() if source is None else source.parent).resolve(), directory.resolve()):
            if not is_trusted(folder):
                template = (
                    "RG-CLI-065 {run} names {place}, whose code would run with all your rights. Name it yourself, by "
                    "--judge or -m: {named}; or, if you trust {folder}, allow it: {line}"
                )
                line, named = _line(folder), " ".join(resuming(directory))
                raise UsageError(template, directory, spec, named, folder, line)

    return check


def resuming(directory: Path, run: Result | None = None) -> list[str]:
    """Return the options, as a shell takes them, by which the user names the code of a saved run."""
    from ragauge.evaluation.kept_metrics import arguments_of_code
    from ragauge.results.result import load

    flags = {"judge": "--judge", "metrics": "-m"}
    return [f"{flags[kind]} {quote(value)}" for kind, value in arguments_of_code(run or load(directory))]


def is_trusted(folder: Path) -> bool:
    """Return whether the user trusts a folder, or one that it is in."""
    # A folder such as "." would be another one in each place.
    return any(folder.is_relative_to(Path(one).resolve()) for one in _listed() if Path(one).is_absolute())


def _listed() -> list[str]:
    return [one for one in os.environ.get(TRUSTED, "").split(os.pathsep) if one]


def _check_code(place: str, named: str, folder: Path) -> None:
    if not is_trusted(folder):
        template = (
            "RG-CLI-045 {place} names {metric}, whose code would run with all your rights. If you trust {folder}, "
            "allow it: {line}"
        )
        raise UsageError(template, place, named, folder, _line(folder))


def _line(folder: Path) -> str:
    """Return the line for a shell that trusts a folder; one whose path cannot be in a list is linked to first."""
    link = folder
    if os.pathsep in str(folder):
        link = Path.home() / folder.name.replace(os.pathsep, "-")
    export = f"export {TRUSTED}={quote(os.pathsep.join([*_listed(), str(link)]))}"
    return export if link == folder else f"ln -s {quote(str(folder))} {quote(str(link))} && {export}"


def _named(settings: Mapping[str, Any], options: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the parts of the metrics and ingredients that ``settings`` name, each with the key that names it."""
    from ragauge.cli.judging import UNNAMED, judge_text
    from ragauge.evaluation.request import RunRequest, takes

    # Without named metrics no judge is asked.
    metrics = options.get("metrics") or None
    has_judge = metrics and options.get("judge") is not None
    judge = judge_text(options, lambda _: UNNAMED) if has_judge else None
    shared: dict[str, Any] = {kind: options.get(kind) for kind in INGREDIENTS} | {"judge": judge}
    request = RunRequest(metrics=metrics, **shared)
    requested = (request.requested_metrics or {}).values()
    for kind, value in request.shared.items():
        keys = [key for key in (kind, f"{kind}_key_file", f"{kind}_extra") if key in settings]
        if keys and (kind != "judge" or any(takes(metric, kind) for metric in requested)):
            yield from ((keys[0].replace("_", "-"), part) for part in _parts(value, []))
    if "metrics" in settings:
        besides = [*request.shared.values()]
        yield from (("metrics", part) for metric in requested for part in _parts(metric, besides))


def _parts(value: Any, besides: list[Any]) -> Iterator[Any]:
    """Yield a dataclass and all dataclasses in it, without those ``besides``."""
    if isinstance(value, tuple):
        for one in value:
            yield from _parts(one, besides)
    elif is_dataclass(value) and not any(value is one for one in besides):
        yield value
        for field in fields(value):
            yield from _parts(getattr(value, field.name), besides)


def _is_folder(part: Any) -> bool:
    """Return whether a part has a model that is on this disk and may hold code, which one of ONNX does not."""
    model = getattr(part, "model", None)
    return isinstance(model, str) and getattr(part, "backend", "") != "onnx" and Path(model).is_dir()


def _is_here(url: str) -> bool:
    """Return whether a server is on this machine.

    >>> _is_here("http://localhost:11434/v1"), _is_here("http://127.0.0.1/v1"), _is_here("http://localhost.org")
    (True, True, False)
    """
    host = urlsplit(url).hostname or ""
    with suppress(ValueError):
        return ip_address(host).is_loopback
    return host == "localhost"
