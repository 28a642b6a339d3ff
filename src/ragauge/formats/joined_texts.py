"""Notes on columns whose fields were read as one text each: separators within them, and ids among passages."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice, pairwise
from typing import Any

import numpy as np
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import scalar, to_arrow, to_numpy
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Counted, Message
from ragauge.formats.long_tables import notes_on_passages
from ragauge.formats.splitting import BETWEEN_IDS, IDS, OF_IDS, SEPARATORS
from ragauge.formats.written_lists import is_written, list_in

_CERTAIN = ("|||", "<sep>", "[SEP]", "\n---\n", "\n\n")
"""Separators of which one field is worth a note; the others occur within passages, so most fields must hold them."""
_RARE = ("<br>", "\t", "***")
_IN_PROSE = (";", " / ")
"""Separators that are within sentences too: only those after a full stop or before a capital letter count."""
_PASSAGES = ("contexts", "reference_contexts")
_OF_REFERENCES = (*[one for one in SEPARATORS if one != "\n\n"], ";")
_LOOKED_AT = 1000
"""Rows whose fields are looked at."""
_SHOWN = 40  # characters of an example
_ONE_TEXT = (
    "RG-NOTE-001 {name}: every field was read as one text, and {n} of {total} contain {separator!r}; if that separates "
    "texts, pass {split}"
)
_LEFT = (
    "RG-NOTE-054 {name}: {n} of {total} ids contain {separator!r} after the split at {split!r}; if it separates ids "
    "too, pass {given}, or write those fields as JSON lists"
)

_NOT_TEXTS = (
    "RG-NOTE-061 {name}: {n} of {total} look like ids and not like texts, as {example!r}; if they are the ids of what "
    "was retrieved, pass {map}"
)
_IN_ONE = (
    "RG-NOTE-117 {name}: {n} of {total} look like several texts in one, as {example!r}, and were read as one each; "
    "write each as a list of texts"
)
_SEVERAL_IDS = (
    "RG-NOTE-119 {name}: several ids seem to be in one in {n}, as {example!r}; each such field was read as one id. If "
    "they are several, {split}write them as JSON lists"
)
_LISTS = (
    "RG-NOTE-175 {name}: a list in a field was read as several references, but {n} of {total} answers are lists too; "
    "where a list is itself the reference, put it into a list of one: {example}"
)
_ALTERNATIVES = (
    "RG-NOTE-180 references: {answers} one part of a reference that was read as one text, as {answer!r} of "
    "{reference!r}; if the parts are alternatives, write a list, as {example}{or_split}"
)
_OR = "or|oder|ou|lub|albo|veya|atau|hoặc|eller|nebo|vagy|tai|sau|или|або|или же|أو|یا|או|या|अथवा"
_BETWEEN_TEXTS = lazy_pattern(
    r"\s*[\n、，;；؛|/／،]+\s*|\s*,\s+|(?<!\d),|,(?!\d)|\s*(?:或者?|还是|または|もしくは|또는|혹은|หรือ)\s*"
    rf"|\s+(?:{_OR}|o)\s+",
    re.IGNORECASE,
)
"""What people put between alternatives, in any language; a number may hold a comma or a slash."""
_A_FRACTION = lazy_pattern(r"(?<=\d)/(?=\d)")
_MARK = lazy_pattern(r"^(?:[-*•·]|\d{1,2}[.)、])\s*(?=\S)")
"""What is before an item of a list."""
_ENDS = " \t.。…'\"“”„‘’«»‹›「」『』【】〔〕《》（）()[]{}"
"""Brackets, quotes and full stops around a text or the list of some."""
_QUOTES = "'\"”’»」』）)"
_STOPS = tuple(".!?。！？।؟…")
"""The end of a sentence, whose commas are no separators."""
_LONGEST = 1000
"""Characters of references that are looked at for alternatives."""
_SOME = 20
"""One in so many answers is a part of a reference where a note is worth it."""
_BETWEEN = lazy_pattern(r"\s+(?:and|und|et|y|и|و|และ|और)\s+|\s*[/+&和与と및]\s*|\s+")
"""What people put between two ids, beside the separators, and what is in ids and titles too."""
_TELLS = r"[\s/+&和与と및]"
"""A mark without which there is nothing of `_BETWEEN` in a text."""
_WRITTEN = lazy_pattern(r"""\s*(?:\[.*['"].*\]|\{.*['"].*\}|\(.*['"].*\))\s*""", re.DOTALL)
_NUMBERED = lazy_pattern(
    r"\s*(?:1[.)、]|[\[(【（]1[\])】）])\s*\S.*\s(?:2[.)、]|[\[(【（]2[\])】）])\s*\S|\s*①.*②"
    r"|\s*[-*•·] \S.*\n[ \t]*[-*•·] \S|\s*<(\w{1,20})>.*</\1>\s*<\1>",
    re.DOTALL,
)
"""Passages with their numbers, with bullets on lines of their own, or each in a tag."""
_NAME = lazy_pattern(r"(?=\S*\d)[A-Za-z]\S*|\d+[._/:#-]\S*|\S+\.[A-Za-z]\w{1,4}")


def joined_notes(
    tables: Sequence[pa.Table],
    split: Mapping[str, str],
    apart: Collection[str],
    sources: Mapping[str, str],
    *,
    written: bool,
) -> list[str]:
    """Return a note for each column of passages or ids of one text each with separators in it.

    Of the columns of ``split``, those of ids have a note where some ids hold another separator still.

    Args:
        tables: the columns as they were read.
        split: known column -> the separator at which its fields were split.
        apart: columns of which no field holds several texts in one.
        sources: known column -> its name in the source.
        written: whether a field of passages may be a text; in a list, a blank line separates none.
    """
    notes: list[str] = []
    told: set[str] = set()
    for name in [one for one in (*_PASSAGES, "references", *IDS) if one not in apart]:
        lengths = [to_numpy(pc.drop_null(pc.list_value_length(column))) for column in _columns(tables, name)]
        if not lengths or (name in split and name not in IDS):
            continue
        if name in split:
            total = sum([int(part.sum()) for part in lengths])
            held = _held(tables, name, OF_IDS[:-1])
            left = [
                Message(_LEFT, name, n, total, one, split[name], Argument("split", {name: one}))
                for one, n in held.items()
                if 0 < n * 2 <= total
            ]
            notes += left[:1]
        elif (np.concatenate(lengths) <= 1).all():
            total = sum(map(len, lengths))
            certain = OF_IDS[:-1] if name in IDS else () if name == "references" else _CERTAIN
            of_texts = (*SEPARATORS, *_RARE) if written else ("|||",)
            sought = {"references": _OF_REFERENCES, **dict.fromkeys(IDS, certain)}.get(name, of_texts)
            held = _held(tables, name, sought)
            telling = {one: n for one, n in held.items() if n * 2 > total or (n and one in certain)}
            if telling:
                # The first of those that as many hold: "|||" holds "|" too.
                separator = max(telling, key=lambda one: telling[one])
                given = name, telling[separator], total, separator, Argument("split", {name: separator})
                notes.append(Message(_ONE_TEXT, *given))
                told.add(name)
            elif name in _PASSAGES:
                notes += _notes_on_one_text(tables, name, written=written)
    notes += [*_notes_on_several_ids(tables, written=written), *_notes_on_ids(tables, sources)]
    notes += _notes_on_written(tables) or ([] if "references" in told else _notes_on_alternatives(tables))
    return [*notes, *(_notes_on_lists(tables) if written else ()), *notes_on_passages(tables, sources)]


def _notes_on_one_text(tables: Sequence[pa.Table], name: str, *, written: bool) -> list[str]:
    """Return a note where most texts of a column of passages are numbered, or have a separator between whole texts."""
    every = chain.from_iterable(_flat(one).to_pylist() for one in _columns(tables, name))
    texts = [text or "" for text in islice(every, _LOOKED_AT)]
    numbered = [text for text in texts if _NUMBERED.match(text)]
    if len(numbered) * 2 > len(texts):
        return [Message(_IN_ONE, name, len(numbered), len(texts), numbered[0][:_SHOWN])]
    for separator in _IN_PROSE if written else ():
        n = sum(_are_whole(text.split(separator)) for text in texts)
        if n * 2 > len(texts):
            return [Message(_ONE_TEXT, name, n, len(texts), separator, Argument("split", {name: separator}))]
    return []


def _are_whole(parts: Sequence[str]) -> bool:
    """Return whether there are several parts, and each ends with a full stop or the next begins with a capital.

    >>> _are_whole(["Tea.", " Jam"]), _are_whole(["茶。", "酒。"]), _are_whole(["Tea is hot", " jam is not"])
    (True, True, False)
    """
    stripped = [part.strip() for part in parts if part.strip()]
    between = [one.rstrip(_QUOTES).endswith(_STOPS) or other[0].isupper() for one, other in pairwise(stripped)]
    return bool(between) and all(between)


def _notes_on_several_ids(tables: Sequence[pa.Table], *, written: bool) -> list[str]:
    """Return a note for each column of ids in which some hold others of their kind: "d4 d9" where there is "d9"."""
    notes: list[str] = []
    for name in IDS:
        within = (pc.filter(one, pc.match_substring_regex(one, _TELLS)) for one in map(_flat, _columns(tables, name)))
        texts = islice(chain.from_iterable([one.to_pylist() for one in within]), _LOOKED_AT)
        parts = {text: several for text in texts if text and _are_alike(several := _BETWEEN.split(text))}
        sought = to_arrow(list(chain.from_iterable(parts.values())), pa.large_string())
        known: set[str] = set()
        for column in chain.from_iterable([_columns(tables, one) for one in IDS] if parts else ()):
            known.update(pc.filter(sought, pc.is_in(sought, value_set=_flat(column))).to_pylist())
        found = [text for text, several in parts.items() if not known.isdisjoint(several)]
        if found:
            single = all(
                (to_numpy(pc.drop_null(pc.list_value_length(one))) < 2).all() for one in _columns(tables, name)
            )
            given = Argument("split", {name: _BETWEEN.search(found[0])[0]})  # type: ignore[index]
            # A separator parts texts, and no items of lists.
            either = Message("pass {split}, or ", given) if written and single else ""
            notes.append(Message(_SEVERAL_IDS, name, Counted(len(found), "field"), found[0], either))
    return notes


def _are_alike(parts: Sequence[str]) -> bool:
    """Return whether several texts with a number are equal but for it, as d4 and d9 are."""
    return (
        len(parts) > 1 and len({re.sub(r"\d+", "0", part) for part in parts}) == 1 and any(map(str.isdigit, parts[0]))
    )


def _notes_on_lists(tables: Sequence[pa.Table]) -> list[str]:
    """Return a note where answers are texts of lists beside lists of references, which may be such answers."""
    first = next((table for table in tables if {"answer", "references"} <= set(table.column_names)), None)
    if first is None:
        return []
    lengths = pc.list_value_length(first["references"])
    several = to_numpy(pc.coalesce(lengths, scalar(1, lengths.type))) != 1
    answers = [text for text in pc.filter(first["answer"], to_arrow(several))[:_LOOKED_AT].to_pylist() if text]
    lists = [text for text in answers if is_written(text) and isinstance(list_in(text), list)]
    example = json.dumps([lists[0][:_SHOWN]], ensure_ascii=False) if lists else ""
    return [Message(_LISTS, "references", len(lists), len(answers), example)] if lists else []


def _notes_on_written(tables: Sequence[pa.Table]) -> list[str]:
    """Return a note where most references, and not the answers, are lists or sets in a text; an object may be meant."""
    first = next(_columns(tables, "references"), None)
    texts = [] if first is None else _flat(first)[:_LOOKED_AT].to_pylist()
    lists = _written_lists(texts)
    if len(lists) * 2 <= len(texts):
        return []
    answers: list[object] = next((column[:_LOOKED_AT].to_pylist() for column in _columns(tables, "answer")), [])
    meant = len(_written_lists(answers)) * 2 > len(answers)
    return [] if meant else [Message(_IN_ONE, "references", len(lists), len(texts), lists[0][:_SHOWN])]


def _written_lists(texts: Iterable[object]) -> list[str]:
    return [text for text in texts if isinstance(text, str) and _WRITTEN.fullmatch(text) and not _is_object(text)]


def _notes_on_alternatives(tables: Sequence[pa.Table]) -> list[str]:
    """Return a note where most references with parts have one that is the answer, which the whole reference is not."""
    pairs: list[tuple[str, str]] = []
    for table in (one for one in tables if {"answer", "references"} <= set(one.column_names)):
        rows = table.select(["answer", "references"])[:_LOOKED_AT]
        kept = pc.filter(rows, pc.equal(pc.list_value_length(rows["references"]), scalar(1, pa.int32())))
        pairs += zip(kept["answer"].to_pylist(), _flat(kept["references"]).to_pylist(), strict=True)
    short = [one for one in pairs[:_LOOKED_AT] if all(one) and len(one[1]) <= _LONGEST and not one[1].endswith(_STOPS)]
    several = [pair for pair in short if len(alternatives_in(pair[1])) > 1]
    found = [pair for pair in several if _folded(pair[0]) in map(_folded, alternatives_in(pair[1]))]
    if len(found) * 2 <= len(several) or len(found) * _SOME < len(pairs):
        return []
    answer, reference = found[0]
    example = json.dumps(alternatives_in(reference), ensure_ascii=False)
    # A word needs its blanks: without, "or" is within other words.
    within = chain.from_iterable([_BETWEEN_TEXTS.findall(text) for _, text in found])
    separators = {one if any(map(str.isalpha, one)) else one.strip(" ") for one in within}
    split = Argument("split", {"references": min(separators)})
    is_plain = reference[:1] not in _ENDS and _MARK.match(reference) is None
    either = Message("; or pass {split}", split) if len(separators) == 1 and is_plain else ""
    count = Counted(len(found), "answer is", "answers are")
    return [Message(_ALTERNATIVES, count, answer, reference[:_SHOWN], example, either)]


def alternatives_in(text: str) -> list[str]:
    """Return the texts that may be alternatives in one text, without quotes and brackets; the text where it is one.

    >>> alternatives_in("【甲、乙】"), alternatives_in("“Anna” or “Anne”"), alternatives_in("3/4 of 1,000")
    (['甲', '乙'], ['Anna', 'Anne'], ['3/4 of 1,000'])
    """
    whole = _A_FRACTION.sub("\0", text.strip(_ENDS))
    parts = [_MARK.sub("", part).strip(_ENDS).replace("\0", "/") for part in _BETWEEN_TEXTS.split(whole)]
    return [part for part in parts if part]


def _folded(text: str) -> str:
    return text.strip(_ENDS).casefold()


def _is_object(text: str) -> bool:
    """Return whether a text is JSON and no list."""
    return not isinstance(_of_json(text), list | None)


def _of_json(text: str) -> Any:
    """Return what a text of JSON holds; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _notes_on_ids(tables: Sequence[pa.Table], sources: Mapping[str, str]) -> list[str]:
    """Return a note where most of the passages that were retrieved look like ids; none where there are ids, too."""
    if any("retrieved" in table.column_names for table in tables):
        return []
    first = next(_columns(tables, "contexts"), None)
    texts = [] if first is None else _flat(first)[:_LOOKED_AT].to_pylist()
    ids = [text for text in texts if text and all(map(_NAME.fullmatch, filter(None, BETWEEN_IDS.split(text))))]
    if len(ids) * 2 <= len(texts):
        return []
    mapped = Argument("map", {"retrieved": sources.get("contexts", "contexts")})
    return [Message(_NOT_TEXTS, "contexts", len(ids), len(texts), ids[0][:_SHOWN], mapped)]


def _held(tables: Sequence[pa.Table], name: str, separators: Iterable[str]) -> dict[str, int]:
    """Return how many texts of a column hold each separator; not those that the other column of ids has as one id."""
    held = dict.fromkeys(separators, 0)
    for table in (one for one in tables if name in one.column_names):
        texts = _flat(table[name])
        others = [one for one in IDS if one != name and name in IDS and one in table.column_names]
        for separator in held:
            holding = pc.filter(texts, pc.match_substring(texts, separator))
            if len(holding):
                whole = [pc.sum(pc.is_in(holding, value_set=_flat(table[one]))).as_py() or 0 for one in others]
                held[separator] += len(holding) - sum(whole)
    return held


def _flat(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return the texts in a column of lists; of judgements, their ids."""
    flat = pc.list_flatten(column)
    return pc.struct_field(flat, "id") if pa.types.is_struct(flat.type) else flat


def _columns(tables: Sequence[pa.Table], name: str) -> Iterator[pa.ChunkedArray]:
    """Yield the column of each table that has it; one table at a time is in memory."""
    return (table[name] for table in tables if name in table.column_names)
