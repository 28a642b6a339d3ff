"""``ragauge init``: write a ``ragauge.toml`` to start from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import rich_click as click

from ragauge.cli.output import check_new_file, say
from ragauge.cli.settings import KEYS, schema
from ragauge.core.configuration import OWN

if TYPE_CHECKING:
    from ragauge.formats.preview import Proposal


@click.command("init")
@click.argument("data", required=False)
@click.option("--force", is_flag=True, help="Replace a ragauge.toml that is there.")
@click.option(
    "--schema", "print_schema", is_flag=True, help="Print the JSON Schema of the file, for editors; write nothing."
)
def command(data: str | None, force: bool, print_schema: bool) -> None:  # noqa: FBT001 - click's call
    """Write ragauge.toml into this folder: every setting, commented out. Asks nothing.

    With DATA, a file to be scored, it also proposes which column is which.
    """
    if print_schema:
        click.echo(json.dumps(schema(), indent=2))
        return
    path = Path(OWN)
    check_new_file(path, force=force, option="init")
    proposal = _peeked(data)
    path.write_text(template(data, proposal), encoding="utf-8")
    if proposal is not None:
        _say(proposal)
    shown = data or "DATA"
    say(f"wrote {OWN}; next: ragauge score {shown} -o runs/first")
    say("then for a page: ragauge report runs/first -o report.html")


def _peeked(data: str | None) -> Proposal | None:
    from ragauge.formats import peek

    return None if data is None else peek(data)


def _say(proposal: Proposal) -> None:
    from ragauge.results.tables import printable

    for title, columns in (("recognised", proposal.known), ("guessed, check them", proposal.guessed)):
        if columns:
            named = ", ".join(f"{known} <- {printable(name)}" for known, name in columns.items())
            say(f"{title}: {named}")
    used = {*proposal.known.values(), *proposal.guessed.values()}
    others = [printable(name) for name in proposal.columns if name not in used]
    if others:
        say(f"kept as they are, for --by and --cluster: {', '.join(others)}")


def template(data: str | None, proposal: Proposal | None) -> str:
    """Return the text of the file."""
    score = [f"# {f'{key.name} = {key.example}':44} # {key.help}" for key in KEYS]
    lines = [
        "# Settings of ragauge. The command line wins over variables (RAGAUGE_LANG=zh), and these win over this file.",
        f"# Take away a # to set what stands after it. {f'Made for {_text(data)}.' if data else ''}".rstrip(),
        "",
        "[score]",
        *score,
        "",
        "[map]",
        "# The names of your columns, where ragauge does not know them: question, answer, references, contexts,",
        "# reference_contexts, retrieved, relevance, language, id.",
        *_mapped(proposal),
        "",
        "[split]",
        "# What stands between the texts of a cell that holds several.",
        *_split(proposal),
        "",
        "[gate]",
        "# What ragauge gate demands of a run.",
        '# baseline = "runs/main"                       # the run that max-drop compares with',
        "# confident = true                             # judge intervals, so that noise does not fail a run",
        '# max-failed = "1%"                            # of all samples, under each metric',
        "",
        "# [gate.min]",
        '# "ndcg@10" = 0.42',
        "",
        "# [gate.max-drop]",
        '# "groundedness" = 0.02',
    ]
    return "\n".join([*lines, ""])


def _mapped(proposal: Proposal | None) -> list[str]:
    if proposal is None:
        return ['# question = "my question column"']
    renamed = {known: name for known, name in proposal.known.items() if known != name}
    known = [f"# {known} = {_text(name)}  # recognised without this line" for known, name in renamed.items()]
    guessed = [f"{known} = {_text(name)}  # guessed by its name: check it" for known, name in proposal.guessed.items()]
    return [*known, *guessed]


def _split(proposal: Proposal | None) -> list[str]:
    found = proposal.split if proposal else {}
    if not found:
        return ['# contexts = "|||"']
    return [f"{column} = {_text(separator)}  # seen in most cells: check it" for column, separator in found.items()]


def _text(text: str) -> str:
    """Write a TOML string: its escapes are those of JSON, but for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
