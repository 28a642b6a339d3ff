"""The room that the samples of a page have, and the passages that are cut, the longest first, to fit in it."""

from __future__ import annotations

import gzip
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from typing import Any

import numpy as np

from ragauge.core.ragged import IntArray
from ragauge.reports.chunks import in_chunks, texts_of
from ragauge.reports.json_columns import json_of

Json = dict[str, Any]

BYTES = 3_000_000  # of a page, for each run of at most SAMPLES samples; more samples have more room
SAMPLES = 5_000
SHORTEST = 60  # letters, a line: no passage is cut to less if that is enough
_LEAST = 10  # letters, a word or two
_SPACE = 24  # characters before a cut among which a space is looked for
_GAP = " … "
_WIDE = 0x2E80  # from here on stand the scripts of which one character says about as much as three letters


def room(runs: int, samples: int) -> int:
    """Return the bytes that a page may have.

    >>> room(1, 40), room(2, 5_000), room(1, 20_000)
    (3000000, 6000000, 12000000)
    """
    return BYTES * runs * max(samples, SAMPLES) // SAMPLES


def fitting(runs: int, samples: int, frame: int, size: int) -> int | None:
    """Return how many samples surely have room if they are like these, ``samples`` of ``size`` bytes.

    None where these have room. ``frame``: the bytes of all but the samples.

    >>> fitting(1, 5_000, 200_000, 2_800_000), fitting(1, 5_000, 200_000, 5_600_000)
    (None, 2250)
    """
    if frame + size <= room(runs, samples):
        return None
    return max(1, int(0.9 * (room(runs, 0) - frame) * samples / size))


_STEPS = 3  # so often at most are the passages cut anew


def encoded(payload: Json, size: int) -> str:
    """Return the samples as a page holds them, of at most ``size`` bytes if passages alone can be cut to make it so.

    One part is one line: gzip of JSON, without a time, as `printable` text; first the index, then the chunks.
    """
    whole = _lines(payload, {})
    if len(whole) <= size:
        return whole
    least = _lines(payload, cut_passages(payload, 0))
    if len(least) > size:
        return _lines(payload, cut_passages(payload, 0, _LEAST))
    low, high, best = 0.0, 1.0, least
    small, large = len(least), len(whole)
    for _ in range(_STEPS):
        if large <= small:
            break
        share = low + (high - low) * (size - small) / (large - small) * 0.98
        lines = _lines(payload, cut_passages(payload, share))
        if len(lines) > size:
            high, large = share, len(lines)
            continue
        low, small, best = share, len(lines), lines
        if small > 0.95 * size:
            break
    return best


def _lines(payload: Json, cut: Mapping[str, str]) -> str:
    return "\n".join(map(_packed, in_chunks(payload, cut=cut)))


def _packed(part: Any) -> str:
    text = json_of(part).encode("utf-8", "backslashreplace")
    return printable(gzip.compress(text, compresslevel=6, mtime=0))


# Printable characters of ASCII but those that markup is made of: two of them hold 13 bits, where base64 holds 12.
DIGITS = "".join(chr(code) for code in range(33, 127) if chr(code) not in "&<>")
_BITS = 13


def printable(data: bytes) -> str:
    """Return bytes as their number, a space and pairs of `DIGITS`, each pair one number of 13 bits.

    >>> printable(b"tea")
    '3 Lx`T'
    """
    count = -(-8 * len(data) // _BITS)
    padded = np.frombuffer(data + bytes(-len(data) % _BITS + 2), dtype=np.uint8).astype(np.uint32)
    # 13 bytes hold eight numbers, each of which lies in three bytes.
    threes = (padded[:-2] << 16 | padded[1:-1] << 8 | padded[2:]).reshape(-1, _BITS)
    starts, before = np.divmod(_BITS * np.arange(8), 8)
    numbers = (threes[:, starts] >> (24 - _BITS - before).astype(np.uint32) & (1 << _BITS) - 1).ravel()[:count]
    digits = np.frombuffer(DIGITS.encode("ascii"), dtype=np.uint8)
    pairs = digits[np.stack(np.divmod(numbers, len(digits)), axis=1)]
    return f"{len(data)} {pairs.tobytes().decode('ascii')}"


def cut_passages(payload: Json, share: float, shortest: int = SHORTEST) -> dict[str, str]:
    """Return what is shown of the passages that are cut: all of them have ``share`` of their letters, 0 to 1, together.

    One length is that of all that are cut, so the longest lose most; it is at least ``shortest``. The sentences that
    evidence quotes are kept.
    """
    texts = list(dict.fromkeys(chain(payload["passages"], *(payload["reference_contexts"] or ()))))
    sizes = np.array([_weights(text).sum() for text in texts], dtype=np.int64)
    longest = max(_common_length(sizes, share), shortest)
    quotes = _quotes(payload)
    shown = (
        (text, _shown(text, longest, quotes.get(text, ())))
        for text, size in zip(texts, sizes, strict=True)
        if size > longest
    )
    return {text: short for text, short in shown if len(short) < len(text)}


def _common_length(sizes: IntArray, share: float) -> int:
    """Return the length to which the longer of ``sizes`` (n,) are cut, so that ``share`` of their sum is left.

    >>> _common_length(np.array([10, 20, 90]), 0.5)
    30
    """
    ordered = np.sort(sizes)
    before = np.concatenate([[0], np.cumsum(ordered)[:-1]])
    # If all from a place on are cut to its own length, so much is left.
    left = before + ordered * np.arange(len(ordered), 0, -1)
    place = int(np.searchsorted(left, share * ordered.sum()))
    if place == len(ordered):
        return int(ordered[-1]) if len(ordered) else 0
    return int((share * ordered.sum() - before[place]) / (len(ordered) - place))


def _quotes(payload: Json) -> Mapping[str, set[str]]:
    """Return the sentences of each passage that evidence quotes."""
    quotes: defaultdict[str, set[str]] = defaultdict(set)
    for run in payload["by_run"]:
        for place, quote in run["evidence"].distinct("best")[0] if run["evidence"] else ():
            for text in texts_of(payload, run, place):
                if quote and quote in text:
                    quotes[text].add(quote)
    return quotes


def _shown(text: str, longest: int, quotes: Iterable[str]) -> str:
    """Return the beginning of a passage, at most ``longest`` letters, and its ``quotes``.

    >>> _shown("Tea is a drink. It has leaves. Anna likes it. Otto does not.", 16, ["Anna likes it."])
    'Tea is a drink. … Anna likes it. …'
    """
    pieces = [(0, _end(text, longest)), *((text.find(quote), text.find(quote) + len(quote)) for quote in quotes)]
    parts = list(_merged(sorted(pieces)))
    shown = _GAP.join(text[start:end].strip() for start, end in parts)
    return shown if parts[-1][1] == len(text) else shown + _GAP.rstrip()


def _end(text: str, longest: int) -> int:
    end = int(np.searchsorted(np.cumsum(_weights(text)), longest, "right"))
    space = text.rfind(" ", max(0, end - _SPACE), end)
    return space if space > 0 else end


def _weights(text: str) -> IntArray:
    """Return how many letters each character counts as, (n,): ideographs, kana and syllables of hangul are 3.

    >>> _weights("tea 茶 ชา").tolist()
    [1, 1, 1, 1, 3, 1, 1, 1]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    return np.where(codes >= _WIDE, 3, 1)


def _merged(pieces: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Join pieces (start, end), in order, that touch each other or are as good as next to each other."""
    open_start, open_end = -1, -1
    for start, end in pieces:
        if open_start >= 0 and start > open_end + len(_GAP):
            yield open_start, open_end
            open_start = start
        open_start, open_end = max(open_start, 0), max(open_end, end)
    yield open_start, open_end
