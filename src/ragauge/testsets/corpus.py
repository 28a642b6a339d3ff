"""The documents of a corpus: a folder of text files, a table with a column of texts, or a BEIR data set."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from ragauge import languages
from ragauge.core.messages import Argument, Message
from ragauge.core.options import checked_value
from ragauge.errors import ColumnError, DataError, UsageError, at, excerpt
from ragauge.formats.column_names import folded
from ragauge.formats.encodings import Encoding, likely_encoding, readings
from ragauge.formats.fields import each, is_missing, plain
from ragauge.formats.fields import text as valid_text
from ragauge.formats.file_formats import opened_source
from ragauge.formats.opening import LONGEST
from ragauge.formats.source import Chunk

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
                    error.args[0] if isinstance(error, ValueError) else excerpt(str(error)),
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
