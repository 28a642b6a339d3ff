"""``ragauge demo``: score the bundled example, and print the commands to try next."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from shlex import quote

import rich_click as click

from ragauge.cli.output import interface, say, write
from ragauge.core.messages import Message
from ragauge.errors import UsageError
from ragauge.results.replacing import replacing

_PAGE = "report.html"


@click.command("demo")
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("ragauge-demo"), show_default=True,
              metavar="DIR", help="Where to write the example, its runs and the report.")  # fmt: skip
@click.option("--language", metavar="TAG", help="Of the report: en or zh; default: as --lang-ui.")
@click.option("--force", is_flag=True, help="Replace an earlier example.")
def command(output: Path, language: str | None, *, force: bool) -> None:
    """Score a small multilingual example, before and after re-ranking, and write a report of it. Needs no network."""
    from ragauge.demo import COLUMNS, METRICS, SYSTEMS, samples
    from ragauge.engines.evaluate import evaluate
    from ragauge.reports.report import report
    from ragauge.results.result import load

    with replacing(output, partial(_check_free, output, force=force)) as folder:
        runs = {system: folder / "runs" / system for system in SYSTEMS}
        for system, run in runs.items():
            file = _data(folder, system)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(samples(system))
            result = evaluate(file, METRICS, by=COLUMNS, evidence=True)
            # The folder gets its own name in the end.
            result = replace(result, data=replace(result.data, source=str(_data(output, system))))
            result.save(run)
        shown = language or interface()
        report(runs.values(), folder / _PAGE, language=shown)
    after = load(output / "runs" / "after")
    write(replace(after, table=tuple(score for score in after.table if score.group is None)), "table")
    before, again = (quote(str(output / "runs" / system)) for system in SYSTEMS)
    say("64 questions in 8 languages, answered before and after a re-ranker was added")
    say(Message("these are the scores of {folder}, at cutoffs 3 and 5 (by default 10);", again))
    say(Message("the same table again: {command}", f"ragauge score {again}"))
    say(Message("the report compares them with {folder}", before))
    say(Message("open in a browser:  {file}", output / _PAGE))
    say("then try:")
    say(f"  ragauge compare {before} {again} --worst 3")
    say(f"  ragauge explain {again} --id th-3")
    data, metrics = quote(str(_data(output, "after"))), " ".join([f"-m {one}" for one in METRICS])
    say(f"  ragauge score {data} {metrics}")
    say(f"  ragauge score {data} -m ndcg@5 --by language")
    say("  ragauge score YOUR_FILE -o runs/today && ragauge report runs/today")


def _check_free(directory: Path, *, force: bool) -> None:
    """Raise UsageError unless no folder of that name exists or, with ``force``, it is an earlier example."""
    if not directory.exists() or _is_own(directory):
        return
    if not force:
        raise UsageError(
            "RG-CLI-013 {directory} already exists. Name another directory with -o, or pass --force to replace it.",
            directory,
        )
    foreign = sorted({*(_names(directory) if directory.is_dir() else [directory.name])} - {"data", "runs", _PAGE})
    if foreign:
        raise UsageError(
            "RG-CLI-014 {directory} holds files that are not of the example ({other}), so --force does not "
            "replace it. Name another directory with -o.",
            directory,
            foreign[0],
        )


def _is_own(directory: Path) -> bool:
    """Return whether ``directory`` holds what this command wrote, and nothing else: it is then written anew."""
    from ragauge.demo import SYSTEMS, samples

    within = {path.relative_to(directory).as_posix() for path in directory.glob("*/*")} | set(_names(directory))
    written = {"data", "runs", _PAGE, *[f"data/{system}.jsonl" for system in SYSTEMS], *[f"runs/{s}" for s in SYSTEMS]}
    return within == written and all(_data(directory, system).read_bytes() == samples(system) for system in SYSTEMS)


def _names(directory: Path) -> list[str]:
    return [path.name for path in directory.iterdir()] if directory.is_dir() else []


def _data(directory: Path, system: str) -> Path:
    return directory / "data" / f"{system}.jsonl"
