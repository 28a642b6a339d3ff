"""OpenAI evals: the log of a run, with an event on each line; a sample for each id of a sample."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export
from ragauge.formats.sources.payloads import answer_of, question_of, references_of


def _samples(rows: Iterable[Mapping[str, Any]], _notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield what each sample was asked, answered and expected; a model that grades samples after the one it grades."""
    samples: dict[str, dict[str, Any]] = {}
    for row in rows:
        name, data = row.get("sample_id"), row.get("data")
        if name is None or not isinstance(data, Mapping):
            continue
        sample = samples.setdefault(str(name), {"id": str(name)})
        if row.get("type") == "sampling":
            sample.setdefault("question", question_of(data.get("prompt")))
            sample.setdefault("answer", answer_of(data.get("sampled")))
        elif row.get("type") == "match":
            sample.setdefault("references", references_of(data.get("expected")))
            sample.setdefault("correct", data.get("correct"))
        elif row.get("type") == "error":
            sample.setdefault("failure", str(data.get("message") or data.get("type")))
    yield from samples.values()


def _is_spec(row: Mapping[str, Any]) -> bool:
    """Return whether a row is the first of a log, which says what was run."""
    spec = row.get("spec")
    return isinstance(spec, Mapping) and {"eval_name", "run_id"} <= spec.keys()


EXPORTS = (
    Export(
        "a log of OpenAI evals",
        [("run_id", "event_id", "sample_id", "type", "data")],
        _samples,
        {"question": "prompt", "answer": "sampled", "references": "expected"},
        _is_spec,
    ),
)
