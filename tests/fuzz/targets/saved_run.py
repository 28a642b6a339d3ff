"""Saved runs: the first byte says which file of a run is replaced, the rest is its content."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

import ragauge
from tests.fuzz.making import VALUES, as_json, damaged, folder

NATIVE = True
_FILES = ("manifest.json", "samples.parquet", "scores.parquet", "evidence.parquet")


def _run() -> Path:
    """Return a saved run, made once in a process."""
    made = folder() / "whole-run"
    if not made.exists():
        rows = [{"id": str(i), "answer": f"a {i}.", "contexts": ["a 1."], "lang": "en"} for i in range(3)]
        ragauge.evaluate(rows, "groundedness", by="lang", resamples=20, evidence=True).save(made)
    return made


def _content(place: int) -> bytes:
    return (_run() / _FILES[place]).read_bytes()


@st.composite
def _manifests(draw: st.DrawFn) -> bytes:
    """Draw a manifest with some of its values replaced or gone."""
    manifest = json.loads(_content(0))
    for _ in range(draw(st.integers(1, 3))):
        inside: Any = manifest
        while True:
            keys = list(inside) if isinstance(inside, dict) else list(range(len(inside)))
            if not keys:
                break
            key = draw(st.sampled_from(keys))
            if isinstance(inside[key], dict | list) and draw(st.booleans()):
                inside = inside[key]
                continue
            if draw(st.booleans()):
                inside[key] = draw(VALUES)
            else:
                del inside[key]
            break
    return b"\0" + as_json(manifest)


STRATEGY = st.one_of(
    _manifests(),
    st.sampled_from([0, 1, 2, 3]).flatmap(
        lambda place: damaged(st.just(_content(place))).map(lambda data: bytes([place]) + data)
    ),
)


def target(data: bytes) -> None:
    """Load the run, show it, explain it and compare it with the whole one."""
    run = folder() / "run"
    shutil.rmtree(run, ignore_errors=True)
    shutil.copytree(_run(), run)
    (run / _FILES[(data or b"\0")[0] % 4]).write_bytes(data[1:])
    result = ragauge.load(run)
    str(result)
    result.to_dict()
    for name in result:
        result.explain(name)
    ragauge.compare(ragauge.load(_run()), result, resamples=20)
