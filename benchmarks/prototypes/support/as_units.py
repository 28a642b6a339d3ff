"""What the prototype reads, as the arrays of ragauge.support.units; slow, to compare with."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

import features
import numpy as np

from ragauge.core.ragged import Ragged
from ragauge.support.units import CLASSES, STEPS, Kind, Units

KINDS = {
    "word": Kind.WORD, "gram": Kind.GRAM, "num": Kind.NUMBER, "year": Kind.YEAR, "month": Kind.MONTH, "day": Kind.DAY,
    "time": Kind.TIME, "weekday": Kind.WEEKDAY, "not": Kind.NEGATION, "only": Kind.ONLY, "quant": Kind.QUANTIFIER,
    "bound": Kind.BOUND, "more": Kind.MORE, "order": Kind.ORDER, "ends": Kind.ENDS, "trend": Kind.TREND,
    "rank": Kind.RANK, "door": Kind.DOOR,
}  # fmt: skip


def read(texts: Sequence[str], languages: Sequence[str] | None = None) -> Units:
    """Return what the prototype reads; start and end are of the normalised text, so only nearly right."""
    columns: dict[str, list] = {
        name: [] for name in ["kind", "position", "weight", "start", "end", "name", "text", "word", "keys", "scaled"]
    }
    words: dict[str, int] = {}
    lengths = []
    for place, text in enumerate(texts):
        units = features.read(text, languages[place] if languages else features.language_of(text))
        lengths.append(len(units))
        for unit in units:
            kind = KINDS[unit.kind]
            plain = kind in (Kind.WORD, Kind.GRAM)
            row = {
                "kind": kind,
                "position": round(unit.position * STEPS),
                "weight": round(unit.weight * 100),
                "start": unit.at,
                "end": unit.at + len(unit.text),
                "name": unit.name,
                "text": _hash(unit.text) if plain else 0,
                "word": words.setdefault(unit.text, len(words)) if kind == Kind.WORD else -1,
                "keys": [] if plain else sorted(_bits(_value(kind, key)) for key in unit.keys),
                "scaled": sorted(_hash(f"{kind} {value:.6f}") for kind, value in unit.scaled),
            }
            for name, value in row.items():
                columns[name].append(value)
    lists = {name: Ragged.of(columns.pop(name), np.uint64) for name in ("keys", "scaled")}
    kinds = {"kind": np.uint8, "name": bool, "text": np.uint64}
    arrays = {name: np.array(values, dtype=kinds.get(name, np.int32)) for name, values in columns.items()}
    offsets = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
    return Units(offsets=offsets, **arrays, **lists, words=list(words))


def _value(kind: Kind, key: object) -> float:
    return CLASSES[kind].index(key) if kind in CLASSES else float(key)


def _bits(value: float) -> int:
    return int(np.float64(value).view(np.uint64))


def _hash(text: str) -> int:
    return crc32(text.encode()) << 32 | crc32(text[::-1].encode() + b"x")
