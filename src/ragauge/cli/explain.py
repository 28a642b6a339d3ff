"""``ragauge explain``: print the evidence for the scores of samples."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import rich_click as click
from rich.cells import cell_len

from ragauge.cli.output import output_format, say, write_json
from ragauge.cli.terminal import words
from ragauge.core.messages import Message
from ragauge.display.numbers import printable
from ragauge.errors import UsageError

if TYPE_CHECKING:
    from ragauge.results.result import Result
    from ragauge.results.storage import SavedRun

_SUPPORTED = {True: "yes", False: "no", None: "-"}
_SHOWN = 200  # characters of a question or an answer
_WORST = 3


@click.command("explain")
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--id", "ids", multiple=True, metavar="ID", help="The id of a sample; repeatable.")
@click.option("--row", "rows", type=click.IntRange(1), multiple=True, metavar="N",
              help="The sample in row N of the data, from 1; repeatable.")  # fmt: skip
@click.option("--worst", type=click.IntRange(1), metavar="N", help="The N worst samples; without --id, 3.")
@click.option("-m", "--metric", "metrics", multiple=True, metavar="METRIC", help="Only this metric; repeatable.")
@output_format("text", "json")
def command(
    run: Path,
    ids: tuple[str, ...],
    rows: tuple[int, ...],
    worst: int | None,
    metrics: tuple[str, ...],
    output_format: str,
) -> None:
    """Print the evidence for the scores of samples of the saved RUN: segment, best match, similarity.

    Without --id and --row these are the samples that scored worst under the first metric that has evidence, or -m; then
    those that failed.
    """
    from ragauge.results.result import result_of
    from ragauge.results.storage import read_run

    saved = read_run(run)
    result = result_of(saved)
    found = chosen(result, saved, ids, rows, worst, metrics)
    if output_format == "json" and result.evidence is None:
        result.explain(result.sample_ids()[0].as_py())  # says that the run has no evidence
    if found.lead is not None:
        for line in result.failures():
            say(line)
        template = "worst under {metric}:" if found.evidence else "no sample scored worse than the best under {metric}"
        say(Message(template, found.lead))
    if output_format == "json":
        write_json([row for some in found.evidence.values() for row in some], indent=1, ensure_ascii=False)
        return
    for number, (one, some) in enumerate(found.evidence.items()):
        lines = list(_texts(result, one, found.places[one], found.rows[one]))
        lines += _scores(result, found.places[one], some, found.metrics)
        click.echo("\n" * bool(number) + "\n".join(lines))
    if result.evidence is None:
        say(Message("the run has no evidence; metrics such as groundedness keep some"))


class Chosen(NamedTuple):
    """The samples of a run that are explained."""

    lead: str | None
    """The metric under which they are the worst; None for a sample that was named."""
    metrics: list[str]
    """The names in the run of the metrics that were asked for; none for all."""
    evidence: dict[str, list[dict[str, Any]]]
    """Id -> the rows of evidence of these metrics."""
    places: dict[str, int]
    """Id -> its place in the result, from 0."""
    rows: dict[str, int]
    """Id -> its row in the data, from 1, those that were left out counted too."""


def chosen(
    result: Result,
    saved: SavedRun,
    ids: Iterable[str],
    rows: Iterable[int],
    worst: int | None,
    metrics: Iterable[str],
) -> Chosen:
    """Return the samples of ids and rows, from 1, else the ``worst`` ones, by default 3; UsageError for both.

    ``saved``: the run with the samples that were left out of ``result``.
    """
    from ragauge.results.left_out import left_out_of, places_kept, sample_in_row

    lead, wanted = None, [result.name(metric) for metric in metrics]
    named = [*ids, *[sample_in_row(saved[1], row) for row in rows]]
    if named and worst is not None:
        raise UsageError("RG-CLI-049 --id and --row name samples and --worst finds them; pass one of them")
    gone = {one.id: one for one in left_out_of(saved[0])}
    for one in named:
        if one in gone:
            template = "RG-CLI-064 {sample!r} is left out of the run: {why}, by {who}"
            raise UsageError(template, one, gone[one].why, gone[one].who)
        _check(result, one)
    if not named:
        lead, named = _worst(result, wanted, worst or _WORST)
    evidence = {one: [row for row in _rows(result, one) if not wanted or row["metric"] in wanted] for one in named}
    places = {one: place for place, one in enumerate(result.sample_ids().to_pylist()) if one in evidence}
    kept = places_kept(saved[0], saved[1])
    return Chosen(lead, wanted, evidence, places, {one: int(kept[place]) + 1 for one, place in places.items()})


def _check(result: Result, sample: str) -> None:
    """Raise UsageError for a sample that the run does not hold; one without evidence has its texts and scores."""
    if result.evidence is not None or sample not in set(result.sample_ids().to_pylist()):
        result.explain(sample)


def _rows(result: Result, sample: str) -> list[dict[str, Any]]:
    from ragauge.core.arrow import to_arrow

    return [] if result.evidence is None else result.evidence.rows(to_arrow([sample]))


def _padded(text: str, width: int) -> str:
    return text + " " * (width - cell_len(text))


def _worst(result: Result, wanted: list[str], count: int) -> tuple[str, list[str]]:
    """Return a metric that has evidence, and the ids of the samples that scored worst under it, then of failed ones.

    Samples with the best score that there can be are not among them.
    """
    with_evidence = _explained(result)
    leads = [name for name in with_evidence if not wanted or name in wanted]
    if not leads:
        # The message of a run without evidence, or of metrics that have none.
        result.explain(result.sample_ids()[0].as_py())
        having = ", ".join(with_evidence)
        raise UsageError(
            "RG-CLI-016 {wanted} has no evidence; metrics of this run that have: {having}", ", ".join(wanted), having
        )
    lead = leads[0]
    ids, column = result.sample_ids().to_pylist(), result.columns[lead]
    places = column.imperfect(result[lead].direction, result.range(lead)).tolist()
    scored_first = sorted(places, key=lambda place: isnan(column.scores[place]))
    return lead, [ids[place] for place in scored_first[:count]]


def _explained(result: Result) -> list[str]:
    """Return the metrics that have evidence; all metrics where the run has none."""
    return list(result.evidence.metrics if result.evidence is not None else ()) or list(result.metrics)


def _texts(result: Result, sample: str, place: int, row: int) -> Iterator[str]:
    """Yield the id, the question and the answer of a sample; also its references where there is no evidence."""
    from ragauge.core.hashing import is_made_id

    say_in = words()
    # Users do not know ids that were made from the content.
    numbered = f"  ({say_in(Message('row {place}', row))})" if is_made_id(sample) else ""
    yield f"{printable(sample)}{numbered}"
    shown = {"question": "question", "answer": "answer"}
    shown |= {"references": "reference"} if result.evidence is None else {}
    for name, title in shown.items():
        value = result.column(name)[place].as_py() if name in result.data.columns else None
        for text in value if isinstance(value, list) else () if value is None else (value,):
            yield f"  {_padded(say_in(title), 9)} {_cut(str(text))}"


def _cut(text: str) -> str:
    short = " ".join(text[: _SHOWN + 1].split())
    return printable(short if len(text) <= _SHOWN else f"{short[:_SHOWN]}…")


def _scores(result: Result, place: int, rows: list[dict[str, Any]], wanted: list[str]) -> Iterator[str]:
    """Yield each score of a sample and what it rests on; scores without evidence, as of an empty answer, too."""
    say_in = words()
    for metric in _explained(result):
        if wanted and metric not in wanted:
            continue
        score, why = result.scores(metric)[place], result.reasons(metric).get(place)
        state = f"{score:.4f}" if not isnan(score) else say_in(str(result.statuses(metric)[place]))
        yield f"{metric}  {state}{f': {printable(why)}' if why else ''}"
        for row in rows:
            if row["metric"] == metric:
                supported = _padded(say_in(_SUPPORTED[row["supported"]]), 3)
                yield f"  {supported} {say_in(row['what'])}{say_in(': ')}{printable(row['text'])}"
                if row["best"] is not None:
                    similarity = "" if row["similarity"] is None else f"{row['similarity']:.2f}"
                    yield f"     {similarity:4}  {printable(row['best'])}"
                if row.get("why") is not None:
                    yield f"           {printable(say_in(row['why']))}"
