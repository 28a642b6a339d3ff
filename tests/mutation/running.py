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
from collections import defaultdict
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

from tests.mutation.mutants import Mutant, functions_at
from tests.mutation.reach import Reached
from tests.mutation.recorded import digests_of, files_of_tests, read, shares

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
    "tests/sentences", "tests/grounding", "tests/evaluation", "tests/results", "tests/comparison", "tests/gates",
    "tests/validation", "tests/display", "tests/conformance", "tests/golden", "tests/worked", "tests/parity",
    "tests/reports", "tests/browser", "tests/cli", "tests/demo", "tests/docs/test_pages.py", "tests/test_pickles.py",
    "tests/test_outcomes.py", "tests/plugins", "src", "tests/judges", "tests/endpoints", "tests/systems",
    "tests/compat", "tests/writers", "tests/testsets", "tests/embedders", "tests/frameworks", "tests/endpoints",
    "tests/languages", "tests/engines/test_judges.py", "tests/engines/test_part.py", "tests/engines/test_part_files.py",
    "tests/engines/test_pool.py", "tests/engines/test_processes.py", "tests/engines/test_task.py",
]  # fmt: skip
# Seconds of tests for one mutant. A first process runs those of a few seconds, which notice most mutants; it imports
# few files of tests.
FIRST_TESTS = 3.0
TESTS_AT_MOST = 60.0
SLOWEST_START = 60.0
# Seconds that any test costs, and by how much dearer one is that stands one folder farther away.
START = 0.01
FARTHER = 4.0


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

    def reached(self, tests: list[str], record: str, processes: int = 1) -> Reached:
        """Return what each of the tests calls, as recorded by earlier runs and this one.

        ``record`` says which files of tests run for it: ``all``, ``changed`` since they were recorded, or ``none``.
        What another file of tests, or the package, has changed since is not looked at, but tests that are there no
        more are left out.
        """
        path, digests = self.state / "reached.json", self.state / "recorded.json"
        reached: Reached = read(path)
        recorded: dict[str, str] = read(digests)
        now = digests_of(self.tree, files_of_tests(self.tree, tests), reached)
        left = [file for file, digest in now.items() if record == "all" or recorded.get(file) != digest]
        if left and (record != "none" or not reached):
            print(f"recording which test calls which function: {len(left)} files of tests", flush=True)
            reached = {test: found for test, found in reached.items() if test.partition("::")[0] not in left}
            for part in self._record(shares(left, processes)):
                reached |= part
            recorded |= digests_of(self.tree, left, reached)
            path.write_text(json.dumps(reached), encoding="utf-8")
            digests.write_text(json.dumps(recorded), encoding="utf-8")
        return reached if record == "none" else self._still_there(reached)

    def _record(self, files: list[list[str]]) -> list[Reached]:
        """Return what the tests of some files call, each share in a process of its own."""
        parts = [self.state / f"reached-{share}.json" for share in range(len(files))]
        children = []
        for share, part in zip(files, parts, strict=True):
            part.unlink(missing_ok=True)
            if not (child := os.fork()):
                self._enter()
                import pytest

                from tests.mutation.reach import Recorder

                code = 1
                try:
                    ended = pytest.main([*_OPTIONS, *share], plugins=[Recorder(self.tree, part)])
                    code = ended not in {pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED}
                finally:
                    os._exit(code)
            children.append(child)
        statuses = [os.waitpid(child, 0)[1] for child in children]
        if any(statuses):  # A test that was not recorded would count as one that reaches nothing.
            raise SystemExit("a process that recorded tests ended before its last test: what it wrote is not whole")
        return [read(part) for part in parts]

    def _still_there(self, reached: Reached) -> Reached:
        """Return the tests that pytest still finds: it runs none of several of which it does not find one."""
        files = {test.partition("::")[0] for test in reached}
        found = self._answered([file for file in sorted(files) if (self.tree / file).exists()], "--collect-only")
        return {test: reached[test] for test in found if test in reached}

    def failing(self, tests: list[str]) -> set[str]:
        """Return those of the tests that fail without a change."""
        return set(self._answered(tests)) if tests else set()

    def _answered(self, tests: list[str], *options: str) -> list[str]:
        """Return the tests that failed, or were collected, in a child of this process."""
        self._in_child(tests, 3600, *options)
        return self.answer.read_text().splitlines()

    def run(self, mutant: Mutant, stages: list[Stage]) -> Outcome:
        """Run the tests on a mutant until one fails."""
        if not stages:
            return Outcome("survived (unreached)", "", 0, 0.0)
        place = self.tree / mutant.file
        original = place.read_bytes()
        place.write_bytes(mutant.apply(original))
        began = time.monotonic()
        try:
            outcomes = (self._in_child(one.tests, SLOWEST_START + 5 * one.seconds, "-x") for one in stages)
            failed = next(filter(None, outcomes), None)
        finally:
            place.write_bytes(original)
        result = {None: "survived", "timeout": "killed (timeout)"}.get(failed, "killed")
        return Outcome(result, failed or "", sum(len(one.tests) for one in stages), round(time.monotonic() - began, 1))

    def _in_child(self, tests: list[str], limit: float, *options: str) -> str | None:
        self.answer.unlink(missing_ok=True)
        child = os.fork()
        if not child:
            os.setsid()
            self._enter()
            _test([*options, *tests], self.answer)
        deadline = time.monotonic() + limit
        while time.monotonic() < deadline:
            if os.waitpid(child, os.WNOHANG)[0]:
                return (
                    self.answer.read_text().partition("\n")[0] or None if self.answer.exists() else "the process died"
                )
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


class _Names:
    """Remembers the tests that failed, or that are only collected."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.failed:
            self.names.append(report.nodeid)

    def pytest_collectreport(self, report: Any) -> None:
        if report.failed:
            self.names.append(f"{report.nodeid} (collection)")

    def pytest_collection_finish(self, session: Any) -> None:
        if session.config.option.collectonly:
            self.names += [item.nodeid for item in session.items]


def _test(arguments: list[str], answer: Path) -> None:
    """Run tests, write their names, leave the process."""
    found = _Names()
    try:
        import pytest

        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            code = pytest.main([*_OPTIONS, *arguments], plugins=[found])
        answer.write_text("\n".join(found.names) or ("" if code in {0, 5} else f"pytest ended with {int(code)}"))
    except BaseException as error:  # noqa: BLE001 - a mutant may raise anything, which is a kill
        answer.write_text(f"{type(error).__name__}")
    os._exit(0)


def import_libraries() -> None:
    """Import what all children need."""
    for name in LIBRARIES:
        with contextlib.suppress(ImportError):
            importlib.import_module(name)


def stages_of(mutant: Mutant, text: bytes, reached: Reached, at_most: float = TESTS_AT_MOST) -> list[Stage]:
    """Return the tests that reach a mutant, the likeliest to notice it in few seconds first.

    They are followed by those that reach its file: a function that runs at import makes others that they call. Where no
    test reaches any function, as in a file without functions, the tests of its folder run. Before all others comes the
    test of the room that reaches most of the file, and of the package. Of a script all come in the order of how much
    they reach, since each page runs a part of it. The last ones are left out, where all take more than ``at_most``
    seconds.
    """
    line = mutant.line(text)
    script = not mutant.file.endswith(".py")
    places = {f"{mutant.file}:{place}" for place in ({line} if script else functions_at(text, line))}
    most = {name: _reached(found["functions"], mutant.file) for name, found in reached.items()}
    names = [name for name, functions in most.items() if functions and not name.startswith(NEVER)]
    names = names or [name for name in reached if name.startswith(f"{_folder_of_tests(mutant.file)}/")]
    nearest = {name for name in names if any(_holds(reached[name]["functions"], place) for place in places)}
    room = "/".join(mutant.file.replace("src/ragauge", "tests").split("/")[:2])
    first = min(
        nearest or names,
        key=lambda name: (not name.startswith(room), -most[name], -len(reached[name]["functions"])),
        default="",
    )
    costs = _costs(names, reached, mutant.file)
    lines = most if mutant.file.endswith(".js") else dict.fromkeys(names, 0)
    in_order = sorted(names, key=lambda name: (name != first, name not in nearest, -lines[name], costs[name]))
    sums = list(accumulate(reached[name]["seconds"] for name in in_order))
    early = max(1, bisect(sums, FIRST_TESTS))
    last = max(1, bisect(sums, at_most))
    stages = [slice(0, early), slice(early, last)]
    return [Stage(_by_file(in_order[part]), sum(sums[part.stop - 1 : part.stop])) for part in stages if in_order[part]]


def _costs(names: list[str], reached: Reached, file: str) -> dict[str, float]:
    """Return how dear each test is: its seconds, times how many of its parameters came before, times its distance."""
    folder = _folder_of_tests(file)
    room = "/".join(folder.split("/")[:2])
    costs: dict[str, float] = {}
    place: dict[str, int] = defaultdict(int)
    for name in sorted(names, key=lambda name: reached[name]["seconds"]):
        place[family := name.partition("[")[0]] += 1
        near = name.startswith((folder, file)) + name.startswith((room, file))
        costs[name] = (START + reached[name]["seconds"]) * place[family] * FARTHER ** (2 - near)
    return costs


def _folder_of_tests(file: str) -> str:
    """Return the folder of the tests of a file of the package."""
    return file.replace("src/ragauge", "tests", 1).rpartition("/")[0]


def _holds(places: list[str], place: str) -> bool:
    """Return whether ``place`` is among the sorted ``places``."""
    at = bisect_left(places, place)
    return at < len(places) and places[at] == place


def _reached(places: list[str], file: str) -> int:
    """Return how many of the sorted ``places`` are in ``file``."""
    return bisect_left(places, f"{file};") - bisect_left(places, f"{file}:")


def _by_file(tests: list[str]) -> list[str]:
    """Return the tests with those of one file together, files in the order of their first test."""
    files = {test.partition("::")[0]: None for test in tests}
    order = {file: place for place, file in enumerate(files)}
    return sorted(tests, key=lambda test: order[test.partition("::")[0]])
