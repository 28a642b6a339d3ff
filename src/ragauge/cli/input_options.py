"""What can be set in ``ragauge.toml`` for ``ragauge score``: one list, for reading, for the template and the schema."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ragauge.errors import UsageError

Kind: TypeAlias = Literal["text", "texts", "number", "count", "path"]


@dataclass(frozen=True)
class Key:
    """One key of [score].

    ``name``: in the file; ``option``: the parameter of the command that it sets; ``example``: as it stands in the
    template; ``says``: what it is.
    """

    name: str
    option: str
    kind: Kind
    example: str
    says: str


KEYS = (
    Key("metrics", "metrics", "texts", '["ndcg@10", "groundedness"]', "by default all whose columns are there"),
    Key("preset", "preset", "text", '"rag"', "in place of metrics: retrieval, generation or rag"),
    Key("lang", "lang", "text", '"zh"', 'cut texts as this language does; "column": as each row says'),
    Key("by", "by", "texts", '["language"]', "also one row per value of these columns"),
    Key("cluster", "cluster", "text", '"document"', "samples with the same value belong together (for intervals)"),
    Key("ci", "ci", "number", "0.95", "level of the intervals"),
    Key("resamples", "resamples", "count", "1000", "bootstrap replicates; 0: no intervals"),
    Key("seed", "seed", "count", "0", "seed of the replicates"),
    Key("limit", "limit", "count", "100", "read so many samples only"),
    Key("embedding-cache", "embedding_cache", "path", '".ragauge/vectors"', "keep vectors of texts from run to run"),
    Key("output-format", "output_format", "text", '"table"', "table, json, csv or markdown"),
)

_ALLOWED: dict[Kind, str] = {
    "text": "a text",
    "texts": "a text or a list of texts",
    "number": "a number",
    "count": "a whole number",
    "path": "a path",
}


def allowed(kind: Kind) -> str:
    """Say which values a key of ``kind`` takes."""
    return _ALLOWED[kind]


def fits(value: Any, kind: Kind) -> bool:
    """Say whether ``value`` is of ``kind``.

    >>> fits("zh", "text"), fits(["a", 1], "texts"), fits(True, "count"), fits(1, "number")
    (True, False, False, True)
    """
    if isinstance(value, bool):
        return False
    if kind == "texts":
        return isinstance(value, str) or (isinstance(value, list) and all(isinstance(one, str) for one in value))
    kinds = {"text": (str,), "path": (str,), "number": (int, float), "count": (int,)}[kind]
    return isinstance(value, kinds)


def schema() -> dict[str, Any]:
    """Return the JSON Schema of ``ragauge.toml``, which editors complete and check by."""
    text, texts = {"type": "string"}, {"type": "object", "additionalProperties": {"type": "string"}}
    several = {"anyOf": [text, {"type": "array", "items": text}]}
    numbers = {"type": "object", "additionalProperties": {"type": "number"}}
    kinds: dict[Kind, dict[str, Any]] = {
        "text": text,
        "texts": several,
        "number": {"type": "number"},
        "count": {"type": "integer"},
        "path": text,
    }
    score = {key.name: {**kinds[key.kind], "description": key.says} for key in KEYS}
    gate = {
        "baseline": {**text, "description": "the run that max-drop compares with"},
        "min": {**numbers, "description": "metric -> the least value it must have"},
        "max": {**numbers, "description": "metric -> the greatest value it may have, where lower is better"},
        "max-drop": {**numbers, "description": "metric -> how much worse than the baseline it may be"},
        "max-failed": {"type": ["string", "number"], "description": "share of samples that may have failed"},
        "min-scored": {"type": "integer", "description": "how many samples must be scored under each metric"},
        "confident": {"type": "boolean", "description": "judge intervals, so that noise does not fail a run"},
    }
    tables = {
        "score": {"type": "object", "properties": score, "additionalProperties": False},
        "map": {**texts, "description": "known column -> its name in the data"},
        "split": {**texts, "description": "column of texts -> what stands between the texts of a cell"},
        "gate": {"type": "object", "properties": gate, "additionalProperties": False},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ragauge.toml",
        "type": "object",
        "properties": tables,
        "additionalProperties": False,
    }


def pairs(texts: Iterable[str], option: str = "--map", form: str = "KNOWN=YOURS") -> dict[str, str]:
    """Read texts such as ``question=user_input``.

    Raises:
        UsageError: a text has no ``=``, or nothing on one side of it.

    >>> pairs(["question=user_input", "answer=a=b"])
    {'question': 'user_input', 'answer': 'a=b'}
    """
    found = {}
    for text in texts:
        known, equals, given = text.partition("=")
        if not (known and equals and given):
            example = "contexts='|||'" if option == "--split" else "question=user_input"
            message = f"{option} takes {form}, as in {option} {example}; got {text!r}"
            raise UsageError(message)
        found[known] = given
    return found
