"""Folders of parts: the first byte says what is replaced, the plan, a part or its first line; the rest is content.

To resume gives the scores of the whole run, or an error that names the folder or its file.
"""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from ragauge.engines.part_files import PartFiles, locked
from ragauge.engines.plan import Plan, plan
from ragauge.engines.pool import _evidence
from ragauge.engines.worker import ScoringJob, Shares, written
from ragauge.errors import RagaugeError
from ragauge.evaluation.request import RunRequest
from ragauge.evaluation.score_file import ScoreFiles
from ragauge.formats import read
from tests.fuzz.making import VALUES, as_json, damaged, folder

_ROWS = [{"id": str(i), "answer": f"a {i}.", "contexts": ["a 1."], "lang": "en"} for i in range(4)]
_ABOUT = {"samples": 4, "parts": 1, "source": "rows", "plan": "p", "version": "v", "code": "c"}


@cache
def _whole() -> tuple[Path, Plan, Shares]:
    """Return a folder with one finished part, and what it was made of."""
    data = read(_ROWS)
    made = plan(RunRequest(metrics="groundedness", by=("lang",), evidence=True), data)
    place = folder() / "whole.parts"
    place.mkdir()
    shares, _ = written(data, folder() / "data.arrow")
    with locked(place) as kept:
        kept.begin(_ABOUT)
        _resumed(kept, made, shares)
    return place, made, shares


def _resumed(kept: PartFiles, made: Plan, shares: Shares) -> Any:
    scores = ScoreFiles(folder() / "scores")
    shutil.rmtree(scores.folder, ignore_errors=True)
    scores.folder.mkdir()
    job = ScoringJob(made, shares, scores, "rows", kept)
    place, evidence = job(0)
    tables = [table.to_pylist() for table in _evidence([evidence])]
    part = job.conclude()
    assert part is not None
    return part.to_bytes(), {name: one.scores.tolist() for name, one in scores.read([place]).items()}, tables


def _content(place: int) -> bytes:
    whole = (_whole()[0] / ("plan.json" if place == 0 else "part-000000.arrow")).read_bytes()
    return whole.partition(b"\n")[0] if place == 2 else whole


@st.composite
def _heads(draw: st.DrawFn) -> bytes:
    """Draw the plan, or the first line of a part, with one of its values replaced."""
    place = draw(st.sampled_from([0, 2]))
    about = json.loads(_content(place))
    return bytes([place]) + as_json({**about, draw(st.sampled_from([*about, "x"])): draw(VALUES)})


STRATEGY = st.one_of(
    _heads(),
    st.sampled_from([0, 1, 2]).flatmap(
        lambda place: damaged(st.just(_content(place))).map(lambda data: bytes([place]) + data)
    ),
)


def target(data: bytes) -> None:
    """Resume the run."""
    whole, made, shares = _whole()
    here = folder() / "run.parts"
    shutil.rmtree(here, ignore_errors=True)
    shutil.copytree(whole, here)
    place, content = (data or b"\0")[0] % 3, data[1:]
    if place == 2:
        content += b"\n" + _content(1).partition(b"\n")[2]
    (here / ("plan.json" if place == 0 else "part-000000.arrow")).write_bytes(content)
    try:
        with locked(here) as kept:
            kept.begin(_ABOUT)
            is_as_it_should_be = _resumed(kept, made, shares) == _resumed(PartFiles(whole), made, shares)
    except RagaugeError as error:
        is_as_it_should_be = "run.parts" in str(error)
    assert is_as_it_should_be
