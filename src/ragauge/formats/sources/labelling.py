"""Label Studio and Argilla, in which people label texts: what was shown to them, and what they said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ragauge.formats.sources.export import Export, row_by_row


def _label_studio(task: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the data of a task, with what the first annotation says under the name of each of its controls."""
    annotations = [
        one for one in task["annotations"] or () if isinstance(one, Mapping) and not one.get("was_cancelled")
    ]
    results = annotations[0].get("result") or () if annotations else ()
    labels = {str(one.get("from_name")): _label(one) for one in results}
    data = task["data"] if isinstance(task["data"], Mapping) else {}
    yield {"id": task.get("id"), **labels, **data}


def _label(result: Mapping[str, Any]) -> Any:
    """Return the value of a control, such as a rating, choices or a text; one of a list as itself."""
    value = result.get("value") or {}
    found = value.get(result.get("type"), value.get("text"))
    return found[0] if isinstance(found, list) and len(found) == 1 else found


def _argilla(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the fields of a record, its metadata, and the first response to each question of the annotators."""
    labels = {
        name: some[0].get("value")
        for name, some in (record["responses"] or {}).items()
        if isinstance(some, list) and some and isinstance(some[0], Mapping)
    }
    yield {"id": record.get("id"), **(record.get("metadata") or {}), **labels, **(record["fields"] or {})}


EXPORTS = (
    Export("tasks of Label Studio", [("data", "annotations")], row_by_row(_label_studio)),
    Export("records of Argilla", [("fields", "responses", "suggestions")], row_by_row(_argilla)),
)
