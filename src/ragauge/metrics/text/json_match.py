"""``json-match``: the fields of a JSON answer that are as in the reference."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from ragauge.core.batch import Batch
from ragauge.core.protocol import Average, Needs
from ragauge.core.ragged import FloatArray
from ragauge.core.registry import register
from ragauge.core.statistics import Rows, Statistics, ratio
from ragauge.errors import DataError
from ragauge.metrics._object_lists import Fields, fields_of
from ragauge.metrics.text._references import ReferenceMetric

_ONE_FENCE = 3
"""Parts of a text with one fence: before, within and behind it."""
_BROKEN = (
    "RG-METRIC-069 {column} are not valid JSON in {rows}: no answer could be right. Write them as JSON, in Python with "
    "json.dumps(value)"
)


_NO_JSON = "answers without valid JSON"


@register("json-match")
@dataclass(frozen=True, kw_only=True)
class JsonMatch(ReferenceMetric):
    """JSON match: the F of the fields that answer and reference, both JSON, have alike, each at its place.

    Formula:
        F = 2m / (a + r); m = fields of equal value at the same path; a, r = fields of answer and reference

    A field is a text, number, true, false or null, or an empty list or object, at a path of keys and places in lists:
    ``{"to": {"city": "Oslo"}, "days": [1, 2]}`` has three. The order of keys does not count, that of lists does; 1 and
    1.0 are equal, and 1 and "1" are not. An answer with one fence of Markdown is read from it, and a byte order
    mark before it is left out.

    A text that is not valid JSON is one field, so that it is wrong beside an object or a list; a note counts such
    answers. A reference that begins as an object or a list and is none is an error: no answer could be right.

    Unit and range: a share of fields, 0 to 1. Parts ``precision`` and ``recall``. Of several references the one of
    highest score counts, the first among equals. ``undefined``: the sample has no reference.

    Args:
        average: ``samples`` for the mean of the samples' F, or ``pooled``.

    Raises:
        DataError: a reference begins with a brace or a bracket and is not valid JSON.

    Not for: values that are texts to be worded freely: any other letter is another value.

    Source: the F of sets of fields; worked by hand.

    >>> import pyarrow as pa
    >>> data = pa.table({"answer": ['{"city": "Oslo", "days": 2}'], "references": [['{"days": 3, "city": "Oslo"}']]})
    >>> metric = JsonMatch()
    >>> metric.score(metric.measure(Batch(data)).totals())
    np.float64(0.5)
    """

    average: Average = "samples"

    needs: ClassVar[Needs] = (("answer", "references"),)
    revision: ClassVar[int] = 2
    notes: ClassVar[Mapping[str, str]] = {_NO_JSON: "beside an object or a list; nothing in them is right"}

    def measure(self, batch: Batch) -> Rows:
        """Return the fields that are alike, and those of each side."""
        given = batch.texts("answer").to_pylist()
        answers = [_fields(text) for text in given]
        texts, owner = batch.texts("references").to_pylist(), batch.owners("references")
        references = [_fields(text) for text in texts]
        pairs_of_texts = zip(owner.tolist(), texts, references, strict=True)
        if broken := [(row, text) for row, text, one in pairs_of_texts if _is_broken(text, one)]:
            raise DataError(_BROKEN, "references", batch.named(broken))
        pairs = [(answers[row], other) for row, other in zip(owner.tolist(), references, strict=True)]
        counts = {
            "match": np.array([len(one.items() & other.items()) for one, other in pairs], dtype=np.int64),
            "answer": np.array([len(one) for one, _ in pairs], dtype=np.int64),
            "reference": np.array([len(other) for _, other in pairs], dtype=np.int64),
        }
        beside = {row for row, other in zip(owner.tolist(), references, strict=True) if not _is_value(other)}
        lost = [row in beside and _is_no_json(text, answers[row]) for row, text in enumerate(given)]
        rows = self.best_rows(counts, owner, len(batch))
        return replace(rows, noted={_NO_JSON: np.array(lost, dtype=np.int64)})

    def score(self, totals: Statistics) -> FloatArray:
        """Return F."""
        return 2 * totals["match"] / np.maximum(totals["answer"] + totals["reference"], 1)

    def parts(self, totals: Statistics) -> Mapping[str, FloatArray]:
        """Return precision and recall; NaN where a side has no fields."""
        match = totals["match"]
        return {"precision": ratio(match, totals["answer"]), "recall": ratio(match, totals["reference"])}


def _fields(text: str) -> Fields:
    """Return the value at each path of ``text``, with its type; where it is not valid JSON, the text itself.

    >>> _fields('{"a": [1, true]}')
    {('a', 0): ('number', 1), ('a', 1): ('bool', True)}
    """
    parts = text.removeprefix("\ufeff").split("```")
    language, newline, fenced = parts[1].partition("\n") if len(parts) == _ONE_FENCE else ("", "", "")
    is_fenced = newline and (not language.strip() or language.strip().isalnum())
    try:
        whole = json.loads(fenced if is_fenced else "```".join(parts), parse_constant=_refused)
    except (ValueError, RecursionError):
        return {(): ("str", text.strip())}
    return fields_of(whole)


def _is_broken(text: str, fields: Fields) -> bool:
    """Return whether a text with these fields begins as an object or a list of JSON and is none."""
    return text.lstrip().startswith(("{", "[")) and _is_no_json(text, fields)


def _is_no_json(text: str, fields: Fields) -> bool:
    """Return whether a text with these fields is not valid JSON."""
    return fields.get(()) == ("str", text.strip())


def _is_value(fields: Fields) -> bool:
    """Return whether these are the fields of a text, a number, true, false or null, and not of a list or an object."""
    return () in fields and fields not in (fields_of([]), fields_of({}))


def _refused(name: str) -> Any:
    raise ValueError(name)
