"""Saved runs: the first byte says which file is replaced and whether the manifest has digests; the rest is content."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import strategies as st

import ragauge
from tests.fuzz.making import VALUES, as_json, damaged, folder

NATIVE = True
_FILES = ("manifest.json", "samples.parquet", "scores.parquet", "evidence.parquet")
# As in runs of earlier versions; with digests, a changed file is refused before it is read.
_NO_DIGESTS = 4


def _run() -> Path:
    """Return a saved run, made once in a process."""
    made = folder() / "whole-run"
    if not made.exists():
        rows = [{"id": str(i), "answer": f"a {i}.", "contexts": ["a 1."], "lang": "en"} for i in range(3)]
        ragauge.evaluate(rows, "groundedness", by="lang", resamples=20, evidence=True).save(made)
    return made


def _content(place: int) -> bytes:
    return (_run() / _FILES[place]).read_bytes()


def _replaced(draw: st.DrawFn, whole: Any) -> None:
    """Replace or take away one of the values inside of ``whole``, at any depth."""
    inside, inner = whole, whole
    while isinstance(inner, dict | list) and inner:
        inside, key = inner, draw(st.sampled_from(list(inner) if isinstance(inner, dict) else range(len(inner))))
        inner = inside[key] if draw(st.booleans()) else None
    if draw(st.booleans()):
        inside[key] = draw(VALUES)
    else:
        del inside[key]


@st.composite
def _manifests(draw: st.DrawFn) -> bytes:
    """Draw a manifest with some of its values replaced or gone."""
    manifest = json.loads(_content(0))
    for _ in range(draw(st.integers(1, 3))):
        _replaced(draw, manifest)
    return b"\0" + as_json(manifest)


@st.composite
def _tables(draw: st.DrawFn) -> bytes:
    """Draw a table of the run with other rows, and in all of them a value replaced or gone."""
    place = draw(st.sampled_from([1, 2, 3]))
    table = pq.read_table(io.BytesIO(_content(place)))
    row = table.to_pylist()[0]
    _replaced(draw, row)
    rows = [{**row, "id": str(number)} for number in draw(st.lists(st.integers(0, 3), max_size=4))]
    sink = io.BytesIO()
    try:
        pq.write_table(pa.Table.from_pylist(rows), sink)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError):  # values that no column can hold
        pq.write_table(table.take(pa.array([0, 0, 2])), sink)
    return bytes([place | _NO_DIGESTS]) + sink.getvalue()


STRATEGY = st.one_of(
    _manifests(),
    _tables(),
    st.sampled_from([0, 1, 2, 3]).flatmap(
        lambda place: damaged(st.just(_content(place))).map(lambda data: bytes([place | _NO_DIGESTS]) + data)
    ),
)


def target(data: bytes) -> None:
    """Load the run, show it, explain it and compare it with the whole one."""
    run = folder() / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(_run(), run)
    first = (data or b"\0")[0]
    if first & _NO_DIGESTS:
        manifest = json.loads(_content(0))
        del manifest["run"]["files"]
        (run / _FILES[0]).write_text(json.dumps(manifest), "utf-8")
    (run / _FILES[first % 4]).write_bytes(data[1:])
    result = ragauge.load(run)
    str(result)
    result.to_dict()
    for name in result:
        result.explain(name)
    ragauge.compare(ragauge.load(_run()), result, resamples=20)
