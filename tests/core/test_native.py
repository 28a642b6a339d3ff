"""The hook of the optional kernel: where it is not, where it is turned off, and where it is of another version."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from ragauge.core import native
from ragauge.core.batch import Batch
from ragauge.core.ragged import Ragged
from ragauge.errors import UsageError
from ragauge.metrics.text import _references
from ragauge.tokenizers.mteval import Mteval13a
from tests.parity.texts import batch_of

Install = Callable[[str], None]


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Install]:
    """Return a function that puts a module of this code in the place of the kernel."""

    def put(code: str) -> None:
        (tmp_path / f"{native.MODULE}.py").write_text(code)

    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, native.MODULE, raising=False)
    monkeypatch.delenv(native.VARIABLE, raising=False)
    native.imported.cache_clear()
    yield put
    native.imported.cache_clear()
    sys.modules.pop(native.MODULE, None)


def test_a_kernel_of_this_interface_is_taken(install: Install) -> None:
    install(f"ABI = {native.ABI}")
    assert native.kernel().ABI == native.ABI


@pytest.mark.parametrize("code", ["ABI = 0", f"ABI = {native.ABI + 1}", ""])
def test_a_kernel_of_another_interface_is_refused(install: Install, code: str) -> None:
    install(code)
    message = rf"the compiled kernel has interface (\d+|None), this ragauge needs {native.ABI}; .*pip install \."
    with pytest.raises(UsageError, match=message):
        native.kernel()


def test_a_kernel_that_does_not_load_is_refused(install: Install) -> None:
    install("raise ImportError('libstdc++.so.6: no such file')")
    with pytest.raises(UsageError, match=r"cannot be imported \(libstdc\+\+.*RAGAUGE_NATIVE=0 to score without it"):
        native.kernel()


def test_it_is_turned_off_by_the_environment(install: Install, monkeypatch: pytest.MonkeyPatch) -> None:
    install("ABI = 0")
    monkeypatch.setenv(native.VARIABLE, "0")
    assert native.kernel() is None
    pair = Ragged.of([[1, 2]], np.int32)
    assert native.of_pairs("subsequences", pair, pair) is None
    assert native.of_pairs("edits", pair, pair) is None
    assert native.shared_ngrams(pair, pair, np.arange(1), 2) is None


def test_without_it_all_is_computed_with_numpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "MODULE", "ragauge_native_that_is_not_there")
    native.imported.cache_clear()
    assert native.kernel() is None
    native.imported.cache_clear()


def test_to_import_ragauge_does_not_import_it() -> None:
    code = f"import ragauge, ragauge.tokenizers.mteval, sys; print({native.MODULE!r} in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


@dataclass(frozen=True)
class Changed(Mteval13a):
    """A tokenizer of a user, which cuts otherwise than the one that it is made from."""


def test_a_tokenizer_made_from_one_that_the_kernel_serves_is_not_served(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "kernel", lambda: pytest.fail("the kernel must not be asked"))
    batch: Batch = batch_of(["a"] * _references.ENOUGH_SAMPLES, [["a"]] * _references.ENOUGH_SAMPLES)
    _references.compared_by_sample(batch, Changed(), _references.SURFACE)
