"""The process that executes a target: one argument, a task as JSON."""

from __future__ import annotations

import json
import os
import sys
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.judging import CORPUS, corpus, judged, loaded
from tests.fuzz.making import grown, mutated
from tests.fuzz.running import Progress

_EXAMPLES = 50
# To draw an input takes longer than to change one.
_MUTANTS = 15


class Done(BaseException):
    """Time or executions are spent."""


class Session:
    """Counts executions, and writes down the current input and each new kind of finding as it comes."""

    def __init__(self, task: dict[str, Any]) -> None:
        self.task = task
        with instrumented(task["engine"]):
            self.module = loaded(task["name"])
            judged(self.module.target, b"")
        self.folder = Path(task["folder"])
        self.until = time.monotonic() + task["seconds"]
        self.progress = Progress(self.folder)
        self.kinds: set[str] = set()

    def execute(self, data: bytes) -> None:
        """Execute the target once."""
        if time.monotonic() > self.until or 0 < self.task["executions"] <= self.progress.count:
            raise Done
        self.progress.begin(data)
        finding = judged(self.module.target, data)
        if finding is not None and finding.kind not in self.kinds:
            self.kinds.add(finding.kind)
            with (self.folder / "findings").open("a", encoding="utf-8") as file:
                file.write(json.dumps([finding.kind, finding.data.hex(), finding.details]) + "\n")


def instrumented(engine: str) -> AbstractContextManager[None]:
    """Return a context in which our modules, when they are imported, are made to tell which lines run."""
    if engine != "atheris":
        return nullcontext()
    import atheris

    found: AbstractContextManager[None] = atheris.instrument_imports(include=["ragauge"])
    return found


def by_structure(session: Session) -> None:
    """Execute what the target's strategy makes and mutants of it, until the session is done."""
    random = Random(session.task["seed"])  # noqa: S311
    before = b""
    for turn in range(1 << 30):

        @seed(session.task["seed"] * 1_000_003 + turn)
        @settings(
            max_examples=_EXAMPLES,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        @given(session.module.STRATEGY)
        def one_turn(data: bytes) -> None:
            nonlocal before
            session.execute(data)
            for _ in range(_MUTANTS):
                session.execute(mutated(data, random, before))
            before = data

        one_turn()
        session.execute(grown(before, random))


def by_coverage(session: Session) -> None:
    """Execute what libFuzzer makes of the corpus, guided by the lines of ours that it reaches."""
    import atheris

    found = session.folder / "corpus"
    found.mkdir()

    def one(data: bytes) -> None:
        try:
            session.execute(data)
        except Done:
            os._exit(0)

    options = [f"-seed={session.task['seed'] + 1}", "-max_len=65536", "-rss_limit_mb=0", f"-artifact_prefix={found}/"]
    atheris.Setup([sys.argv[0], *options, str(found), str(CORPUS / session.task["name"])], one)
    atheris.Fuzz()


def main() -> None:
    """Execute the corpus, then what the engine makes."""
    session = Session(json.loads(sys.argv[1]))
    try:
        for path in corpus(session.task["name"])[session.task["done"] :]:
            session.execute(path.read_bytes())
        (by_coverage if session.task["engine"] == "atheris" else by_structure)(session)
    except Done:
        pass


if __name__ == "__main__":
    main()
