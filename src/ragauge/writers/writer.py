"""The call that writes a finished run to a target, and what a writer is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, cast, runtime_checkable

from ragauge.core.messages import Message
from ragauge.core.options import check_path
from ragauge.core.registry import lookup, make_ingredient
from ragauge.errors import OptionError
from ragauge.gates.gate import Gate
from ragauge.reports.report import page_of as page_of_runs
from ragauge.reports.runs import RunLike
from ragauge.results.replacing import check_new_file, replacing
from ragauge.results.result import Result, load
from ragauge.results.storage import read_manifest


@dataclass(frozen=True, eq=False)
class FinishedRun:
    """A run that is written, and what is known beside its scores."""

    name: str
    """That of its directory, or the one that the caller gave."""
    result: Result
    manifest: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}))
    """What a saved run keeps under ``run``: created, tag, commit, version; empty where the run was not saved."""
    baseline: Result | None = None
    """The run that it is compared with, where there is one."""
    gate: Gate | None = None
    """The outcome of its gate, where one was checked."""
    primary: tuple[str, ...] = ()
    """The metrics that its verdict rests on, where they are named."""

    def ids(self) -> list[str]:
        """Return the ids of the samples, in input order."""
        ids: list[str] = self.result.sample_ids().to_pylist()
        return ids

    def column(self, name: str) -> list[Any]:
        """Return the values of a column of the data in input order; None for each sample where there is no such one."""
        if name not in self.result.data.columns:
            return [None] * self.result.samples
        values: list[Any] = self.result.column(name).to_pylist()
        return values


@dataclass(frozen=True)
class Written:
    """What was written."""

    where: str
    """Where it stands, in words: the path, the address, the id of a run."""
    notes: tuple[str, ...] = ()
    """What was left out or changed, as samples without a trace."""

    def __str__(self) -> str:
        return "\n".join((self.where, *self.notes))


@runtime_checkable
class Writer(Protocol):
    """Writes runs to one target.

    A writer is a frozen dataclass below ``@ingredient("writer", NAME)`` in a file of its own; its fields are the
    options of the target, as in ``--to mlflow[experiment=rag]``. Other packages add writers by the entry point
    ``ragauge.writers``.
    """

    def write(self, run: FinishedRun) -> Written:
        """Write ``run``.

        Returns:
            Where it stands now, and what was left out.

        Raises:
            UsageError: the target cannot be written, or an option is wrong.
        """


def finished(run: RunLike, name: str = "", baseline: RunLike | None = None, gate: Gate | None = None) -> FinishedRun:
    """Return ``run``, a result or the directory of a saved one, with what is known of it.

    >>> import ragauge
    >>> result = ragauge.evaluate([{"id": "问1", "answer": "林婉", "references": ["林婉"]}], "exact-match")
    >>> run = finished(result, "今天")
    >>> run.name, run.ids(), run.column("answer"), run.column("tag")
    ('今天', ['问1'], ['林婉'], [None])
    """
    if not isinstance(name, str):
        raise OptionError.value("export", "name", "a text", name)
    if gate is not None and not isinstance(gate, Gate):
        raise OptionError.value("export", "gate", "what ragauge.gate returned", gate)
    result, manifest = _loaded("run", run)
    compared = None if baseline is None else _loaded("baseline", baseline)[0]
    of_folder = "ragauge" if isinstance(run, Result) else Path(run).resolve().name
    return FinishedRun(encodable(name or of_folder), result, manifest, compared, gate)


def _loaded(option: str, run: RunLike) -> tuple[Result, Mapping[str, Any]]:
    if isinstance(run, Result):
        return run, MappingProxyType({})
    check_path("export", option, "a result or the directory of a saved run", run)
    return load(Path(run)), read_manifest(Path(run))["run"]


def page_of(run: FinishedRun) -> str:
    """Return the HTML report of a run."""
    # Names of files that are not UTF-8 are shown as escapes.
    return encodable(page_of_runs(run.result, [run.name]).html)


@contextmanager
def new_file(path: str, writer: str, example: str, *, force: bool) -> Iterator[Path]:
    """Yield a path to write; the file gets the name ``path`` once it is whole. Missing folders are made.

    ``writer`` and ``example`` are for messages: the name of the target, and what a path may look like.

    Raises:
        OptionError: ``path`` names no file.
        UsageError: it is a folder, or a file that is there and ``force`` does not replace.
    """
    allowed = Message("the file to write, as in {target}", f"{writer}[path={example}]")
    owner = Message("writer {name!r}", writer)
    if path == "":
        raise OptionError.missing(owner, "path", allowed)
    check_path(owner, "path", allowed, path)
    target = Path(path)

    with replacing(target, partial(check_new_file, target, force=force, made=True, how="force=true")) as new:
        yield new


def export(
    run: RunLike,
    to: str | Writer,
    /,
    *,
    name: str = "",
    baseline: RunLike | None = None,
    gate: Gate | None = None,
    **options: Any,
) -> Written:
    """Write a finished run to where a team looks: an experiment tracker, traces, a file.

    Nothing is scored again. Each mean goes with its interval, its coverage and its direction; samples that failed, are
    missing or undefined are written as such.

    Args:
        run: a result or the directory of a saved run.
        to: a target, ``mlflow`` or ``mlflow[experiment=rag]``, or a writer of your own.
        name: of the run at the target; by default that of its directory.
        baseline: the run that it is compared with, for targets that show a difference.
        gate: what `ragauge.gate` returned, for targets that show whether the run passed.
        options: those of the target, where ``to`` is its name alone.

    Returns:
        Where it stands, and notes on what was left out.

    Raises:
        UnknownNameError: there is no such target.
        OptionError: the target has no such option, or it does not take the value.
        MissingExtraError: the target needs a library that is not installed.
        UsageError: the target cannot be written.
        DataError: a directory is no saved run.

    >>> from dataclasses import dataclass
    >>> import ragauge
    >>> @dataclass(frozen=True)
    ... class Printer:
    ...     def write(self, run):
    ...         score = run.result["exact-match"]
    ...         return Written(f"{run.name}: {score.value}, {score.scored} of {score.total}")
    >>> result = ragauge.evaluate([{"answer": "林婉", "references": ["林婉"]}], "exact-match")
    >>> print(export(result, Printer(), name="茶"))
    茶: 1.0, 1 of 1
    """
    return writer(to, **options).write(finished(run, name, baseline, gate))


def writer(to: str | Writer, **options: Any) -> Writer:
    """Return the writer that ``to`` names, with ``options``; errors as of `export`."""
    if not isinstance(to, str):
        if not isinstance(to, Writer) or isinstance(to, type):
            raise OptionError.value("export", "to", "a target such as 'mlflow', or an object with write(run)", to)
        if options:
            raise OptionError.unknown("export", next(iter(options)), ("name", "baseline", "gate"))
        return to
    if not options:
        return cast("Writer", make_ingredient("writer", to))
    if "[" in to:
        raise OptionError.value("export", "to", "the name of a target alone where options are given", to)
    return cast("Writer", lookup("writer", to.strip()).cls(**options))


def encodable(text: str) -> str:
    r"""Return ``text`` with escapes in place of what UTF-8 cannot hold: names of files may be any bytes.

    >>> encodable("茶\udcff")
    '茶\\udcff'
    """
    return text.encode("utf-8", "backslashreplace").decode()
