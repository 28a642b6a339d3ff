"""Notes where scores of retrieval say little: ids never meet, or grades are too low or of what was retrieved alone."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from ragauge.core import compute as pc
from ragauge.core.arrow import to_numpy, whole
from ragauge.core.batch import Dataset
from ragauge.core.hashing import HashArray, hash_strings, splitmix64
from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Argument, Counted, Message
from ragauge.core.ragged import BoolArray, IntArray
from ragauge.formats.splitting import OF_IDS

_LOOKED_AT = (50, 200)
"""Samples that are looked at; the larger number only where ids of the smaller do not meet."""
_LEAST, _MOST_IDS = 10, 5_000
"""Where samples have many ids, fewer of them are looked at first: so many at least, and that have about so many ids."""
_MEASURED = 2
"""Samples from which it is seen how many ids one has."""
_FEW, _MANY = 0.05, 0.25
"""Of the samples, the share whose ids may meet as they are, and the one whose ids meet once they are written alike."""
_BETWEEN_BLANKS = lazy_pattern(r" [^\w\s]{1,3} | [^\W\d_]{1,3} ")
_SEPARATORS = (*OF_IDS, ">", "/", "+", "&")
_FOLDER, _ENDING = r"^.*[/\\]", r"\.[A-Za-z][A-Za-z0-9]{1,4}$"
_UNICODE = "NFKC"
"""In place of a pattern: the form of Unicode in which ids are compared."""
_ALIKE: Mapping[str, tuple[str, str]] = {
    "they differ in white space; write both without": (r"\s+", ""),
    "they differ in upper and lower case; write both in one": ("", ""),
    "one side has whole numbers with .0, as pandas writes them where some are missing; write that column with "
    "frame[column].astype('Int64')": (r"\.0+$", ""),
    "they differ in leading zeros; read both as text, in pandas with dtype=str": (r"^0+([0-9])", r"\1"),
    "they are addresses with and without https, www or a last slash; write both alike": (
        r"^https?://(?:www\.)?|/+$",
        "",
    ),
    "the same characters are written in two ways; write both with unicodedata.normalize('NFKC', id)": (_UNICODE, ""),
    "brackets or quotes are around ids of one side; write ids without": (
        r"^[\[({【「『\"'“„‘«]+|[\])}】」』\"'”“’»]+$",
        "",
    ),
    "they differ in the ending of a file's name; write both with it, or without": (_ENDING, ""),
    "they differ in the folder of a file; write both with it, or without": (_FOLDER, ""),
    "they differ in folder, ending or case of a file's name; write both alike": (f"{_FOLDER}|{_ENDING}", ""),
    "a number follows each id of one side; if it is a score or a grade, write {form}; "
    "else write ids of whole documents in both, or of parts": (
        r"\s*(?:[:=]\s*[-+]?[\d.]+|\([-+]?[\d.]+\))$",
        "",
    ),
    "one side names parts of what the other names; write ids of whole documents in both, or of parts": (
        r"[#:_-]+(?:chunk|passage|part|page|p|c)?[_-]?\d+$",
        "",
    ),
    "one side has \\ in place of /; write both alike": (r"\\", "/"),
    "one side is encoded as in an address; write both after urllib.parse.unquote(id)": ("%20", " "),
    "a rank or a mark is before ids of one side; write ids without": (r"^(?:\d+[.)]|[-*•·])\s+", ""),
}
"""How ids differ, in words -> a pattern of the difference, and what replaces it."""
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789")
_ALWAYS = 7
"""Of the ways in which ids may differ, the first ones: those of writing, which both sides may have."""
_OTHERWISE = (
    "RG-NOTE-176 {retrieved} has {n} of {relevant} in another form, in {total} samples looked at, as {found!r} beside "
    "{gold!r}: {why}"
)
_SCORED = '{"d1": 0.9, "d2": 0.8}'
_UNMET = (
    "RG-NOTE-051 in {n} of {total} samples looked at, no id of {relevant} is among those of {retrieved}, as {gold!r} "
    "beside {found!r}: {why}"
)
_SEPARATED = "if {separator!r} separates ids, pass {split}, or write each id as an item of a list"
_OF_PARTS: Mapping[str, str] = {
    r"^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$": "contexts.node.ref_doc_id",
    r"^[0-9a-f]{64}$": "retriever.documents.meta.id",
}
"""Form of the ids that a framework makes, of LlamaIndex and Haystack -> where its system returns the user's own ids."""
_MADE = (
    "they look like ids that a framework makes for each part of a document; where a system that returns its objects is "
    "asked, the ids of the documents may be at another place, as in {map}, with {first} for several parts of one"
)
_LOW = (
    "RG-NOTE-122 no grade of {relevance} in {n} samples looked at is as high as {level:g}, from which on a document "
    "counts as relevant; to count those of {highest:g} and more, write {spec}"
)

_OF_RETRIEVED = (
    "RG-NOTE-308 {relevance} has grades of what was retrieved and of nothing else, in {n} samples looked at: what was "
    "not retrieved counts as not relevant, so recall and its kin are too high if more is relevant"
)
_ALL_RELEVANT = (
    "RG-NOTE-309 {relevance} has no grade below {level:g} in {n} samples looked at, so all that was retrieved counts "
    "as relevant; if {lowest:g} means not relevant, write {spec}"
)


class _Ids(NamedTuple):
    """Ids of samples, (n,) each: ``values``, to compare; ``rows``, their samples; ``written``, as in the data."""

    values: pa.Array
    rows: IntArray
    written: pa.Array

    @classmethod
    def of(cls, lists: pa.Array) -> _Ids:
        flat = pc.list_flatten(lists)
        values = flat.field("id") if pa.types.is_struct(flat.type) else flat
        return cls(values, to_numpy(pc.list_parent_indices(lists)).astype(np.int64), values)

    def split(self, separator: str) -> _Ids:
        """Return the parts between separators as ids."""
        parts = pc.split_pattern(self.values, separator)
        places = pc.list_parent_indices(parts)
        return _Ids(pc.utf8_trim_whitespace(parts.flatten()), self.rows[to_numpy(places)], self.written.take(places))

    def without(self, pattern: str, replacement: str) -> _Ids:
        """Return the ids with the pattern replaced; in lower case where it is empty or has alternatives."""
        if pattern == _UNICODE:
            other = pc.all(pc.string_is_ascii(self.values)).as_py() is False
            return self._replace(values=pc.utf8_normalize(self.values, form=_UNICODE)) if other else self
        values = pc.replace_substring_regex(self.values, pattern, replacement) if pattern else self.values
        return self._replace(values=values if pattern and "|" not in pattern else pc.utf8_lower(values))

    def keys(self) -> HashArray:
        """Return a hash of each id within its sample, (n,)."""
        return splitmix64(hash_strings(self.values) ^ splitmix64(self.rows.astype(np.uint64)))


def note_on_unmet_ids(data: Dataset) -> list[Message]:
    """Return a note where hardly any sample has an id in common in ``retrieved`` and ``relevance``; else none.

    >>> from ragauge.formats import read
    >>> [note] = note_on_unmet_ids(read([{"retrieved": ["D1"], "relevance": {"d1": 1}}]))
    >>> note.partition(", as ")[2]
    "'d1' beside 'D1': they differ in upper and lower case; write both in one"
    """
    batch = next(iter(data.batches()))
    few, many = _LOOKED_AT
    ids = len(pc.list_flatten(batch.head("retrieved", _MEASURED)))
    for most in (min(few, max(_LEAST, _MEASURED * _MOST_IDS // max(ids, 1))), many):
        retrieved, relevant = (_Ids.of(batch.head(name, most)) for name in ("retrieved", "relevance"))
        both = np.array(sorted({*retrieved.rows.tolist()} & {*relevant.rows.tolist()}), dtype=np.int64)
        met = _met(retrieved, relevant)
        if not len(both) or met > _FEW * len(both):
            return _notes_on_form(data, retrieved, relevant, min(most, len(batch)))
        if most >= len(batch):
            break
    reasons = [(_met(*pair), why, pair) for why, pair in _reasons(retrieved, relevant, data)]
    now, why, (left, right) = max(reasons, key=lambda one: one[0])
    if now > max(met, _MANY * len(both)):
        # One that meets now and did not before.
        new = ~_among(right.rows, _rows_met(retrieved, relevant))
        gold = np.flatnonzero(_among(right.keys(), left.keys()) & new)[0]
        found = np.flatnonzero(left.keys() == right.keys()[gold])[0]
    elif met or pc.any(pc.is_in(relevant.values, value_set=retrieved.values)).as_py():
        return []
    else:
        left, right, why = retrieved, relevant, _advice(retrieved, relevant)
        found, gold = (np.flatnonzero(one.rows == both[0])[0] for one in (left, right))
    names = [data.mapping.get(name, name) for name in ("relevance", "retrieved")]
    pair = right.written[gold].as_py(), left.written[found].as_py()
    return [Message(_UNMET, len(both) - met, len(both), *names, *pair, why)]


def _notes_on_form(data: Dataset, retrieved: _Ids, relevant: _Ids, looked_at: int) -> list[Message]:
    """Return a note where ids of a sample are equal but for their form; else none.

    Parts of names, as folders and endings, must be on one side alone: a.pdf and a.txt are two documents.
    """
    if not any(_has_marks(ids.values) for ids in (retrieved, relevant)):
        return []
    met = _among(relevant.keys(), retrieved.keys())
    # Where both sides have "A" and "a", these are two documents.
    own = _among(hash_strings(relevant.values), hash_strings(retrieved.values))
    theirs = _among(hash_strings(retrieved.values), hash_strings(relevant.values))
    for place, (why, change) in enumerate(_ALIKE.items()):
        changed = [ids.without(*change) for ids in (retrieved, relevant)]
        if all(one.values.equals(ids.values) for one, ids in zip(changed, (retrieved, relevant), strict=True)):
            continue
        left, right = (one.keys() for one in changed)
        pairs = [(left, right)] if place < _ALWAYS else [(left, relevant.keys()), (retrieved.keys(), right)]
        for before, now in pairs:
            new = np.flatnonzero(_among(now, before[~theirs]) & ~met | _among(now, before) & ~met & ~own)
            if len(new):
                found = np.flatnonzero(before == now[new[0]])[0]
                names = [data.mapping.get(name, name) for name in ("relevance", "retrieved")]
                pair = retrieved.written[found].as_py(), relevant.written[new[0]].as_py()
                words = Message(why, *[_SCORED for _ in range(why.count("{form}"))])
                return [Message(_OTHERWISE, names[1], Counted(len(new), "id"), names[0], looked_at, *pair, words)]
    return []


def _has_marks(values: pa.Array) -> bool:
    """Return whether an id has anything but small letters and digits, or begins with 0: no way of writing differs else.

    >>> _has_marks(pa.array(["d1", "d20"])), _has_marks(pa.array(["D1"])), _has_marks(pa.array(["d1", "02"]))
    (False, True, True)
    """
    texts = pc.cast(pc.drop_null(whole(values)), pa.large_binary())
    offsets, buffer = (
        np.frombuffer(one, dtype) for one, dtype in zip(texts.buffers()[1:], (np.int64, np.uint8), strict=True)
    )
    starts, ends = offsets[texts.offset :][: len(texts)], offsets[texts.offset :][1 : len(texts) + 1]
    if not len(texts) or ends[-1] == starts[0]:
        return False
    there = np.flatnonzero(np.bincount(buffer[starts[0] : ends[-1]], minlength=256))
    return not _PLAIN.issuperset(there.tolist()) or bool((buffer[starts[ends > starts]] == ord("0")).any())


def notes_on_grades(data: Dataset, levels: Mapping[str, float]) -> list[Message]:
    """Return a note where no document is relevant, as all grades are below the level, or where grades are of no use.

    They are of little use where the retrieved documents alone have grades: recall is 1 then, whatever was missed.

    ``levels``: metric -> the grade from which a document counts as relevant.

    >>> from ragauge.formats import read
    >>> [note] = notes_on_grades(read([{"retrieved": ["d1"], "relevance": {"d1": 0.5}}]), {"hit-rate": 1})
    >>> note.rpartition("; ")[2]
    'to count those of 0.5 and more, write hit-rate:level=0.5'
    """
    judged = next(iter(data.batches())).head("relevance", _LOOKED_AT[-1])
    highest = float(np.fmax.reduce(to_numpy(pc.list_flatten(judged).field("grade")), initial=0))
    low = {name: level for name, level in levels.items() if 0 < highest < level}
    given = data.mapping.get("relevance", "relevance"), len(judged)
    if low:
        return [Message(_LOW, *given, level, highest, f"{name}:level={highest:g}") for name, level in low.items()][:1]
    return _notes_on_grades_of_retrieved(data, levels)


def _notes_on_grades_of_retrieved(data: Dataset, levels: Mapping[str, float]) -> list[Message]:
    batch = next(iter(data.batches()))
    # Where other documents are judged too, the first sample mostly tells: lists of a thousand take long to build.
    for most in (1, _LOOKED_AT[-1]):
        retrieved, relevant = (_Ids.of(batch.head(name, most)) for name in ("retrieved", "relevance"))
        if not np.array_equal(np.sort(retrieved.keys()), np.sort(relevant.keys())):
            return []
    grades = to_numpy(pc.list_flatten(batch.head("relevance", _LOOKED_AT[-1])).field("grade"))
    lowest, different = float(np.fmin.reduce(grades, initial=np.inf)), len(np.unique(grades)) > 1
    given = data.mapping.get("relevance", "relevance"), len(np.unique(relevant.rows))
    high = [(name, level) for name, level in levels.items() if level <= lowest]
    if different and high:
        name, level = high[0]
        above = float(grades[grades > lowest].min())
        return [Message(_ALL_RELEVANT, given[0], level, given[1], lowest, f"{name}:level={above:g}")]
    return [Message(_OF_RETRIEVED, *given)] if different and lowest <= 0 and levels else []


def _among(values: npt.NDArray[np.generic], others: npt.NDArray[np.generic]) -> BoolArray:
    """Return which values are among the others, (n,); in less time than ``numpy.isin``, which imports ``numpy.ma``."""
    if not len(others):
        return np.zeros(len(values), dtype=np.bool_)
    ordered = np.sort(others)
    return ordered[np.minimum(np.searchsorted(ordered, values), len(ordered) - 1)] == values  # type: ignore[no-any-return]


def _rows_met(retrieved: _Ids, relevant: _Ids) -> IntArray:
    """Return the samples that have an id in common."""
    return np.flatnonzero(np.bincount(relevant.rows[_among(relevant.keys(), retrieved.keys())]))


def _met(retrieved: _Ids, relevant: _Ids) -> int:
    return len(_rows_met(retrieved, relevant))


def _advice(retrieved: _Ids, relevant: _Ids) -> Message:
    """Return what to look at where no reason is seen: a separator within the ids, or whether they are of one kind."""
    for separator in OF_IDS[:-1]:
        for name, ids in (("retrieved", retrieved), ("relevance", relevant)):
            if pc.any(pc.match_substring(ids.values, separator)).as_py():
                return Message(_SEPARATED, separator, Argument("split", {name: separator}))
    for kind, place in _OF_PARTS.items():
        if _all_match(retrieved.values, kind) and not _all_match(relevant.values, kind):
            return Message(_MADE, Argument("map", {"retrieved": place}), Argument("duplicates", "first"))
    return Message("check that both name the same documents")


def _all_match(values: pa.Array, pattern: str) -> bool:
    return pc.all(pc.match_substring_regex(values, pattern)).as_py() is True


def _reasons(retrieved: _Ids, relevant: _Ids, data: Dataset) -> Iterator[tuple[Message, tuple[_Ids, _Ids]]]:
    """Yield, for each way in which ids may differ, words for it and the ids without that difference."""
    for why, change in _ALIKE.items():
        yield (
            Message(why, *[_SCORED for _ in range(why.count("{form}"))]),
            (retrieved.without(*change), relevant.without(*change)),
        )
    written = " ".join(
        [text for ids in (retrieved, relevant) for text in ids.values[: _LOOKED_AT[0]].to_pylist() if text]
    )
    # A mark between blanks is no id, as it would be where the blanks part ids.
    between = [separator for separator, _ in Counter(_BETWEEN_BLANKS.findall(written)).most_common(3)]
    for separator in (*between, *_SEPARATORS):
        for name, ids in (("retrieved", retrieved), ("relevance", relevant)):
            if name not in data.split and pc.any(pc.match_substring(ids.values, separator)).as_py():
                split = ids.split(separator)
                pair = (split, relevant) if name == "retrieved" else (retrieved, split)
                yield Message(_SEPARATED, separator, Argument("split", {name: separator})), pair
