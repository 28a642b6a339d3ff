"""What readers of ``ragauge view`` say of answers: good or bad, kept in a file beside the run."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import pyarrow as pa

from ragauge.core.arrow import to_arrow
from ragauge.core.batch import Batch, Dataset
from ragauge.errors import UsageError, reason_of
from ragauge.results.result import Result

THUMBS = "thumbs"
"""The column of labels that thumbs become: 1 for good, 0 for bad, null without one."""
_MOST_READ = 64 << 20
_PLAIN = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True)
class Thumbs:
    """Thumbs of a run, in ``runs/today.thumbs.jsonl`` of ``runs/today``.

    A line is an object with the ``id`` of the sample, the ``answer`` as a digest, so that a thumb is of one answer, and
    ``good``: true, false, or null where it was taken back. The last line of an id and an answer counts.
    """

    file: Path

    @classmethod
    def of_run(cls, directory: Path) -> Thumbs:
        """Return those of the run in a directory."""
        path = directory.resolve()
        return cls(path.with_name(f"{path.name}.thumbs.jsonl"))

    def read(self, answers: Mapping[str, str | None]) -> dict[str, bool]:
        """Return what is said of ``answers``, by id; nothing where there is no file, or it is a link.

        >>> Thumbs(Path("nowhere.thumbs.jsonl")).read({"q1": "Anna"})
        {}
        """
        try:
            with os.fdopen(os.open(self.file, os.O_RDONLY | _PLAIN), "rb") as opened:
                lines = opened.read(_MOST_READ).splitlines()
        except OSError:
            return {}
        found: dict[str, bool] = {}
        for line in lines:
            try:
                thumb = json.loads(line)
                name, good = thumb["id"], thumb["good"]
                own = name in answers and thumb["answer"] == _digest(answers[name])
            except (ValueError, LookupError, TypeError, RecursionError):
                continue  # torn by a crash, or not ours
            if own:
                found.pop(name, None)
                found |= {name: good} if isinstance(good, bool) else {}
        return found

    def add(self, name: str, answer: str | None, *, good: bool | None) -> None:
        """Say that the answer of the sample called ``name`` is good or bad; None takes it back.

        Raises:
            UsageError: the file cannot be written.
        """
        line = json.dumps({"id": name, "answer": _digest(answer), "good": good}) + "\n"
        try:
            descriptor = os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND | _PLAIN, 0o666)
            with os.fdopen(descriptor, "wb") as opened:
                opened.write(line.encode())
        except OSError as error:
            raise UsageError("RG-REPORT-015 {file} cannot be written: {why}", self.file, reason_of(error)) from error


def answers_by_id(result: Result) -> dict[str, str | None]:
    """Return the answer of each sample."""
    ids = result.sample_ids().to_pylist()
    answers = result.column("answer").to_pylist() if "answer" in result.data.columns else [None] * len(ids)
    return dict(zip(ids, answers, strict=True))


def with_thumbs(result: Result, directory: Path) -> Result | None:
    """Return the run of a directory with its thumbs as the column `THUMBS`; None where nobody gave any."""
    said = Thumbs.of_run(directory).read(answers_by_id(result))
    if not said:
        return None
    labels = to_arrow([said.get(name) for name in result.sample_ids().to_pylist()], pa.bool_())
    data = result.data
    table = pa.concat_tables([batch.table() for batch in data.batches()], promote_options="permissive")
    if THUMBS in table.column_names:
        table = table.drop_columns([THUMBS])
    batch = Batch(table.append_column(THUMBS, labels).combine_chunks())
    return replace(result, data=Dataset.of(batch, data.source, mapping=data.mapping, notes=data.notes))


def _digest(answer: str | None) -> str:
    return sha256(json.dumps(answer).encode()).hexdigest()[:16]
