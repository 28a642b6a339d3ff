"""A note on values of the column ``language`` that name no language which a metric tells."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from ragauge.core.batch import Dataset
from ragauge.core.messages import Counted, Joined, Message
from ragauge.core.protocol import Metric, columns_read

_COLUMN = "language"
_NAMED = 5
"""Values that a note names."""
_UNREAD = (
    "RG-NOTE-334 language has {values}: none of the languages that {metrics} tells, so that it is undefined in these "
    "samples"
)


def notes_on_languages(data: Dataset, metrics: Mapping[str, Metric]) -> list[Message]:
    """Return a note where the column ``language`` names what those of ``metrics`` that read it do not tell.

    That is no error, because the column is also one of groups, in which free texts such as "mixed" are right.

    >>> from ragauge.formats import read
    >>> from ragauge.metrics.rag.answer_language import AnswerLanguage
    >>> rows = [{"answer": "Yes.", "language": one} for one in ("en", "Englsh", "jp")]
    >>> notes_on_languages(read(rows), {"answer-language": AnswerLanguage()})[0].partition(": none")[0]
    "language has 'Englsh' in 1 sample (did you mean english?), 'jp' in 1 sample (did you mean ja?)"
    """
    reading: dict[str, Any] = {
        name: metric
        for name, metric in metrics.items()
        if hasattr(metric, "untold") and _COLUMN in columns_read(metric, data.columns)
    }
    if not reading:
        return []
    count: Counter[str] = Counter()
    for batch in data.batches():
        for pair in batch.column(_COLUMN).drop_null().value_counts().to_pylist():
            count[pair["values"]] += pair["counts"]
    unread = next(iter(reading.values())).untold([name for name in count if name.strip()])
    if not unread:
        return []
    shown = [_shown(name, count[name], near) for name, near in [*unread.items()][:_NAMED]]
    more = [Message("{n} more", len(unread) - _NAMED)] if len(unread) > _NAMED else []
    return [Message(_UNREAD, Joined([*shown, *more]), ", ".join(reading))]


def _shown(name: str, count: int, near: str) -> Message:
    rows = Counted(count, "sample")
    template = "{name!r} in {rows} (did you mean {near}?)" if near else "{name!r} in {rows}"
    return Message(template, name, rows, *([near] if near else []))
