"""Texts to cut, made up and real, and how two ways to cut them differ."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pyarrow as pa

from ragauge.core.ingredients import Vocabulary
from ragauge.tokenizers import get
from ragauge.tokenizers.forms import Forms
from tests.parity.shared import SHARED


def mixed(seed: int, n: int, *pools: Sequence[str], longest: int = 25) -> list[str]:
    """Return ``n`` strings of pieces, each from any of ``pools``."""
    rng = random.Random(seed)  # noqa: S311
    return ["".join(rng.choice(rng.choice(pools)) for _ in range(rng.randint(0, longest))) for _ in range(n)]


def some(words: Sequence[str], n: int) -> list[str]:
    """Return ``n`` of ``words``, the same at each call."""
    return random.Random(0).sample(words, n)  # noqa: S311


def real(pattern: str) -> list[str]:
    """Return every line of every string in the shared data whose path fits, once; none where there are no data."""
    lines = (line for path in sorted(SHARED.glob(pattern)) for value in _values(path) for line in _lines(value))
    return list(dict.fromkeys(lines))


def _values(path: Path) -> Iterator[object]:
    with gzip.open(path, "rt", encoding="utf-8") as file:
        yield from map(json.loads, file)


def _lines(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield from filter(None, value.split("\n"))
    elif isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _lines(item)


def differing(
    spec: str, texts: list[str], peer: Callable[[str], list[str]], forms: Forms | None = None
) -> list[tuple[str, list[str], list[str]]]:
    """Return each text that ``peer`` cuts otherwise, with our tokens and the peer's."""
    vocabulary = Vocabulary()
    codes = get(spec).encode(pa.array(texts, pa.string()), vocabulary)
    words = vocabulary.words if forms is None else forms.of(vocabulary.words)
    ours = [[words[code] for code in codes[i].tolist()] for i in range(len(texts))]
    return [found for found in zip(texts, ours, map(peer, texts), strict=True) if found[1] != found[2]]
