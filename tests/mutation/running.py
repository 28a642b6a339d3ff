"""Run the tests that reach a mutant, each in a forked child of a process that has imported all large libraries."""

from __future__ import annotations

import compileall
import contextlib
import importlib
import io
import json
import os
import py_compile
import shutil
import signal
import sys
import time
from bisect import bisect, bisect_left
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutation.mutants import Mutant, function_of
from tests.mutation.reach import Reached

COPIED = (
    "src",
    "tests",
    "docs",
    "examples",
    "corpora",
    "mkdocs.yml",
    "pyproject.toml",
    "README.md",
    "README.zh.md",
    "CHANGELOG.md",
)
# Large libraries, imported once. None of them imports ragauge, which each child imports anew.
LIBRARIES = (
    "numpy", "pyarrow", "pyarrow.parquet", "pyarrow.csv", "pyarrow.json", "pyarrow.compute", "pandas", "polars",
    "duckdb", "scipy.stats", "nltk", "regex", "rapidfuzz", "jieba", "sacrebleu.metrics", "rouge_score.rouge_scorer",
    "pytrec_eval", "rich_click", "jinja2", "sklearn.metrics", "statsmodels.api", "krippendorff",
    "playwright.sync_api", "hypothesis", "hypothesis.strategies", "pytest",
)  # fmt: skip
# What rules of the tree say has nothing to do with what the code does.
NEVER = ("tests/test_architecture.py", "tests/typed", "tests/mutation")
TRACED = [
    "tests/core", "tests/ranking", "tests/metrics", "tests/formats", "tests/inference", "tests/tokenizers",
    "tests/sentences", "tests/support", "tests/evaluation", "tests/results", "tests/comparison", "tests/gates",
    "tests/validation", "tests/display", "tests/conformance", "tests/golden", "tests/worked", "tests/parity",
    "tests/reports", "tests/browser", "tests/cli", "tests/demo", "tests/docs/test_pages.py", "tests/test_pickles.py",
    "tests/test_outcomes.py", "tests/plugins", "src", "tests/judges", "tests/systems", "tests/relevance",
    "tests/compat", "tests/writers", "tests/testsets", "tests/embedders", "tests/frameworks", "tests/test_matchers.py",
]  # fmt: skip
# Seconds of tests for one mutant: those that run faster come first, the room's own before all others. A first process
# runs those of a few seconds, which notice most mutants; it imports few files of tests.
FIRST_TESTS = 3.0
TESTS_AT_MOST = 60.0
SLOWEST_START = 60.0


class Outcome(NamedTuple):
    """What became of one mutant."""

    result: str
    """``killed``, ``killed (timeout)``, ``survived`` or ``survived (unreached)``."""
    by: str
    """The first test that failed."""
    tests: int
    seconds: float


class Stage(NamedTuple):
    """Tests that run in one process."""

    tests: list[str]
    seconds: float
    """How long they took when they were recorded, with all before them."""


class Trees:
    """A copy of the tree, in which one file at a time is changed."""

    def __init__(self, root: Path, state: Path, name: str = "tree") -> None:
        self.root = root
        self.state = state
        self.tree = state / name
        self.answer = state / f"{name}-answer"

    def refresh(self) -> None:
        """Copy the tree anew."""
        shutil.rmtree(self.tree, ignore_errors=True)
        self.tree.mkdir(parents=True)
        for name in COPIED:
            source = self.root / name
            if source.is_dir():
                shutil.copytree(source, self.tree / name, ignore=shutil.ignore_patterns("__pycache__"))
            else:
                shutil.copy(source, self.tree / name)
        # Compiled modules that Python holds against their source: a mutated file is never taken for the original.
        compiled = py_compile.PycInvalidationMode.CHECKED_HASH
        for name in ("src", "tests"):
            compileall.compile_dir(self.tree / name, quiet=2, invalidation_mode=compiled)

    def reached(self, tests: list[str], *, anew: bool = False) -> Reached:
        """Return what each of the tests calls, recorded by a first run unless a record is there.

        A record anew of some tests leaves those of others as they are.
        """
        path = self.state / "reached.json"
        known: Reached = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
        if anew or not known:
            print("recording which test calls which function; this runs the tests once", flush=True)
            child = os.fork()
            if not child:
                self._enter()
                import pytest

                from tests.mutation.reach import Recorder

                pytest.main([*_OPTIONS, *tests], plugins=[Recorder(self.tree, path)])
                os._exit(0)
            os.waitpid(child, 0)
            known |= json.loads(path.read_text(encoding="utf-8"))
            path.write_text(json.dumps(known), encoding="utf-8")
        return known

    def run(self, mutant: Mutant, stages: list[Stage]) -> Outcome:
        """Run the tests on a mutant until one fails."""
        if not stages:
            return Outcome("survived (unreached)", "", 0, 0.0)
        place = self.tree / mutant.file
        original = place.read_bytes()
        place.write_bytes(mutant.apply(original))
        began = time.monotonic()
        try:
            outcomes = (self._in_child(one.tests, SLOWEST_START + 5 * one.seconds) for one in stages)
            failed = next(filter(None, outcomes), None)
        finally:
            place.write_bytes(original)
        result = {None: "survived", "timeout": "killed (timeout)"}.get(failed, "killed")
        return Outcome(result, failed or "", sum(len(one.tests) for one in stages), round(time.monotonic() - began, 1))

    def _in_child(self, tests: list[str], limit: float) -> str | None:
        self.answer.unlink(missing_ok=True)
        child = os.fork()
        if not child:
            os.setsid()
            self._enter()
            _test(tests, self.answer)
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if os.waitpid(child, os.WNOHANG)[0]:
                return self.answer.read_text() or None if self.answer.exists() else "the process died"
            time.sleep(0.02)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "timeout"

    def _enter(self) -> None:
        """Make this process one that runs in the copy."""
        os.chdir(self.tree)
        sys.dont_write_bytecode = True
        os.environ |= {"PYTHONPATH": f"{self.tree / 'src'}:{self.tree}", "PYTHONDONTWRITEBYTECODE": "1"}
        for name in [name for name in sys.modules if name.partition(".")[0] in {"ragauge", "tests"}]:
            del sys.modules[name]
        kept = [path for path in sys.path if path not in {"", str(self.root), str(self.root / "src")}]
        sys.path[:] = [str(self.tree / "src"), str(self.tree), *kept]


# Libraries are there before pytest could rewrite their assertions, and ours need no explanation here.
_OPTIONS = ["-q", "--no-header", "--tb=no", "--assert=plain", "-W", "ignore::pytest.PytestAssertRewriteWarning"]


class _First:
    """Remembers the first test that failed."""

    name = ""

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed and not self.name:
            self.name = report.nodeid

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed and not self.name:
            self.name = f"{report.nodeid} (collection)"


def _test(tests: list[str], answer: Path) -> None:
    """Run tests, write the first failure, leave the process."""
    first = _First()
    try:
        import pytest

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = pytest.main([*_OPTIONS, "-x", *tests], plugins=[first])
        answer.write_text(first.name or ("" if code in {0, 5} else f"pytest ended with {int(code)}"))
    except BaseException as error:  # noqa: BLE001 - a mutant may raise anything, which is a kill
        answer.write_text(f"{type(error).__name__}")
    os._exit(0)


def import_libraries() -> None:
    """Import what all children need."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def stages_of(mutant: Mutant, text: bytes, reached: Reached, at_most: float = TESTS_AT_MOST) -> list[Stage]:
    """Return the tests that reach a mutant, those of its folder first, then of its room, of each the fastest first.

    They are followed by those that reach its file: a function that runs at import makes others that they call. Before
    all others comes the test of the room that reaches most of the file, and of the package. Of a script all come in the
    order of how much they reach, since each page runs a part of it. The last ones are left out, where all take more
    than ``at_most`` seconds.
    """
    line = mutant.line(text)
    # A lambda is a function that begins in its own line.
    function = function_of(text, line) if mutant.file.endswith(".py") else line
    places = {f"{mutant.file}:{place}" for place in (function, line)}
    most = {name: _reached(found["functions"], mutant.file) for name, found in reached.items()}
    names = [name for name, functions in most.items() if functions and not name.startswith(NEVER)]
    nearest = {name for name in names if not places.isdisjoint(reached[name]["functions"])}
    folder = "tests/" + mutant.file.removeprefix("src/ragauge/").rpartition("/")[0]
    room = "/".join(folder.split("/")[:2])
    first = min(
        nearest or names,
        key=lambda name: (not name.startswith(room), -most[name], -len(reached[name]["functions"])),
        default="",
    )
    script = mutant.file.endswith(".js")
    in_order = sorted(
        names,
        key=lambda name: (
            name != first,
            name not in nearest,
            not name.startswith((folder, mutant.file)),
            not name.startswith(room),
            -most[name] * script,
            reached[name]["seconds"],
        ),
    )
    sums = list(accumulate(reached[name]["seconds"] for name in in_order))
    early = max(1, bisect(sums, FIRST_TESTS))
    last = max(1, bisect(sums, at_most))
    stages = [slice(0, early), slice(early, last)]
    return [Stage(_by_file(in_order[part]), sum(sums[part.stop - 1 : part.stop])) for part in stages if in_order[part]]


def _reached(places: list[str], file: str) -> int:
    """Return how many of the sorted ``places`` are in ``file``."""
    return bisect_left(places, f"{file};") - bisect_left(places, f"{file}:")


def _by_file(tests: list[str]) -> list[str]:
    """Return the tests with those of one file together, files in the order of their first test."""
    files = {test.partition("::")[0]: None for test in tests}
    order = {file: place for place, file in enumerate(files)}
    return sorted(tests, key=lambda test: order[test.partition("::")[0]])
