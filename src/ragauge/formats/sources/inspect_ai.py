"""inspect_ai: samples of a log with the scores of its scorers, and frames of ``samples_df``."""

from __future__ import annotations

import json
import struct
from collections.abc import Iterator, Mapping
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa

from ragauge.core.lazy import lazy_pattern
from ragauge.core.messages import Message
from ragauge.errors import DataError, excerpt
from ragauge.formats.fields import is_missing
from ragauge.formats.opening import LONGEST, Opened
from ragauge.formats.sources.export import Export, Rows, row_by_row
from ragauge.formats.sources.payloads import CONTEXTS, answer_of, first_of, passages_of, question_of, unwritten

if TYPE_CHECKING:
    import zipfile

_ZSTD = 93
"""The method of compression that Python reads from version 3.14 on, and Arrow before."""
_HEADER = struct.Struct("<26xHH")
"""The end of an entry's header: the lengths of its name and of its other fields, which are before the content."""
_MESSAGE = lazy_pattern(r"(?:^|\n\n\n)(system|user|assistant|tool):\n")
_KEPT = ("eval_id", "epoch", "total_tokens", "total_time", "working_time", "model")
_NO_ANSWERS = (
    "the frame has no answers: make it with samples_df(logs, columns=SampleSummary + SampleMessages), or read the log"
)
_JOINED = "several targets of a sample are joined by commas in such a frame, and were read as one; the log has each"


def _samples(row: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield each sample of a log, or the one that a row is."""
    log = row.get("samples")
    if "eval" in row and not log:
        raise _no_samples(row.get("error"))
    yield from (_sample(one) for one in (log if isinstance(log, list) else [row]) if isinstance(one, Mapping))


def _no_samples(error: Any) -> DataError:
    """Return the error of a log without samples; ``error``: of its evaluation."""
    why = Message(": its evaluation ended with {reason}", excerpt(_text_of(error))) if error else ""
    template = "RG-DATA-101 the log of inspect_ai has no samples{why}; name another, or write it with log_samples=True"
    return DataError(template, why)


def _text_of(error: Any) -> str:
    return str(error.get("message") if isinstance(error, Mapping) else error)


def _why_failed(error: Any, limit: Any, answer: Any) -> str | None:
    """Return why a sample has no answer, an error or a limit that ended it; None where neither is the reason."""
    if error is not None:
        return _text_of(error)
    if limit and not answer:
        return f"limit: {limit.get('type') if isinstance(limit, Mapping) else limit}"
    return None


def _sample(one: Mapping[str, Any]) -> dict[str, Any]:
    """Return the columns of a sample; a further epoch of it has its number behind the id."""
    epoch = one.get("epoch") or 1
    name = str(one.get("id")) if epoch == 1 else f"{one.get('id')}-{epoch}"
    output, metadata, error = one.get("output") or {}, one.get("metadata") or {}, one.get("error")
    held = first_of(metadata, CONTEXTS)
    contexts = passages_of(held)
    others = {key: value for key, value in metadata.items() if value is not held}
    scores = {
        key: score.get("value") if isinstance(score, Mapping) else score
        for key, score in (one.get("scores") or {}).items()
    }
    sample = {"id": name, "question": question_of(one.get("input")), "references": one.get("target")}
    answer = output["completion"] if output.get("completion") else answer_of(output.get("choices"))
    failure = _why_failed(error, one.get("limit"), answer)
    # The column is there, also where all samples failed.
    sample |= {"answer": answer} if failure is None else {"answer": None, "failure": failure}
    if contexts is not None:
        sample["contexts"] = contexts
    return {**others, **scores, **sample}


def _of_frame(rows: Rows, notes: list[str]) -> Iterator[dict[str, Any]]:
    """Yield each sample in a frame of ``samples_df``, whose messages are one text, each behind its role.

    The number of a further epoch, and the id of a further evaluation, follow the id of the sample.
    """
    first, has_answers, has_joined = "", False, False
    for row in rows:
        present = {name: value for name, value in row.items() if not is_missing(value) and value != ""}
        first = first or str(present.get("eval_id"))
        has_answers |= "output" in present or "messages" in present
        has_joined |= "," in str(present.get("target", ""))
        yield _of_row(present, first)
    notes += [] if has_answers else [_NO_ANSWERS]
    notes += [_JOINED] if has_joined else []


def _of_row(row: Mapping[str, Any], first: str) -> dict[str, Any]:
    epoch, evaluation = row.get("epoch") or 1, str(row.get("eval_id"))
    parts = [str(row.get("id")), *([str(epoch)] if epoch != 1 else []), *([evaluation] if evaluation != first else [])]
    metadata = {name.removeprefix("metadata_"): value for name, value in row.items() if name.startswith("metadata_")}
    contexts = passages_of(next((unwritten(metadata.pop(name)) for name in CONTEXTS if name in metadata), None))
    scores = {name.removeprefix("score_"): value for name, value in row.items() if name.startswith("score_")}
    sample = {name: row[name] for name in _KEPT if name in row} | metadata | scores
    sample |= {"id": "-".join(parts), "question": _message(row.get("input"), "user"), "references": row.get("target")}
    answer = row["output"] if "output" in row else _message(row.get("messages"), "assistant")
    failure = _why_failed(row.get("error"), row.get("limit"), answer)
    if failure is not None:
        sample |= {"answer": None, "failure": failure}
    elif "output" in row or "messages" in row:
        sample["answer"] = answer
    return sample if contexts is None else {**sample, "contexts": contexts}


def _message(written: Any, role: str) -> str | None:
    """Return the last message of a role; a text without roles as it is; None without such a message."""
    if not isinstance(written, str):
        return None
    _, *rest = _MESSAGE.split(written)
    if not rest:
        return written
    texts = [text for one, text in zip(rest[::2], rest[1::2], strict=True) if one == role]
    return texts[-1].strip() if texts else None


def logged(file: Opened) -> Iterator[Any]:
    """Yield the samples of a log, an archive with a file for each; DataError where it is not one, or is damaged."""
    import zipfile

    with file.in_any_order() as whole:
        try:
            with zipfile.ZipFile(whole) as archive:
                names = [one for one in archive.infolist() if one.filename.startswith("samples/")]
                failure = None if names else json.loads(archive.read("header.json")).get("error")
                for entry in names:
                    yield json.loads(_content(archive, entry, whole))
        except Exception as error:  # noqa: BLE001 - zipfile and the methods of compression raise a dozen kinds
            raise DataError(
                "RG-DATA-012 {name}: cannot be read as a log of inspect_ai: {reason}; copy it again",
                file.name,
                excerpt(str(error)),
            ) from None
        if not names:
            raise _no_samples(failure)


def _content(archive: zipfile.ZipFile, entry: zipfile.ZipInfo, whole: IO[bytes]) -> bytes:
    if entry.file_size > LONGEST:
        raise ValueError(f"{entry.filename} is longer than {LONGEST >> 20} MiB")
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    whole.seek(entry.header_offset)
    name, more = _HEADER.unpack(whole.read(_HEADER.size))
    whole.seek(entry.header_offset + _HEADER.size + name + more)
    packed = pa.BufferReader(whole.read(entry.compress_size))
    content: bytes = pa.CompressedInputStream(packed, "zstd").read(entry.file_size)
    return content


EXPORTS = (
    Export(
        "a frame of inspect_ai",
        [("eval_id", "sample_id", "input", "target")],
        _of_frame,
        {
            "question": "input",
            "answer": "output, or the last message of the assistant",
            "references": "target",
            "contexts": "metadata",
        },
    ),
    Export(
        "inspect_ai samples",
        [("eval", "samples"), ("eval", "plan", "stats"), ("input", "target", "output", "messages")],
        row_by_row(_samples),
        {"question": "input", "answer": "output.completion", "references": "target", "contexts": "metadata"},
    ),
)
