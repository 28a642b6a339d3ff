"""A corpus of documents, and the passages that they are cut into."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from ragauge import languages
from ragauge.core.arrow import to_arrow
from ragauge.core.messages import Argument, Message
from ragauge.core.options import checked_value
from ragauge.core.ragged import IntArray
from ragauge.errors import ColumnError, DataError, UsageError, at
from ragauge.formats.column_names import folded
from ragauge.formats.encodings import Encoding, likely_encoding, readings
from ragauge.formats.fields import each, is_missing, plain
from ragauge.formats.fields import text as valid_text
from ragauge.formats.file_formats import opened_source
from ragauge.formats.opening import LONGEST
from ragauge.formats.source import Chunk
from ragauge.sentences import split

_HEAD = 4096
"""Bytes by which the encoding of a file is guessed, for a message."""
MARKDOWN = frozenset({".md", ".markdown"})
_TEXTS = MARKDOWN | {".txt", ".text", ".rst"}
_BEIR = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst")
_SAVED = ("state.json", "dataset_dict.json")
"""Files of a folder that `datasets.save_to_disk` of Hugging Face wrote."""


@dataclass(frozen=True, slots=True)
class Document:
    """One document.

    ``id``: by which a system returns it, empty where it has none. ``source``: the title, file or address that it is of.
    ``language``: a BCP 47 tag, empty where none is known. ``number``: its row in a table, from 1; 0 for a file of its
    own. ``markdown``: it is written in Markdown.
    """

    id: str
    source: str
    text: str
    language: str
    number: int
    markdown: bool = False


def documents(
    corpus: object,
    notes: list[str],
    *,
    text: str | None = None,
    format: str | None = None,  # noqa: A002 - as in `ragauge.formats.read`
    encoding: str | None = None,
) -> Iterator[Document]:
    """Yield the documents of a corpus, in an order that does not depend on the file system.

    Args:
        corpus: a folder of text and Markdown files, one such file, a BEIR folder, a table in any form that
            `ragauge.formats.read` takes, or a list of texts.
        notes: to which notes are added on what was read and what was left out; they are complete after the last.
        text: the column of texts; None: the first that is named ``text``, ``passage``, ``content`` or the like.
        format: of a table in a file; None: by its suffix or first bytes.
        encoding: of files that are not UTF-8; None: UTF-8, or GB 18030 or UTF-16 where the bytes show it.

    Raises:
        DataError: a file cannot be read, or a text is not one.
        ColumnError: no column holds texts.
        UsageError: a folder has no documents; ``text`` names a column, and there is no table.
    """
    checked_value("questions", "encoding", encoding, Encoding)
    named = ""
    if isinstance(corpus, list | tuple) and corpus and all(isinstance(one, str) for one in corpus):
        corpus, named = [{"text": one} for one in corpus], "texts"
    path = Path(fspath(corpus)) if isinstance(corpus, str | PathLike) and corpus != "-" else None
    if path is None:
        yield from _of_table(corpus, named, notes, text, format, encoding)
    elif path.is_dir() and not any((path / name).exists() for name in _SAVED):
        beir = next((path / name for name in _BEIR if (path / name).is_file()), None)
        if beir is None:
            _check_no_column(path, text)
            yield from _of_folder(path, notes, encoding)
        else:
            yield from _of_table(beir, beir.name, notes, text, format, encoding)
    elif path.suffix.lower() in _TEXTS and format is None:
        _check_no_column(path, text)
        yield from _of_files(path.parent, [path], encoding)
    else:
        yield from _of_table(path, path.name, notes, text, format, encoding)


def _check_no_column(path: Path, text: str | None) -> None:
    if text is not None:
        what = Message("a folder of texts") if path.is_dir() else Message("a text")
        template = "RG-TEST-001 {text} names a column of a table, and {path} is {what}, which has none. Leave it out."
        raise UsageError(template, Argument("text", text), path, what)


def _of_folder(folder: Path, notes: list[str], encoding: str | None) -> Iterator[Document]:
    every = [(one, one.relative_to(folder).parts) for one in folder.rglob("*")]
    paths = [one for one, parts in every if not any(part.startswith(".") for part in parts) and one.is_file()]
    taken = sorted([one for one in paths if one.suffix.lower() in _TEXTS], key=lambda one: one.as_posix())
    others = Counter(one.suffix.lower() or "no suffix" for one in paths if one.suffix.lower() not in _TEXTS)
    listed = ", ".join(f"{count} {suffix}" for suffix, count in sorted(others.items()))
    if not taken:
        there = Message("it has {names}", listed) if listed else Message("it is empty")
        template = (
            "RG-TEST-002 {folder}: has no text or Markdown files ({texts}); {there}. Name a folder with texts, "
            "or a table with a column of texts"
        )
        raise UsageError(template, folder, ", ".join(sorted(_TEXTS)), there)
    if listed:
        notes.append(f"files that are not text or Markdown were left out: {listed}")
    yield from _of_files(folder, taken, encoding)


def _of_files(folder: Path, paths: Iterable[Path], encoding: str | None) -> Iterator[Document]:
    problems = []
    for path in paths:
        name = path.relative_to(folder).as_posix()
        try:
            content = _decoded(path, encoding)
        except UnicodeError:
            head = path.read_bytes()[:_HEAD]
            hint = readings(head.rpartition(b"\n")[0] or head)
            shown = Message(" ({readings})", hint) if hint else ""
            problems.append(
                Message("RG-TEST-007 {name}: is not {encoding}{readings}", name, encoding or "UTF-8", shown)
            )
            continue
        except (OSError, ValueError) as error:
            problems.append(
                Message(
                    "RG-TEST-008 {name}: cannot be read: {reason}",
                    name,
                    error.args[0] if isinstance(error, ValueError) else error,
                )
            )
            continue
        yield Document("", name, content, "", 0, markdown=path.suffix.lower() in MARKDOWN)
    if problems:
        template = "save them as UTF-8, name their encoding ({encoding}), or move them elsewhere"
        advice = Message(template, Argument("encoding", "big5"))
        raise DataError.of(str(folder), problems, advice=advice)


def _decoded(path: Path, encoding: str | None) -> str:
    if path.stat().st_size > LONGEST:
        raise ValueError(Message("is larger than {mib} MiB", LONGEST >> 20))
    content = path.read_bytes()
    chosen = encoding or likely_encoding(content) or "utf-8"
    return content.decode(chosen).removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _of_table(
    table: object,
    name: str,
    notes: list[str],
    text: str | None,
    format: str | None,  # noqa: A002
    encoding: str | None,
) -> Iterator[Document]:
    problems: list[str] = []
    names: dict[str, str] = {}
    with opened_source(table, format, encoding) as source:
        for chunk in source.chunks:
            notes += chunk.notes
            problems += [at(source.unit, *one) for one in chunk.problems]
            if chunk.places:
                names = names or _names(chunk.columns, source.name, text)
                yield from _rows(chunk, names, name or source.name, source.unit, problems)
    if problems:
        raise DataError.of(source.name, problems)
    if names:
        notes.append(f"texts are in the column {names['text']}" + (f", ids in {names['id']}" if "id" in names else ""))


def _names(columns: Mapping[str, Any], table: str, text: str | None) -> dict[str, str]:
    """Return role -> column: text, id, source, language; ColumnError where no column holds texts."""
    by_folded = {folded(name): name for name in reversed(list(columns))}
    likely = {
        role: next((by_folded[one] for one in map(folded, names.split()) if one in by_folded), None)
        for role, names in languages.table("columns")["corpus"].items()
    }
    if text is not None and text not in columns:
        raise ColumnError(
            "RG-TEST-003 {table}: has no column {text!r}; its columns are {columns}", table, text, ", ".join(columns)
        )
    chosen = text or likely["text"]
    if chosen is None:
        template = (
            "RG-TEST-004 {table}: no column is named as texts are; its columns are {columns}. Name the one that "
            "holds the texts: {text}"
        )
        raise ColumnError(template, table, ", ".join(columns), Argument("text", "COLUMN"))
    return {"text": chosen} | {role: name for role, name in likely.items() if name not in (None, chosen)}


def _rows(chunk: Chunk, names: Mapping[str, str], table: str, unit: str, problems: list[str]) -> Iterator[Document]:
    absent: Sequence[Any] = [None] * len(chunk.places)
    texts, wrong = each(chunk.columns.get(names["text"], absent), names["text"], valid_text)
    problems += [at(unit, chunk.places[row], what) for row, what in wrong]
    sought = [names.get("id"), names.get("source"), names.get("language"), "metadata"]
    others = [plain(chunk.columns.get(name, absent)) if name else absent for name in sought]
    for place, text, name, source, tag, more in zip(chunk.places, texts, *others, strict=True):
        within = more.get("source") if isinstance(more, Mapping) and "source" not in names else None
        if text is not None:
            yield Document(_text(name), _short(source) or _short(within) or table, text, _short(tag), place)


def _text(value: Any) -> str:
    """Return an id as text, empty if it is missing."""
    return str(value) if isinstance(value, str | int) and not is_missing(value) else ""


def _short(value: Any) -> str:
    """Return a title or a tag in one line, empty if it is missing."""
    return " ".join(_text(value).split())


_TOO_WIDE = 4
"""A sentence that is so many times wider than a passage may be is a table, code or data, and is left out."""
_HEADING = re.compile(r" {0,3}#{1,6}\s")
_FRONT_MATTER = re.compile(r"---[ \t]*\n(?:.*\n)*?(?:---|\.\.\.)[ \t]*(?:\n|$)")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")
# First and last code points of characters that take two columns, as Unicode's East Asian Width has W and F.
_WIDE = ((0x1100, 0x115F), (0x2E80, 0xA4CF), (0xA960, 0xA97F), (0xAC00, 0xD7A3), (0xF900, 0xFAFF), (0xFE30, 0xFE6F),
         (0xFF00, 0xFF60), (0xFFE0, 0xFFE6), (0x1F300, 0x1F64F), (0x20000, 0x3FFFD))  # fmt: skip


class Span(NamedTuple):
    """A part of a text, in code points. ``begins``: it is a heading, so a passage begins."""

    start: int
    end: int
    begins: bool = False


def spans_of(text: str, width: int, *, markdown: bool = False) -> tuple[list[tuple[int, int]], int]:
    r"""Return where the passages of a text begin and end, and how many of its sentences are too long for one.

    A passage is a part of the text, unchanged: neighbouring paragraphs, as many as fit; of a paragraph that does not
    fit, neighbouring sentences. No sentence is divided: one that does not fit is a passage of its own, and one of more
    than four times the width is left out. In Markdown a heading begins a passage, and front matter is left out.

    Args:
        text: the document.
        width: columns that a passage may take: characters, of which those of Chinese, Japanese and Korean take two.
        markdown: the text is Markdown.

    >>> spans_of("Tea is grown. Tea is drunk.\n\nIt is hot.", 30)
    ([(0, 27), (29, 39)], 0)
    >>> spans_of("茶树种在云南。茶叶在春天采摘。", 16)
    ([(0, 7), (7, 15)], 0)
    """
    widths = _widths(text)
    blocks = list(_blocks(text, markdown=markdown))
    wide = [place for place, one in enumerate(blocks) if widths[one.end] - widths[one.start] > width]
    starts, ends = split(to_arrow([text[blocks[place].start : blocks[place].end] for place in wide], pa.large_string()))
    within = {place: (starts[row], ends[row]) for row, place in enumerate(wide)}
    segments: list[Span] = []
    left_out = 0
    for place, block in enumerate(blocks):
        if place not in within:
            segments.append(block)
            continue
        begins = block.begins
        for start, end in zip(*(one.tolist() for one in within[place]), strict=True):
            one = Span(block.start + start, block.start + end, begins)
            begins = False
            if widths[one.end] - widths[one.start] > _TOO_WIDE * width:
                left_out += 1
                begins = True
            else:
                segments.append(one)
    return _packed(segments, widths, width), left_out


def _packed(segments: list[Span], widths: IntArray, width: int) -> list[tuple[int, int]]:
    """Return neighbouring segments put together, as many as fit."""
    passages: list[tuple[int, int]] = []
    for start, end, begins in segments:
        if passages and not begins and widths[end] - widths[passages[-1][0]] <= width:
            passages[-1] = (passages[-1][0], end)
        else:
            passages.append((start, end))
    return passages


def width_of(text: str) -> int:
    """Return the columns that a text takes.

    >>> width_of("tea 茶")
    6
    """
    return int(_widths(text)[-1])


def _widths(text: str) -> IntArray:
    """Return the columns before each character, and those of all, (length + 1,)."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    takes_two = np.zeros(len(points), dtype=bool)
    for first, last in _WIDE:
        takes_two |= (points >= first) & (points <= last)
    return np.concatenate([[0], np.cumsum(1 + takes_two.astype(np.int64))])


def _blocks(text: str, *, markdown: bool) -> Iterator[Span]:
    """Yield the paragraphs of a text: runs of lines that are not blank, without white space around them."""
    front = _FRONT_MATTER.match(text) if markdown else None
    place = front.end() if front else 0
    lines: list[tuple[int, str]] = []
    is_code = False
    for line in [*text[place:].splitlines(keepends=True), ""]:
        is_code ^= markdown and bool(_FENCE.match(line))
        is_heading = markdown and not is_code and bool(_HEADING.match(line))
        if lines and (is_heading or not line.strip()):
            yield _block(lines, markdown=markdown)
            lines = []
        if line.strip():
            lines.append((place, line))
        place += len(line)


def _block(lines: list[tuple[int, str]], *, markdown: bool) -> Span:
    (start, first), (last, line) = lines[0], lines[-1]
    return Span(
        start + len(first) - len(first.lstrip()),
        last + len(line.rstrip()),
        markdown and bool(_HEADING.match(first)),
    )
