"""Which functions of the package each test calls, and how long it takes: recorded once, so a mutant runs few tests.

A plugin of pytest. Only calls are traced, so a recorded run takes about twice as long as one without. The browser
counts the lines of the report's scripts that ran.
"""

from __future__ import annotations

import contextlib
import json
import re
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

from tests.mutation.mutants import name_of

Reached = dict[str, dict[str, Any]]
ASSETS = "src/ragauge/reports/assets"
VIEWER = "src/ragauge/reports/viewer/pages.py"


class Recorder:
    """Writes test -> seconds and places: "file:name" of functions, "file:line" of scripts and templates."""

    def __init__(self, root: Path, path: Path) -> None:
        self.package = str(root / "src" / "ragauge")
        self.root = root
        self.path = path
        self.tests: Reached = {}
        self.codes: set[CodeType] = set()
        self.of_files: dict[str, set[CodeType]] = defaultdict(set)
        """Calls while a file of tests is imported, which count for each of its tests."""
        self.of_fixtures: dict[object, set[CodeType]] = defaultdict(set)
        """Calls while a fixture is made, which count for each test that asks for it."""
        self.scripts = Scripts(root)

    def _called(self, frame: FrameType, _event: str, _argument: object) -> None:
        self.codes.add(frame.f_code)

    def _traced(self, calls: set[CodeType]) -> Iterator[None]:
        outer, self.codes = self.codes, calls
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            self.codes = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_make_collect_report(self, collector: pytest.Collector) -> Iterator[None]:
        return (yield from self._traced(self.of_files[collector.nodeid.partition("::")[0]]))

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: pytest.FixtureDef[Any]) -> Iterator[None]:
        outer, self.codes = self.codes, self.of_fixtures[fixturedef]
        try:
            return (yield)
        finally:
            self.codes = outer

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Function) -> Iterator[None]:
        self.passed = True
        self.scripts.lines = set()
        calls: set[CodeType] = set()
        began = time.perf_counter()
        try:
            return (yield from self._traced(calls))
        finally:
            seconds = round(time.perf_counter() - began, 4)
            self.scripts.take()
            calls |= self.of_files[item.nodeid.partition("::")[0]]
            for fixtures in item._fixtureinfo.name2fixturedefs.values():
                calls |= set().union(*(self.of_fixtures[one] for one in fixtures))
            names = {self._name(code) for code in calls if code.co_filename.startswith(self.package)}
            if self.passed:
                self.tests[item.nodeid] = {"seconds": seconds, "functions": sorted(names | self.scripts.lines)}

    def _name(self, code: CodeType) -> str:
        file = Path(code.co_filename)
        place = name_of(code.co_qualname) if file.suffix == ".py" else code.co_firstlineno
        return f"{file.relative_to(self.root).as_posix()}:{place}"

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self.passed &= report.outcome == "passed"

    def pytest_runtest_logfinish(self) -> None:
        if len(self.tests) % 100 == 0:
            self.pytest_sessionfinish()  # So that little is lost where the run is stopped.

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.tests), encoding="utf-8")


class Scripts:
    """The lines of the report's scripts that ran in a browser."""

    def __init__(self, root: Path) -> None:
        self.lines: set[str] = set()
        self.sessions: dict[Any, list[Any]] = defaultdict(list)
        self.error: type[Exception] = OSError
        explorer = [f"explorer/{file.name}" for file in sorted((root / ASSETS / "explorer").glob("*.js"))]
        viewer = re.findall(r'"(\w+/\w+\.js)"', (root / VIEWER).read_text("utf-8"))
        found = (_places(root / ASSETS, files) for files in (explorer, viewer))
        self.places = {len(places): places for places in found}
        """Of each page's script the place of each character: a page is known by the length of its script."""
        with contextlib.suppress(ImportError):
            self._watch()

    def _watch(self) -> None:
        """Count in every page; only the first script of a page that stands in its file is ours."""
        from playwright import sync_api

        self.error = sync_api.Error
        contexts: Any = sync_api.BrowserContext
        pages: Any = sync_api.Page
        new_page, close, goto = contexts.new_page, contexts.close, pages.goto

        def watched(context: Any) -> Any:
            page = new_page(context)
            session = context.new_cdp_session(page)
            session.send("Profiler.enable")
            session.send("Profiler.startPreciseCoverage", {"callCount": True, "detailed": True})
            self.sessions[context].append(session)
            return page

        def left(page: Any, *arguments: Any, **options: Any) -> Any:
            self.take()
            return goto(page, *arguments, **options)

        def closed(context: Any, **options: Any) -> None:
            self.take()
            self.sessions.pop(context, None)
            close(context, **options)

        contexts.new_page, contexts.close, pages.goto = watched, closed, left

    def take(self) -> None:
        """Add the lines that ran since lines were last taken; a page that is left takes its scripts with it."""
        for several in self.sessions.values():
            for session in list(several):
                try:
                    scripts = session.send("Profiler.takePreciseCoverage")["result"]
                except self.error:  # The test has closed the page.
                    several.remove(session)
                    continue
                for script in scripts:
                    self._add(script["functions"])

    def _add(self, functions: list[dict[str, Any]]) -> None:
        """Add the lines with a character that ran; later ranges lie within earlier ones."""
        places = self.places.get(functions[0]["ranges"][0]["endOffset"])
        if places is None:
            return  # A script of the test.
        ran = bytearray(len(places))
        for part in (part for function in functions for part in function["ranges"]):
            start, end = part["startOffset"], part["endOffset"]
            ran[start:end] = bytes([part["count"] > 0]) * (end - start)
        self.lines |= {place for place, count in zip(places, ran, strict=True) if count}


def _places(assets: Path, files: list[str]) -> list[str]:
    """Return the file and line of each character of a script made of files with a line break between."""
    return [
        f"{ASSETS}/{file}:{number}"
        for file in files
        for number, line in enumerate([*(assets / file).read_text("utf-8").splitlines(keepends=True), "\n"], 1)
        for _ in line
    ][:-1]
