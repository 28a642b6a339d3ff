"""``ragauge init``: write a ``ragauge.toml`` with every setting commented out."""

from __future__ import annotations

import json
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING

import rich_click as click

from ragauge.cli.output import check_output, say, write_json
from ragauge.cli.settings import KEYS, Key, schema
from ragauge.cli.terminal import words
from ragauge.core.messages import Message
from ragauge.gates.configuration import OWN
from ragauge.results.replacing import replacing

if TYPE_CHECKING:
    from ragauge.formats.proposals import Proposal


@click.command("init")
@click.argument("data", required=False)
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path(OWN), show_default=True, metavar="FILE",
              help="The settings; of another name, --config reads them.")  # fmt: skip
@click.option("--force", is_flag=True, help="Replace an existing ragauge.toml.")
@click.option(
    "--schema", "print_schema", is_flag=True, help="Print the JSON Schema of the file, for editors; write no file."
)
@click.option("--encoding", metavar="NAME", help="Encoding of DATA if it is not UTF-8, as in big5; GBK is recognised.")
def command(data: str | None, output: Path, *, force: bool, print_schema: bool, encoding: str | None) -> None:
    """Write ragauge.toml into this folder, with every setting commented out. Asks no questions.

    With DATA, a file to score, it also proposes a meaning for each column.
    """
    from ragauge.formats import peek
    from ragauge.formats.rank_columns import with_remarks

    if print_schema:
        write_json(schema())
        return
    check_output(output, "init" if output == Path(OWN) else "-o", force=force)
    proposal = None if data is None else peek(data, encoding)
    with replacing(output) as new:
        # Names of files that are not UTF-8 are shown as escapes.
        new.write_text(template(data, proposal), encoding="utf-8", errors="backslashreplace")
    if proposal is not None:
        _say_columns(proposal)
        if proposal.documents is not None:
            *said, remarks = proposal.documents
            say(with_remarks(Message(_DOCUMENTS, output, *said), remarks))
            return
        other = _before_scores(data or "", output, proposal, encoding)
        if other is not None:
            say(other)
            return
    again = f"ragauge score {quote(data or 'DATA')}{_config(output)} -o runs/first"
    say(Message("wrote {file}; next: {command}", output, again))
    say(Message("then for a page: {command}", "ragauge report runs/first -o report.html"))


_DOCUMENTS = (
    "wrote {file}; in these data a row is one document ({column}), and a sample is a question with all its documents; "
    "in pandas: {code}; then: ragauge score samples.jsonl -o runs/first"
)


_NAMES = {"answer": "answers", "references": "right answers", "relevance": "relevant documents"}


def _config(output: Path) -> str:
    """Return the flag that reads the settings, where it is not their name alone."""
    return "" if output == Path(OWN) else f" --config {quote(str(output))}"


def _before_scores(data: str, output: Path, proposal: Proposal, encoding: str | None) -> Message | None:
    """Return what to do where no default metric has its columns; None where ``ragauge score`` can come next."""
    from ragauge.errors import ColumnError
    from ragauge.evaluation.presets import chosen, metrics_of

    as_read = _as_read(data, proposal, encoding)
    there = {*proposal.known, *proposal.guessed, *as_read}
    try:
        chosen(None, there)
    except ColumnError:
        pass
    else:
        return None
    taken = {source for name, source in as_read.items() if name != source}
    texts = [name for name in proposal.unused if name not in {*proposal.numbers, *taken}]
    if not texts and "question" not in there:
        texts = [name for name in proposal.unused if name not in taken]
    # A column that is left may be the question, where that was not recognised either.
    unclear = [] if "question" in there else texts[:1]
    wanted = "references" if "answer" in there else "relevance" if "retrieved" in there else "answer"
    left = [name for name in texts if name not in unclear]
    if wanted == "relevance":
        left = [*proposal.unused, proposal.known.get("references", "COLUMN")]
    if left:
        nothing = "wrote {file}; the column of {what} was not recognised: write it under [map], as in {line}"
        return Message(nothing, output, Message(_NAMES[wanted]), f"{wanted} = {_text(left[0])}")
    if wanted == "references":
        asked = "".join(f" -m {name}" for name in metrics_of(there))
        again = f"ragauge score {quote(data)}{asked}{_config(output)} -o runs/first"
        return Message("wrote {file}; next: {command}", output, again)
    mapped = "".join(f" --map {quote(f'question={name}')}" for name in unclear)
    asking = f"ragauge ask {quote(data)} --system app.py:answer{mapped}{_config(output)} -o runs/first"
    return Message("wrote {file}; no column has answers; to have a system asked: {command}", output, asking)


def _as_read(data: str, proposal: Proposal, encoding: str | None) -> dict[str, str]:
    """Return known column -> name, of the first rows as they are read: some are known by their fields.

    Empty where the rows have errors, which ``ragauge score`` names.
    """
    from ragauge.errors import RagaugeError
    from ragauge.formats import read

    try:
        rows = read(data, mapping=proposal.guessed, limit=100, encoding=proposal.encoding or encoding)
    except RagaugeError:
        return {}
    return {**{name: name for name in rows.columns}, **rows.mapping}


def _say_columns(proposal: Proposal) -> None:
    from ragauge.display.numbers import printable

    for title, columns in (
        ("recognised: {columns}", proposal.known),
        ("guessed, check them: {columns}", proposal.guessed),
    ):
        if columns:
            named = ", ".join(f"{known} <- {printable(name)}" for known, name in columns.items())
            say(Message(title, named))
    if proposal.unused:
        others = ", ".join(map(printable, proposal.unused))
        say(Message("not used in scores; --by and --cluster take them: {columns}", others))


_TEMPLATE = """\
# {intro}{written_for}

[score]
{score}

[map]
# {names}
# question, answer, references, contexts, reference_contexts, retrieved, relevance, language, id.
{map}
[split]
# {separators}
{split}

[gate]
# {rules}
{gate}

# [gate.min]
# "ndcg@10" = 0.42

# [gate.max-drop]
# "groundedness" = 0.02

[report]
{report}
"""

COMMENTS = {
    "intro": "Settings of ragauge: remove a # to use one. The command line wins over variables (RAGAUGE_LANG=zh),"
    " and these win over this file.",
    "names": "If one of these columns is not recognised, give your name of it here:",
    "separators": "The separator of the texts in a field that holds several.",
    "rules": "The rules of ragauge gate.",
}
GATE = {
    'baseline = "runs/main"': "the run that max-drop compares with",
    "confident = true": "check intervals, so that noise does not fail a run",
    'max-failed = "1%"': "of all samples, under each metric",
    'min-coverage = "95%"': "a rule that lost more samples fails",
}
REPORT = {
    'primary = ["recall@5", "groundedness"]': "the metrics that verdicts rest on, at most five; else chosen",
    'project = "Tea house"': "the name that reports begin with",
}
NAMED, GUESSED, SPLIT = (
    "recognised without this line",
    "guessed: check it",
    "found in most fields: check it",
)


def template(data: str | None, proposal: Proposal | None) -> str:
    """Return the text of the file, with comments in the language of the interface."""
    say = words()
    return _TEMPLATE.format(
        **{name: say(comment) for name, comment in COMMENTS.items()},
        written_for=f"\n# {say(Message('Written for {file}.', _text(data)))}" if data else "",
        score="\n".join(f"{_setting(key, proposal):46} # {say(key.help)}" for key in KEYS),
        gate="\n".join(f"# {setting:44} # {say(comment)}" for setting, comment in GATE.items()),
        report="\n".join(f"# {setting:44} # {say(comment)}" for setting, comment in REPORT.items()),
        map="".join(f"{line}\n" for line in _mapped(proposal)),
        split="\n".join(_split(proposal)),
    )


def _setting(key: Key, proposal: Proposal | None) -> str:
    """Return the line of a setting: that of the encoding of the data as it is used, any other commented out."""
    if key.name == "encoding" and proposal is not None and proposal.encoding:
        return f"encoding = {_text(proposal.encoding)}"
    return f"# {key.name} = {key.example}"


def _mapped(proposal: Proposal | None) -> list[str]:
    if proposal is None:
        return ['# question = "my question column"']
    renamed = {known: name for known, name in proposal.known.items() if known != name}
    known = [f"# {known} = {_text(name)}  # {words()(NAMED)}" for known, name in renamed.items()]
    guesses = proposal.guessed.items()
    return [*known, *(f"{known} = {_text(name)}  # {words()(GUESSED)}" for known, name in guesses)]


def _split(proposal: Proposal | None) -> list[str]:
    separators = proposal.split.items() if proposal else ()
    lines = [f"{column} = {_text(separator)}  # {words()(SPLIT)}" for column, separator in separators]
    return lines or ['# contexts = "|||"']


def _text(text: str) -> str:
    """Return a TOML string: its escapes are those of JSON, except for the delete character."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
