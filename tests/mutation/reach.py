"""Which functions of the package each test calls, and how long it takes: recorded once, so a mutant runs few tests.

A plugin of pytest. Only calls are traced, so a recorded run takes about twice as long as one without.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

Reached = dict[str, dict[str, Any]]


class Recorder:
    """Writes test -> seconds and functions ("file:first line")."""

    def __init__(self, root: Path, path: Path) -> None:
        self.package = str(root / "src" / "ragauge")
        self.root = root
        self.path = path
        self.tests: Reached = {}
        self.codes: set[CodeType] = set()

    def _called(self, frame: FrameType, _event: str, _argument: object) -> None:
        self.codes.add(frame.f_code)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.codes = set()
        began = time.perf_counter()
        threading.settrace(self._called)
        sys.settrace(self._called)
        try:
            return (yield)
        finally:
            sys.settrace(None)
            threading.settrace(None)
            functions = {self._name(code) for code in self.codes if code.co_filename.startswith(self.package)}
            self.tests[item.nodeid] = {"seconds": round(time.perf_counter() - began, 4), "functions": sorted(functions)}

    def _name(self, code: CodeType) -> str:
        return f"{Path(code.co_filename).relative_to(self.root).as_posix()}:{code.co_firstlineno}"

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.outcome != "passed":
            self.tests[report.nodeid] = {"seconds": 0.0, "functions": []}

    def pytest_sessionfinish(self) -> None:
        self.path.write_text(json.dumps(self.tests), encoding="utf-8")
