"""The samples of a page in parts: an index, which its list needs, and chunks of what an opened sample shows.

A browser reads the index before the list is there, and the chunks after it. Each row of a chunk holds the passages that
no row before it has: texts that repeat each other stand close together, so that they are compressed well. What evidence
quotes from an answer or a passage is written as its place there; evidence and parts of scores are by column, and texts
of our own stand once in a chunk. Where samples have several languages, those of one
stand together in the chunks, as do their questions and answers in the index: texts of one language compress better.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ragauge.core.ragged import IntArray
from ragauge.reports.json_columns import JsonColumn, json_of
from ragauge.reports.segments import SegmentColumns

Json = dict[str, Any]

_KANA, _LAST_IDEOGRAPH = "\u3000", "\u9fff"
CHUNK = 1_000  # samples; a browser reads so many in about 20 ms, in which a page does not answer
_BY_SAMPLE = ("references", "relevance")
_PASSAGES = "reference_contexts"
_BY_RUN = ("contexts", "evidence", "parts", "reasons")


def in_chunks(payload: Json, size: int = CHUNK, cut: Mapping[str, str] | None = None) -> Iterator[Any]:
    """Yield the index, and chunks of at most ``size`` samples in the index's ``order``, or else in that of the samples.

    The index holds what has one value for each sample: ids, questions, languages, columns, answers and scores.
    Questions and answers are in its ``order`` too.
    ``cut``: passage -> what the page shows of it; it has no entry for those that are shown whole.
    """
    order = by_language(payload)
    yield {
        **{name: value for name, value in payload.items() if name not in (*_BY_SAMPLE, _PASSAGES, "passages")},
        "questions": [payload["questions"][place] for place in order],
        "by_run": [
            {
                **{name: run[name] for name in run if name not in _BY_RUN},
                "answers": [run["answers"][place] for place in order],
            }
            for run in payload["by_run"]
        ],
        **({"cut": len(cut)} if cut else {}),
        **({"order": order} if order != sorted(order) else {}),
    }
    passages = Passages(cut or {})
    reasons = [_by_sample(run["reasons"]) for run in payload["by_run"]]
    for start in range(0, payload["shown"], size):
        yield _chunk(payload, reasons, order[start : start + size], passages)


def _chunk(payload: Json, reasons: Sequence[Mapping[str, Json]], places: list[int], passages: Passages) -> Json:
    """Return the samples at ``places`` by column.

    ``evidence``: for each run how many segments each sample has, and the columns of all segments, in which ``what`` and
    ``why`` are places in ``words``; ``parts``: for each run metric -> part -> value of each sample.
    """
    rows = [_row(payload, reasons, place, passages) for place in places]
    words: dict[Any, int] = {}
    quotes = Quotes(passages)
    evidence = [_evidence(payload, run, places, words, quotes) for run in payload["by_run"]]
    parts = [_parts(run["parts"], np.array(places)) for run in payload["by_run"]]
    return {**by_column(rows), "evidence": evidence, "words": list(words), "parts": parts}


def by_column(rows: list[Json]) -> Json:
    """Return rows as lists of their values, which compress better: null where a row has none of a name.

    >>> by_column([{"references": ["tea"], "by_run": []}, {"by_run": [{}]}])
    {'references': [['tea'], None], 'by_run': [[], [{}]]}
    """
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def by_language(payload: Json) -> list[int]:
    """Return the places of the samples, those of one language, or else of one script, together.

    >>> by_language({"shown": 3, "languages": None, "questions": ["Tea?", "茶？", "Who?"]})
    [0, 2, 1]
    """
    languages = payload["languages"] or [None] * payload["shown"]
    groups = [language or _script(text) for language, text in zip(languages, payload["questions"], strict=True)]
    return sorted(range(payload["shown"]), key=groups.__getitem__)


def _script(text: str | None) -> str:
    """Return a character of the same block of 256 as the first of a text; kana and ideographs are one block."""
    first = (text or " ").strip()[:1] or " "
    return _KANA if _KANA <= first <= _LAST_IDEOGRAPH else chr(ord(first) >> 8 << 8)


class Passages:
    """The texts that the rows so far hold, each with its place on the page."""

    def __init__(self, cut: Mapping[str, str]) -> None:
        self.cut = cut
        self.places: dict[str, int] = {}

    def place(self, text: str) -> int:
        """Return the place of a passage, which is a new one if no row has it."""
        return self.places.setdefault(text, len(self.places))

    def since(self, count: int) -> list[str | list[Any]]:
        """Return the passages after the first ``count``: a text, or what is shown of it and its whole length."""
        new = list(islice(reversed(self.places), len(self.places) - count))[::-1]
        return [[self.cut[text], units(text)] if text in self.cut else text for text in new]

    def quoted(self, quote: str, texts: Sequence[str]) -> str:
        """Return JSON of passage, start and length of ``quote`` in the first of ``texts`` that shows it, else its own.

        Where a passage as a whole is quoted and was cut, what is shown of it is the quote.
        """
        for text in texts:
            shown = self.cut.get(text, text) if self.cut else text
            if shown is not text and quote == text:
                return f"[{self.place(text)},0,{units(shown)}]"
            if (start := shown.find(quote)) >= 0:
                before = units(shown[:start]) if start and not shown.isascii() else start
                return f"[{self.places.setdefault(text, len(self.places))},{before},{units(quote)}]"
        return json_of(quote)


class Quotes:
    """The JSON of what evidence quotes, by the texts that it quotes from: metrics and runs quote the same sentences."""

    def __init__(self, passages: Passages) -> None:
        self.passages = passages
        self._of_answers: defaultdict[str, dict[str, str]] = defaultdict(dict)
        self._of_texts: defaultdict[tuple[str, ...], dict[str, str]] = defaultdict(dict)

    def from_passages(self, quotes: Sequence[tuple[int, str]], texts: Sequence[tuple[str, ...]]) -> list[str]:
        """Return the JSON of ``quotes``, (row, text), from the ``texts`` (m,) of the passages of each row."""
        known = [self._of_texts[some] for some in texts]
        found = []
        for row, quote in quotes:
            if (shown := known[row].get(quote)) is None:
                shown = known[row][quote] = self.passages.quoted(quote, texts[row]) if quote else json_of(quote)
            found.append(shown)
        return found

    def from_answers(
        self, quotes: Sequence[tuple[int, str]], answers: Sequence[str], texts: Sequence[tuple[str, ...]]
    ) -> list[str]:
        """Return the JSON of ``quotes`` from the ``answers`` (m,), or else from the passages, as `from_passages`."""
        known = [self._of_answers[answer] for answer in answers]
        found = []
        for row, quote in quotes:
            if (shown := known[row].get(quote)) is None:
                shown = known[row][quote] = _within(quote, answers[row]) if quote else ""
            found.append(shown)
        elsewhere = [place for place, shown in enumerate(found) if not shown]
        others = self.from_passages([quotes[place] for place in elsewhere], texts)
        for place, shown in zip(elsewhere, others, strict=True):
            found[place] = shown
        return found


def units(text: str) -> int:
    """Return the length of a text as JavaScript counts it.

    >>> units("tea"), units("茶"), units("🍵")
    (3, 1, 2)
    """
    return len(text) if text.isascii() else len(text.encode("utf-16-le", "surrogatepass")) // 2


def _by_sample(reasons: Mapping[str, Mapping[str, str]]) -> dict[str, Json]:
    """Return the reasons of a run by sample: the place of a sample as text -> metric -> reason."""
    turned: dict[str, Json] = {}
    for metric, by_place in reasons.items():
        for place, reason in by_place.items():
            turned.setdefault(place, {})[metric] = reason
    return turned


def _row(payload: Json, reasons: Sequence[Mapping[str, Json]], place: int, passages: Passages) -> Json:
    """Return what one sample has, and the passages that no row before it has."""
    before = len(passages.places)
    by_run = []
    for run, why in zip(payload["by_run"], reasons, strict=True):
        contexts = [_placed(context, payload, passages) for context in run["contexts"][place]]
        kinds = {"contexts": contexts, "reasons": why.get(str(place))}
        by_run.append({name: value for name, value in kinds.items() if value})
    shared = {name: payload[name][place] for name in _BY_SAMPLE if payload[name] is not None}
    if payload[_PASSAGES] is not None:
        shared[_PASSAGES] = [passages.place(text) for text in payload[_PASSAGES][place]]
    row = {"passages": passages.since(before), **shared, "by_run": by_run}
    return {name: value for name, value in row.items() if value}


def _evidence(payload: Json, run: Json, places: list[int], words: dict[Any, int], quotes: Quotes) -> Json | None:
    """Return the evidence of a run on the samples at ``places``, with places in answers and passages for quotes."""
    if not run["evidence"]:
        return None
    segments: SegmentColumns = run["evidence"].at(places)
    answers = [run["answers"][place] or "" for place in places]
    texts = [texts_of(payload, run, place) for place in places]

    claims, of_claim = segments.distinct("text")
    bests, of_best = segments.distinct("best")
    return {
        "n": segments.rows.lengths.tolist(),
        **{name: column.at(segments.rows.values) for name, column in run["evidence"].numbers.items()},
        "text": JsonColumn.of(quotes.from_answers(claims, answers, texts), of_claim),
        "best": JsonColumn.of(quotes.from_passages(bests, texts), of_best),
        **{name: _worded(*segments.column(name), words) for name in ("what", "why")},
    }


def _worded(values: Sequence[Any], codes: IntArray, words: dict[Any, int]) -> JsonColumn:
    """Return the places of values among ``words``, to which new ones are added in the order of the segments."""
    first = np.full(len(values), len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    found = np.flatnonzero(first < len(codes))
    for code in found[np.argsort(first[found])].tolist():
        if values[code] is not None:
            words.setdefault(values[code], len(words))
    places = np.zeros(len(values), dtype=np.int64)
    places[found] = np.arange(len(found))
    return JsonColumn.of_numbers([words.get(values[code]) for code in found.tolist()], places[codes])


def texts_of(payload: Json, run: Json, place: int) -> tuple[str, ...]:
    """Return the texts of the passages of a sample in a run."""
    return tuple(payload["passages"][one["passage"]] for one in run["contexts"][place] if "passage" in one)


def _within(text: str, answer: str) -> str:
    """Return JSON of start and length of what evidence quotes from an answer; nothing where it does not stand there."""
    start = answer.find(text)
    return f"[{units(answer[:start])},{units(text)}]" if start >= 0 else ""


def _placed(context: Json, payload: Json, passages: Passages) -> Json:
    """Return a retrieved passage with its place on the page."""
    if "passage" not in context:
        return context
    return {**context, "passage": passages.place(payload["passages"][context["passage"]])}


def _parts(by_metric: Mapping[str, Mapping[str, JsonColumn]], places: IntArray) -> Json:
    """Return the parts of the scores of the samples at ``places``; nothing of metrics without parts."""
    held = {metric: parts for metric, parts in by_metric.items() if parts}
    return {metric: {name: column.at(places) for name, column in parts.items()} for metric, parts in held.items()}
