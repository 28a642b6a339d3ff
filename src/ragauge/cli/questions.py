"""``ragauge questions``: draw passages from a corpus, for people to write questions, or for a judge to propose them."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import rich_click as click

from ragauge.cli.judging import NAMES, judge_options, judging, write_plan
from ragauge.cli.output import check_output, output_format, say, write_blocks, write_json
from ragauge.core.messages import Message
from ragauge.errors import NothingScoredError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragauge.judges.session import Session
    from ragauge.testsets import Sheet


@click.command("questions", context_settings={"auto_envvar_prefix": "RAGAUGE"})
@click.argument("corpus")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), metavar="FILE", help="The sheet: .csv, .jsonl or .xlsx."
)
@click.option("-n", "--rows", type=int, default=50, show_default=True, metavar="N", help="Passages to draw.")
@click.option("--text", metavar="COLUMN", help="The column of texts; default: text, passage, content or the like.")
@click.option(
    "--language", metavar="TAG", help="The language of all passages, as in de; default: as rows or script tell."
)
@click.option("--width", type=int, default=800, show_default=True, help="Columns of a passage; Chinese takes two each.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the draw.")
@click.option("--input-format", metavar="NAME", help="Format of CORPUS, as in csv; default: by suffix or first bytes.")
@click.option("--encoding", metavar="NAME", help="Encoding of texts that are not UTF-8, as in big5; GBK is recognised.")
@click.option("--force", is_flag=True, help="Replace the file of -o, with all that people wrote in it.")
@judge_options
@click.option("--prompts", metavar="DIR", help="A folder with a prompt of your own, proposal.txt.")
@click.option("--thinking", type=click.IntRange(0), default=0, metavar="N", help="Tokens that the judge may think.")
@output_format("table", "json", "markdown")
def command(corpus: str, **options: Any) -> None:
    """Draw passages from a CORPUS, as a sheet in which people write questions and references.

    CORPUS is a folder of text and Markdown files, a table with a column of texts (JSONL, CSV, Parquet and others), or a
    BEIR data set. The sample is stratified by language, source and length. With --judge an LLM proposes questions,
    which are checked. The filled sheet is read by `ragauge ask` and `ragauge score`.
    """
    from ragauge.testsets import draw

    output, form, dry_run = options["output"], options["output_format"], options["dry_run"]
    asks = [name for name in ("judge", *NAMES) if options[name]]
    if asks and options["judge"] is None:
        raise UsageError(
            "RG-CLI-030 --{asks} is of the judge that proposes questions: name one with --judge",
            asks[0].replace("_", "-"),
        )
    if not dry_run:
        _check_output(output, force=options["force"])
    own = {name: options[name] for name in ("text", "language", "width", "seed", "encoding")}
    sheet = draw(corpus, options["rows"], format=options["input_format"], **own)
    if asks:
        with ExitStack() as stack:
            session = cast("Session", stack.enter_context(judging(options)))
            sheet = _proposed(sheet, options, session)
            if dry_run:
                write_plan(session, form)
                return
            summary = session.summary()
            sheet = sheet.with_rows(sheet.rows, [summary])
    sheet.write(output)
    _write_strata(sheet, form)
    for note in sheet.notes:
        say(note)
    template = "saved to {file}: fill question and reference, then give it to ragauge ask or ragauge score"
    say(Message(template, output))
    if asks and not any(row["question"] for row in sheet.rows):
        raise NothingScoredError(
            "RG-CLI-031 the judge proposed no question that was kept: the column note says why, row by row"
        )


def _check_output(path: Path | None, *, force: bool) -> None:
    from ragauge.testsets.sheet import check_suffix

    if path is None:
        raise UsageError(
            "RG-CLI-032 name the file of the sheet, as in -o questions.csv; .jsonl and .xlsx can be written too"
        )
    check_suffix(path)
    check_output(path, force=force)


def _proposed(sheet: Sheet, options: Mapping[str, Any], session: Session) -> Sheet:
    from ragauge.cli.terminal import Meter, progress
    from ragauge.testsets import propose

    meter = Meter()
    with progress(meter=meter):
        own = {name: options[name] for name in ("prompts", "thinking")}
        return propose(sheet, options["judge"], session=session, progress=meter.replied, **own)


def _write_strata(sheet: Sheet, form: str) -> None:
    """Write how many passages each stratum has, and how many were drawn from it."""
    from ragauge.display.table import Table, TableColumn, TableRow

    names = [name for name, _ in sheet.strata[0].values]
    rows = [{**dict(one.values), "passages": one.passages, "drawn": one.drawn} for one in sheet.strata]
    if form == "json":
        write_json({"rows": len(sheet.rows), "strata": rows, "notes": list(sheet.notes)})
        return
    columns = [*(TableColumn(name, "name") for name in names), TableColumn("passages"), TableColumn("drawn")]
    shown = [TableRow(tuple(map(str, row.values()))) for row in rows]
    write_blocks([Table("strata", tuple(columns), tuple(shown))], form)
