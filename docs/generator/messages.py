"""The page of messages: every code, what its message says, and what to do."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

import ragauge
from docs.generator.tables import NOTE, paragraphs, table
from ragauge.core.messages import catalogue, code_and_text

SOURCES = Path(ragauge.__file__).parent
AREAS = {
    "CLI": ("The command line", "Options of a command do not go together, or one is missing.", "`ragauge COMMAND -h`"),
    "CMP": ("Comparing runs", "Two runs do not have the same samples, metrics or options.", "score both alike"),
    "COMPAT": ("Calls of other libraries", "A call does not have the form of the other library.", "its documentation"),
    "CORE": (
        "Metrics, options and settings",
        "A spec, an option or a setting cannot be used.",
        "`ragauge metrics NAME`",
    ),
    "DATA": ("Data", "A file or a row cannot be read as samples.", "correct the rows that are named"),
    "EMB": ("Embedders", "An embedding model cannot be used, or gave what does not fit.", "`ragauge doctor`"),
    "ENG": ("Workers and clusters", "Parts of a run cannot be scored or put together.", "score again"),
    "EVAL": ("Evaluating", "Data, metrics and options do not go together.", "`map=` or `--map` for columns"),
    "GATE": ("Gates", "A rule cannot be checked.", "the rules in `[gate]`"),
    "JUDGE": ("Judges", "A judge cannot be asked, or its cache cannot be used.", "its address, key and limits"),
    "LIB": ("Optional libraries", "A library is not installed.", "install the extra that is named"),
    "METRIC": ("Metrics", "Data do not fit a metric.", "the page of the metric"),
    "NAME": ("Names", "Nothing has the name that was given.", "the names that are proposed"),
    "NET": ("Servers", "A server cannot be reached, or refuses.", "its address and key"),
    "NOTE": ("Notes of runs", "A run was scored, and its reader should know this.", "the columns and options named"),
    "OPT": ("Options", "An option is unknown or has a value that it does not take.", "the values that are named"),
    "RANK": ("Rankings", "A ranking or its judgements cannot be used.", "correct the queries that are named"),
    "REL": ("Relevance", "A relevance model cannot be used.", "another model"),
    "REPORT": ("Reports", "A report or a view of runs cannot be made.", "another file or run"),
    "RUN": ("Saved runs", "A run cannot be saved or loaded.", "another directory, or score again"),
    "SUPPORT": ("Support", "A support model or its threshold cannot be used.", "another model, or calibrate"),
    "SYSTEM": (
        "Systems under test",
        "A system cannot be asked, or its answers kept.",
        "the log of the system",
    ),
    "TEST": ("Test sets", "Questions cannot be drawn or written.", "the corpus and the sheet"),
    "TESTS": ("pytest", "A gate in a test cannot be checked.", "the baseline"),
    "TOKEN": ("Tokenizers and sentences", "A text cannot be tokenised as asked.", "another tokenizer"),
    "VALID": ("Validation", "Labels of people cannot be used.", "the column of labels"),
    "WRITE": ("Writers", "A finished run cannot be written to its target.", "the target's address and key"),
}
"""Area -> its title, the common cause of its messages, and where to look first."""
RETIRED: tuple[str, ...] = (
    "RG-CLI-027", "RG-CLI-028", "RG-REPORT-001", "RG-REPORT-002", "RG-WRITE-023", "RG-WRITE-024", "RG-WRITE-025",
)  # fmt: skip
"""Codes of messages that are gone: no other message may take one."""
_INTRO = (
    "Errors and notes have a code that stays the same when the wording changes. A command shows it after the message"
    " with `-v`, and always with `--output-format json`; in Python it is in `error.codes`. A message says what was"
    " given, what is allowed, and what to do. `{places}` are values; a command writes arguments as its flags."
)


class Template(NamedTuple):
    """A message in the source: its code, its English text, and where it is."""

    code: str
    text: str
    place: str


def templates() -> Iterator[Template]:
    """Yield every message of the source that has a code."""
    for path in sorted(SOURCES.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                code, text = code_and_text(node.value)
                if code:
                    yield Template(code, text, f"{path.relative_to(SOURCES)}:{node.lineno}")


def page() -> str:
    """Write a table of the messages of each area."""
    by_code = {one.code: one for one in templates()}
    parts = []
    for area, ones in groupby(sorted(by_code), key=lambda code: code.split("-")[1]):
        title, cause, look = AREAS[area]
        rows = [(f"`{code}`", _shown(by_code[code].text), catalogue("zh").get(code, "")) for code in ones]
        parts += [f"## {title}", f"{cause} Look at: {look}.", table(("code", "message", "in Chinese"), rows)]
    return paragraphs([NOTE.format(source="the messages in the code"), "# Messages", _INTRO, *parts])


def _shown(template: str) -> str:
    return " ".join(template.split()).replace("<", "&lt;").replace("!r}", "}")
