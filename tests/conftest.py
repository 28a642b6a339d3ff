"""What tests share: the same screen in every shell, a registry that forgets names, one browser for all pages."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
from asyncio.events import _get_running_loop, _set_running_loop
from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from random import Random
from typing import Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import HealthCheck, settings

from ragauge.core import registry
from ragauge.formats import file_formats
from tests import fresh, outcomes, repeats, skips

# A busy machine or a second worker makes examples slow; a deadline or a health check would call that a failure.
# Where CI is not set, each run draws other examples, so that many runs see far more of them than one.
settings.register_profile("suite", deadline=None, max_examples=20, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("suite")

HERE = Path(__file__).parent

# The collector finds nothing to free while tests are collected, and looked for a third of that time.
gc.disable()

# One engine; the first program has no windows, which cost as much as a page does.
PROGRAMS = ("chromium-headless-shell", "chromium", "chromium-browser")
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
]


def pytest_configure(config: pytest.Config) -> None:
    """Let .ci/run choose tests and read what became of them; draw the seed before other processes start."""
    fresh.draw()
    if not hasattr(config, "workerinput"):
        repeats.choose(config)
    # With several workers, threads of linear algebra wait for each other: a fifth of the time of the tests that use it.
    if config.getoption("numprocesses", None):
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    outcomes.configure(config)
    # A shell starts what runs in the background with SIGINT ignored, and so would each process be that tests interrupt.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(hookwrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Any, None]:
    """Look for no doctests in tests, where there are none: it took a third of the time of collecting."""
    outcome = yield
    found = outcome.get_result()
    if file_path.is_relative_to(HERE):
        outcome.force_result([one for one in found if not isinstance(one, DoctestModule)])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out or skip the tests that are not wanted, and run files in an order that the seed of the run draws.

    So no test can depend on another file. The dearest files come first: one of them that comes last runs while the
    other processes have ended.
    """
    if left_out := {*repeats.left_out(items)}:
        items[:] = [item for item in items if item not in left_out]
        outcomes.leave_out(sorted(item.nodeid for item in left_out))
    if not os.environ.get("RAGAUGE_LONG"):
        for item in items:
            if item.get_closest_marker("long"):
                item.add_marker(pytest.mark.skip("takes long: RAGAUGE_LONG=1"))
    files: dict[Path, list[pytest.Item]] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    order = [*files]
    Random(fresh.seed()).shuffle(order)  # noqa: S311 - nothing secret
    order.sort(key=lambda file: not file.as_posix().endswith(_BEGUN_FIRST))
    items[:] = [item for file in order for item in files[file]]


def pytest_collection_finish() -> None:
    """Let the collector look through what tests make, and no more through modules and the tests themselves.

    It looks less often than Python has it, which takes a tenth of the time of the tests.
    """
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    gc.enable()
    # Libraries count what is left when the process ends.
    atexit.register(gc.unfreeze)


def pytest_report_header() -> list[str]:
    """Print the seed of the order of files and of the differential tests, and what is left out."""
    return [line for line in (fresh.header(), repeats.header()) if line]


@pytest.fixture(autouse=True)
def no_settings_of_the_shell(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide what the shell exports: a narrow screen folds the names in tables, and each RAGAUGE_ name is a setting."""
    ours = [name for name in os.environ if name.startswith("RAGAUGE_")]
    for name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", *ours):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture(autouse=True)
def no_running_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    """Hide Playwright's event loop, which is left as running, from tests without a browser: they may run their own."""
    running = None if "chromium" in request.fixturenames else _get_running_loop()
    if running is None:
        yield
    else:
        _set_running_loop(None)
        yield
        _set_running_loop(running)


@pytest.fixture(scope="session", autouse=True)
def compiled_once(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Let the processes that tests start share compiled modules where Python may write none beside the source.

    Compiling them anew is a third of what a short command costs.
    """
    with pytest.MonkeyPatch.context() as patch:
        if sys.dont_write_bytecode:
            folder = tmp_path_factory.getbasetemp()
            # Every worker of pytest-xdist has a folder of its own in one that they share.
            shared = folder.parent if "PYTEST_XDIST_WORKER" in os.environ else folder
            patch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
            patch.setenv("PYTHONPYCACHEPREFIX", str(shared / "compiled"))
        yield


@pytest.fixture
def registered() -> Iterator[None]:
    """Let a test register names of any kind that another test of its file registers too."""
    with forgotten_afterwards():
        yield


@pytest.fixture(scope="module", autouse=True)
def no_names_of_another_file() -> Iterator[None]:
    """Forget what the tests of a file register."""
    with forgotten_afterwards():
        yield


@pytest.hookimpl(hookwrapper=True)
def pytest_make_collect_report(collector: pytest.Collector) -> Generator[None, Any, None]:
    """Forget what a file of tests registers when it is imported: tests use the objects, not the names."""
    with forgotten_afterwards() if isinstance(collector, pytest.Module) else nullcontext():
        yield


@contextmanager
def forgotten_afterwards() -> Iterator[None]:
    """Forget names that are registered inside, and that are not the package's own: its files register them once."""
    before, formats_before = _entries_of_tests(), _formats_of_tests()
    yield
    for entry in _entries_of_tests() - before:
        del registry._entries[entry]
    for name in _formats_of_tests() - formats_before:
        del file_formats._formats[name]


def _entries_of_tests() -> set[tuple[str, str]]:
    """Return what is registered from outside of the package; a function that was made a metric is an instance."""
    found = registry._entries.items()
    return {key for key, one in found if one.instance is not None or not one.cls.__module__.startswith("ragauge.")}


def _formats_of_tests() -> set[str]:
    found = file_formats._formats.items()
    return {name for name, one in found if one.read is not None and not one.read.__module__.startswith("ragauge.")}


@pytest.fixture(scope="session")
def stats() -> Any:
    """scipy's statistics, which ours must equal."""
    return pytest.importorskip("scipy.stats", reason=skips.PEERS)


@pytest.fixture(scope="session")
def sklearn_metrics() -> Any:
    """The measures of scikit-learn, which ours must equal."""
    return pytest.importorskip("sklearn.metrics", reason=skips.PEERS)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """Start the browser once: Playwright allows no second one in a process."""
    api = pytest.importorskip("playwright.sync_api", reason="no Playwright: pip install playwright")
    program = next(filter(None, map(shutil.which, PROGRAMS)), None)
    if program is None:
        pytest.skip("no Chromium: apt-get install chromium")
    with api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=BROWSER_ARGUMENTS)
        yield browser
        browser.close()


SCREEN = {"width": 1280, "height": 900}
# Milliseconds that a page may take for one thing on a busy machine.
PATIENCE = 120_000


@pytest.fixture(scope="session")
def only_page(chromium: Any) -> Iterator[Any]:
    """The page that tests open one after another, because a window costs more than what most of them do in it."""
    with chromium.new_context(locale="en-GB") as context:
        context.set_default_timeout(PATIENCE)
        yield context.new_page()


@pytest.fixture
def page(only_page: Any) -> Iterator[Any]:
    """A blank page on a wide, light screen; it forgets what a test left in it."""
    only_page.set_viewport_size(SCREEN)
    only_page.emulate_media(media="screen", color_scheme="light")
    yield only_page
    only_page.mouse.move(0, 0)
    if only_page.url != "about:blank":
        only_page.evaluate("localStorage.clear(); sessionStorage.clear()")
        only_page.goto("about:blank")


_BEGUN_FIRST = ("tests/engines/test_pool.py", "tests/docs/test_commands.py", "tests/conformance/test_conformance.py")
_RUN_THE_SAME_EXAMPLES = ("tests/examples/test_page.py", "tests/examples/test_scripts.py")


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Give all tests of a file to one worker, and all of the browser to one: what they share is made once."""
    from xdist.scheduler import LoadFileScheduling

    class ByFile(LoadFileScheduling):  # type: ignore[misc]
        def _split_scope(self, nodeid: str) -> str:
            file = super()._split_scope(nodeid)
            in_browser = file.startswith("tests/browser/") or file.endswith("_in_browser.py")
            if in_browser:
                return "browser"
            return "examples" if file in _RUN_THE_SAME_EXAMPLES else file

    # pytest-xdist would put the files with the most tests first, whatever order was drawn.
    config.option.loadscopereorder = False
    return ByFile(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print how many tests were skipped, why, and where they run instead."""
    reasons = [outcomes.reason(report) for report in terminalreporter.stats.get("skipped", [])]
    if reasons:
        terminalreporter.section("skipped here; where these tests run")
        for line in skips.lines(reasons):
            terminalreporter.write_line(line)
